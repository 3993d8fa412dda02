internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `roots`: lists the trusted roots, or checks certificate files.
struct RootsCommand {
    let session: Session

    func run() throws -> ExitCode {
        let anchors = try VerificationSetup.anchors(session.arguments)
        var operands = session.arguments.operands[...]
        switch operands.popFirst() ?? "list" {
        case "list":
            guard operands.isEmpty else {
                throw UsageError("roots list takes no operand", hint: "see verify-receipt roots --help")
            }
            try list(anchors)
        case "check":
            guard !operands.isEmpty else {
                throw UsageError("roots check needs a file", hint: "write verify-receipt roots check FILE")
            }
            for path in operands { try check(path, anchors) }
        case let action:
            throw UsageError("roots does not take \(Escaped(action).quoted)", hint: "it takes list or check FILE")
        }
        return .success
    }

    private func list(_ anchors: TrustAnchors) throws {
        if anchors.anchors.isEmpty { session.messages.warn("no root is trusted", hint: "add one with --root FILE") }
        for anchor in anchors.anchors {
            try write(anchor, remark: anchor.isBuiltIn ? "built in" : "from --root", members: [:])
        }
    }

    private func check(_ path: String, _ anchors: TrustAnchors) throws {
        let bytes = try FileAccess.readIfPresent(path)
        guard let bytes else { throw UsageError.noSuchInput(path) }
        var file = TrustAnchors()
        let found: [TrustAnchor]
        do throws(TrustAnchorError) {
            found = try file.add(bytes)
        } catch {
            throw UsageError(
                "\(Escaped(path)) cannot be used as a root: \(error.message)", hint: "roots check takes DER or PEM")
        }
        for anchor in found {
            let isTrusted = anchors.anchors.contains(anchor)
            try write(
                anchor, remark: isTrusted ? "trusted already" : "not trusted; use --root \(path) to trust it",
                members: ["source": .string(path), "trusted": .boolean(isTrusted)]
            )
        }
    }

    private func write(_ anchor: TrustAnchor, remark: String, members: JSONObject) throws {
        if session.writesJSON {
            var object: JSONObject = [
                "type": .string("root"), "subject": .string(anchor.subject),
                "sha256": .string(anchor.fingerprint.description),
                "notBefore": ResultObject.text(anchor.notBefore?.description),
                "notAfter": ResultObject.text(anchor.notAfter?.description), "builtIn": .boolean(anchor.isBuiltIn),
            ]
            for member in members.members { object[member.name] = member.value }
            return try session.writeLine(object, as: .root)
        }
        var lines = [
            session.style.bold("\(Escaped(anchor.subject))") + " (\(Escaped(remark)))",
            "  SHA-256  \(anchor.fingerprint)",
        ]
        if let notBefore = anchor.notBefore, let notAfter = anchor.notAfter {
            let remark = notAfter < SystemClock.now() ? " (expired)" : ""
            lines.append("  valid    \(notBefore) to \(notAfter)\(remark)")
        }
        try session.output.writeLine(lines.joined(separator: "\n"))
    }
}
