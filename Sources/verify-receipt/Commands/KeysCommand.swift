internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `keys`: lists, clears or exports the key cache.
struct KeysCommand {
    let session: Session

    func run() throws -> ExitCode {
        let action = session.arguments.operands.first ?? "list"
        guard session.arguments.operands.count <= 1, Command.keys.definition.actions.contains(action) else {
            throw UsageError("keys does not take \(Escaped(action).quoted)", hint: "it takes list, clear or export")
        }
        guard let path = session.arguments.value(of: .keyCache) else {
            throw UsageError("keys needs a key cache", hint: "name it with --key-cache FILE")
        }
        guard SystemCalls.exists(path) else {
            throw UsageError(
                "no such file: \(path)",
                hint: "check the value of \(session.arguments.spelling(of: .keyCache))")
        }
        let file = try KeyCacheFile(session.arguments, messages: session.messages)
        switch action {
        case "clear":
            guard file.isReplaceable else {
                throw UsageError(
                    file.warning?.code == .foreign
                        ? "\(Escaped(path)) is not a key cache" : "\(Escaped(path)) cannot be cleared",
                    hint: "check the value of \(session.arguments.spelling(of: .keyCache))")
            }
            let count = file.cache.keys.count
            file.cache.removeAll()
            try file.save()
            session.messages.note("removed \(Self.count(count))")
        case "export":
            try export(file.cache.keys)
        default:
            try list(file.cache.keys, in: path)
        }
        return file.warning == nil || action == "clear" ? .success : .unusable
    }

    private func list(_ keys: [VerificationKey], in path: String) throws {
        guard !session.writesJSON else { return try writeJSON(keys) }
        try session.output.writeLine("\(Self.count(keys.count)) in \(path)")
        for key in keys {
            let lines = [
                "",
                session.style.bold("\(Escaped(key.leafSubject))") + (key.isLocalTesting ? " (local testing)" : ""),
                "  serial  \(Escaped(key.leafSerial))",
                "  valid   \(key.validity.lowerBound) to \(key.validity.upperBound)",
                "  chain   SHA-256 \(key.chain)",
                "  root    SHA-256 \(key.anchor)",
            ]
            try session.output.writeLine(Escaped(joining: lines, by: "\n"))
        }
    }

    private func export(_ keys: [VerificationKey]) throws {
        guard !session.writesJSON else { return try writeJSON(keys) }
        for key in keys {
            // Parsers ignore text before a PEM block (RFC 7468 section 2).
            try session.output.write("# \(key.leafSubject), serial \(key.leafSerial)\n")
            let pem = key.pemRepresentation
            try session.output.write(ofData: pem.hasSuffix("\n") ? pem : pem + "\n")
        }
    }

    private func writeJSON(_ keys: [VerificationKey]) throws {
        for key in keys {
            let object: JSONObject = [
                "type": .string("key"), "subject": .string(key.leafSubject), "serialNumber": .string(key.leafSerial),
                "notBefore": .string(key.validity.lowerBound.description),
                "notAfter": .string(key.validity.upperBound.description),
                "chain": .string(key.chain.description), "anchor": .string(key.anchor.description),
                "localTesting": .boolean(key.isLocalTesting), "publicKey": .string(key.pemRepresentation),
            ]
            try session.writeLine(object, as: .key)
        }
    }

    private static func count(_ number: Int) -> String { number == 1 ? "1 key" : "\(number) keys" }
}
