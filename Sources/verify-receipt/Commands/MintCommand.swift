internal import CommandLineInterface
internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// `mint`: makes test receipts, signed by a test authority.
struct MintCommand {
    let session: Session

    private var arguments: Arguments { session.arguments }

    func run() throws -> ExitCode {
        if let operand = arguments.operands.first {
            throw UsageError("mint does not take \(Escaped(operand).quoted)", hint: "pass a payload with --payload")
        }
        guard let folder = arguments.value(of: .authority) else {
            throw UsageError("mint needs a test authority", hint: "name its folder with --authority DIR")
        }
        let request = try MintRequest(arguments)
        let payload = try givenPayload()
        let signer = try authority(in: folder).signer
        if let payload {
            for _ in 0..<request.count {
                try session.output.write(signer.sign(payload: payload) + [UInt8(ascii: "\n")])
            }
        } else {
            var payloads = MintedPayloads(request: request, signer: signer, now: SystemClock.now())
            for _ in 0..<request.count { try session.output.writeLine(payloads.next()) }
        }
        return .success
    }

    /// Returns the authority in a folder, or creates one there.
    private func authority(in folder: String) throws -> TestAuthority {
        do throws(FileError) {
            if !arguments.has(.force), let authority = try TestAuthority.load(from: folder) { return authority }
        } catch {
            throw UsageError(
                "the test authority cannot be used: \(Escaped(error.message))",
                hint: "name another folder for a new authority; --force replaces this one and its keys"
            )
        }
        let authority = try TestAuthority()
        do throws(FileError) {
            try authority.write(to: folder, overwriting: arguments.has(.force))
        } catch {
            throw UsageError(
                "the test authority cannot be stored: \(Escaped(error.message))",
                hint: "check the value of --authority"
            )
        }
        session.messages.note("created a test authority in \(Escaped(folder))")
        session.messages.note(
            "hint: trust it in tests only, with --root \(Escaped(folder))/root.der --only-given-roots"
        )
        return authority
    }

    /// Returns the bytes of `--payload`, which are signed unchanged.
    private func givenPayload() throws(UsageError) -> [UInt8]? {
        guard let text = arguments.value(of: .payload) else { return nil }
        for flag in [Flag.kind, .bundleID, .appAppleID, .productID, .environment]
        where arguments.isOnCommandLine(flag) {
            throw UsageError("\(flag.spelling) cannot be used with --payload", hint: "set it in the payload")
        }
        if text == "-" { return try FileAccess.readStandardInput(session.messages) }
        if text.hasPrefix("{") || text.hasPrefix("[") { return [UInt8](text.utf8) }
        return try FileAccess.read(text, from: Flag.payload.spelling)
    }
}
