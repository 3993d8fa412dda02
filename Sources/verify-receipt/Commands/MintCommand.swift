internal import CommandLineInterface
internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// `mint`: test receipts under an authority of one's own.
struct MintCommand {
    let session: Session

    private var arguments: Arguments { session.arguments }

    func run() throws -> ExitCode {
        if let operand = arguments.operands.first {
            throw UsageError("mint does not take \(Escaped(operand).quoted)", hint: "give a payload with --payload")
        }
        guard let folder = arguments.value(of: .authority) else {
            throw UsageError("mint needs a folder for its authority", hint: "name one with --authority DIR")
        }
        let order = try MintOrder(arguments)
        let payload = try givenPayload()
        let signer = try authority(in: folder).signer
        if let payload {
            for _ in 0..<order.count { try session.output.write(signer.sign(payload: payload) + [UInt8(ascii: "\n")]) }
        } else {
            var payloads = MintedPayloads(order: order, signer: signer, now: SystemClock.now())
            for _ in 0..<order.count { try session.output.writeLine(payloads.next()) }
        }
        return .success
    }

    /// The authority in the folder, or a new one.
    private func authority(in folder: String) throws -> TestAuthority {
        do throws(FileError) {
            if !arguments.has(.force), let authority = try TestAuthority.load(from: folder) { return authority }
        } catch {
            throw UsageError(
                "the test authority cannot be used: \(Escaped(error.message))",
                hint: "--force replaces it by a new one"
            )
        }
        let authority = try TestAuthority()
        do throws(FileError) {
            try authority.write(to: folder, overwriting: arguments.has(.force))
        } catch {
            throw UsageError(
                "the test authority cannot be kept: \(Escaped(error.message))", hint: "it is named by --authority"
            )
        }
        session.talk.note("made a test authority in \(Escaped(folder))")
        session.talk.note("hint: trust it with --root \(Escaped(folder))/root.der, in tests and nowhere else")
        return authority
    }

    /// The bytes of `--payload`, which are signed as they are, whatever they are.
    private func givenPayload() throws(UsageError) -> [UInt8]? {
        guard let text = arguments.value(of: .payload) else { return nil }
        for flag in [Flag.kind, .bundleID, .appAppleID, .productID, .environment]
        where arguments.isOnCommandLine(flag) {
            throw UsageError("\(flag.spelling) does not go with --payload", hint: "the payload says everything itself")
        }
        if text == "-" { return try FileAccess.readStandardInput() }
        if text.hasPrefix("{") || text.hasPrefix("[") { return [UInt8](text.utf8) }
        return try FileAccess.read(text, for: Flag.payload)
    }
}
