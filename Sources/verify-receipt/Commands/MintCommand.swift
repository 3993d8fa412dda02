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
        if arguments.has(.listFlaws) {
            try listFlaws()
        } else if let folder = arguments.value(of: .allFlaws) {
            try writeSpecimens(into: folder)
        } else {
            try mint()
        }
        return .success
    }

    private func mint() throws {
        guard let folder = arguments.value(of: .authority) else {
            throw UsageError("mint needs a test authority", hint: "name its folder with --authority DIR")
        }
        let request = try MintRequest(session)
        let payload = try givenPayload()
        if let flaw = request.flaw { try requireCommonKeys(flaw) }
        let authority = try authority(in: folder)
        try warnIfCertificatesAreInvalid(authority, for: request)
        var payloads = MintedPayloads(request: request, signer: authority.signer)
        let playKey = request.kind == .playPurchase ? try self.playKey(in: folder) : nil
        let appReceipts = request.kind == .appReceipt ? try self.appReceipts(in: folder) : nil
        for _ in 0..<request.count {
            if let flaw = request.flaw {
                let members = try payload.map(Self.members) ?? payloads.next()
                let receipt = try flaw.makeReceipt(
                    from: members, by: authority, playKey: { try playKey ?? TestPlayKey() },
                    appReceipts: { try appReceipts ?? AppReceiptAuthority() }, at: request.now)
                try session.output.writeLine(ofData: receipt.text)
            } else if let payload {
                try session.output.write(authority.signer.sign(payload: payload) + [UInt8(ascii: "\n")])
            } else if let playKey {
                try session.output.writeLine(ofData: playKey.sign(payloads.next()))
            } else if let appReceipts {
                try session.output.writeLine(ofData: appReceipts.signer(request.form).sign(payloads.next()))
            } else {
                try session.output.writeLine(ofData: authority.signer.sign(payloads.next()))
            }
        }
        if let flaw = request.flaw { explain(flaw) }
    }

    // MARK: Flaws

    /// Throws an error for a flaw of a root or a key, which a verifier must trust to find the flaw.
    private func requireCommonKeys(_ flaw: ReceiptFlaw) throws(UsageError) {
        guard [.ownRoot, .ownPlayKey].contains(flaw.condition) else { return }
        throw UsageError(
            "a receipt with the flaw \(flaw.name) needs a file beside it, with what the verifier must trust",
            hint: "write it with --all-flaws DIR")
    }

    private func explain(_ flaw: ReceiptFlaw) {
        let verdict = VerificationFailure(code: flaw.code).verdict
        session.messages.note("\(flaw.name): \(flaw.meaning); expected: \(verdict.rawValue), \(flaw.code)")
        if let requirement = flaw.requirement { session.messages.note("hint: expected only if \(requirement)") }
    }

    private func listFlaws() throws {
        var table = TextTable()
        for flaw in ReceiptFlaw.all { table.add([flaw.name, flaw.code.rawValue, flaw.meaning]) }
        try table.write(to: session.output)
        try session.output.writeLine("\nCodes that no receipt has:")
        var others = TextTable()
        for (code, reason) in ReceiptFlaw.codesWithoutFlaw { others.add([code.rawValue, reason]) }
        try others.write(to: session.output)
    }

    private func writeSpecimens(into path: String) throws {
        let others: [Flag] = [
            .kind, .payload, .count, .flaw, .set, .type, .form, .deviceID, .notificationType, .subtype,
            .output,
        ]
        if let flag = others.first(where: arguments.isOnCommandLine) {
            throw UsageError(
                "\(flag.spelling) cannot be used with --all-flaws", hint: "--all-flaws writes one receipt of each flaw")
        }
        let request = try MintRequest(session)
        let authority = try arguments.value(of: .authority).map(self.authority(in:)) ?? TestAuthority()
        guard try certificatesAreValid(authority, at: request.now) else {
            throw UsageError(
                "the certificates are not valid at \(request.now), so the receipts would have other failures",
                hint: "choose another time with --at, or another authority with --authority")
        }
        let folder = try SpecimenFolder(path)
        let playKey = try arguments.value(of: .authority).map(self.playKey(in:)) ?? TestPlayKey()
        let appReceipts = try arguments.value(of: .authority).map(self.appReceipts(in:)) ?? AppReceiptAuthority()
        let specimens = try Specimens(request, authority, playKey, appReceipts)
        try folder.write(specimens.files)
        session.messages.note(
            "wrote \(specimens.specimens.count) receipts into \(path); \(Specimens.listName) lists the "
                + "expected results")
        session.messages.note("hint: trust root.der in tests only")
    }

    // MARK: Keys

    /// Returns the authority in a folder, or creates one there.
    private func authority(in folder: String) throws -> TestAuthority {
        do throws(FileError) {
            if !arguments.has(.force), let authority = try TestAuthority.load(from: folder) { return authority }
        } catch {
            throw UsageError(
                "the test authority cannot be used: \(error.message)",
                hint: "name another folder for a new authority; --force replaces this one and its keys"
            )
        }
        let authority = try TestAuthority()
        do throws(FileError) {
            try authority.write(to: folder, overwriting: arguments.has(.force))
        } catch {
            // Another process can have created the authority in the meantime.
            if error.code == .exists, let other = try? TestAuthority.load(from: folder) { return other }
            throw UsageError(
                "the test authority cannot be stored: \(error.message)",
                hint: "check the value of \(arguments.spelling(of: .authority))"
            )
        }
        if arguments.has(.force) {
            let others = [
                TestPlayKey.fileName, TestPlayKey.publicFileName, AppReceiptAuthority.keysFileName,
                AppReceiptAuthority.rootFileName,
            ]
            for name in others { SystemCalls.remove("\(folder)/\(name)") }
        }
        session.messages.note("created a test authority in \(folder)")
        session.messages.note(
            "hint: trust it in tests only, with --root \(folder)/root.der --only-given-roots"
        )
        return authority
    }

    /// Returns the Google Play key in the folder of an authority, or creates one there.
    private func playKey(in folder: String) throws -> TestPlayKey {
        let path = "\(folder)/\(TestPlayKey.publicFileName)"
        do {
            let key = try TestPlayKey.loadOrCreate(at: "\(folder)/\(TestPlayKey.fileName)")
            let text = [UInt8]((key.publicKey + "\n").utf8)
            if try PrivateFile.readPublic(path, maximumCount: Budget.trustFileSize) != text {
                try PrivateFile.replace(path, text)
                session.messages.note("wrote the public key of Google Play purchases to \(path)")
            }
            return key
        } catch let error as FileError {
            throw UsageError(
                "the Google Play key cannot be used: \(error.message)",
                hint: "name another folder with --authority; --force replaces the authority and its keys")
        }
    }

    /// Returns the authority of app receipts in the folder of an authority, or creates it there.
    private func appReceipts(in folder: String) throws(UsageError) -> AppReceiptAuthority {
        let root = "\(folder)/\(AppReceiptAuthority.rootFileName)"
        do throws(FileError) {
            let isNew = try !PrivateFile.exists(root)
            let authority = try AppReceiptAuthority.loadOrCreate(in: folder)
            if isNew { session.messages.note("wrote the root of app receipts to \(root)") }
            return authority
        } catch {
            throw UsageError(
                "the keys of app receipts cannot be used: \(error.message)",
                hint: "name another folder with --authority; --force replaces the authority and its keys")
        }
    }

    private func warnIfCertificatesAreInvalid(_ authority: TestAuthority, for request: MintRequest) throws {
        guard arguments.mentions(.mintedAt) else { return }
        let isValid =
            try request.kind == .appReceipt
            ? AppReceiptAuthority.isValid(at: request.now) : certificatesAreValid(authority, at: request.now)
        guard !isValid else { return }
        session.messages.warn("the certificates of the test authority are not valid at \(request.now)")
    }

    private func certificatesAreValid(_ authority: TestAuthority, at time: Timestamp) throws -> Bool {
        let receipt = UntrustedReceipt(decoding: try authority.signer.sign(payload: [UInt8]("{}".utf8)))
        return receipt?.certificates.allSatisfy { $0.certificate.notBefore <= time && time <= $0.certificate.notAfter }
            ?? false
    }

    // MARK: Payload

    /// Returns the bytes of `--payload`, which are signed unchanged.
    private func givenPayload() throws(UsageError) -> [UInt8]? {
        guard let text = arguments.value(of: .payload) else { return nil }
        let others: [Flag] = [
            .kind, .bundleID, .appAppleID, .productID, .environment, .set, .type, .form, .deviceID,
            .notificationType, .subtype, .seed,
        ]
        for flag in others where arguments.isOnCommandLine(flag) {
            throw UsageError("\(flag.spelling) cannot be used with --payload", hint: "set it in the payload")
        }
        if text == "-" { return try FileAccess.readStandardInput(session.messages) }
        if text.hasPrefix("{") || text.hasPrefix("[") { return [UInt8](text.utf8) }
        return try FileAccess.read(text, from: Flag.payload.spelling)
    }

    /// Returns the members of a given payload, which a flaw can change.
    private static func members(of payload: [UInt8]) throws(UsageError) -> JSONObject {
        if let object = (try? JSONDocument.value(of: payload))?.object { return object }
        throw UsageError("the payload is not a JSON object", hint: "--flaw needs a JSON object as the payload")
    }
}
