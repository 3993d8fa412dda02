internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `roots`: lists or exports the trusted roots, or checks certificate files.
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
        case "export":
            guard operands.isEmpty else {
                throw UsageError("roots export takes no operand", hint: "see verify-receipt roots --help")
            }
            try export(anchors)
        case "check":
            guard !operands.isEmpty else {
                throw UsageError("roots check needs a file", hint: "write verify-receipt roots check FILE")
            }
            for path in operands { try check(path, anchors) }
        case let action:
            throw UsageError(
                "roots does not take \(Escaped(action).quoted)", hint: "it takes list, export or check FILE")
        }
        return session.output.code
    }

    private func list(_ anchors: TrustAnchors) throws {
        if anchors.anchors.isEmpty { session.messages.warn("no root is trusted", hint: "add one with --root FILE") }
        for anchor in anchors.anchors {
            try write(anchor, remark: remark(on: anchor), members: [:])
        }
    }

    /// Prints the certificates of the roots as PEM.
    private func export(_ anchors: TrustAnchors) throws {
        for anchor in anchors.anchors {
            guard let pem = anchor.pemRepresentation else {
                session.messages.warn(
                    "\(anchor.subject) is not exported: only its fingerprint is built in",
                    hint: "explain --evidence DIR writes the certificate that a receipt has")
                continue
            }
            // Parsers ignore text before a PEM block (RFC 7468 section 2).
            try session.output.write("# \(anchor.subject), SHA-256 \(anchor.fingerprint)\n\(pem)")
        }
    }

    private func remark(on anchor: TrustAnchor) -> String {
        guard !anchor.isBuiltIn else {
            return anchor.isForAppReceiptsOnly ? "built in, for app receipts" : "built in"
        }
        let origin = "from \(session.arguments.spelling(of: session.arguments.mentions(.config) ? .config : .root))"
        guard anchor.role.canBeRoot else { return "\(origin), but \(anchor.role.words), not a root" }
        guard let environments = anchor.environments else { return origin }
        return "\(origin), for \(environments.map(\.rawValue).sorted().joined(separator: ", "))"
    }

    /// Prints what a file contains, and records whether each certificate in it is a root.
    private func check(_ path: String, _ anchors: TrustAnchors) throws {
        let bytes = try FileAccess.readIfPresent(path)
        guard let bytes else { throw UsageError.noSuchInput(path) }
        var file = TrustAnchors()
        let found: [TrustAnchor]
        do throws(TrustAnchorError) {
            found = try file.add(bytes)
        } catch {
            throw UsageError(
                "\(path) cannot be used as a root: \(error.message)", hint: "roots check takes DER or PEM")
        }
        if !found.allSatisfy(\.role.canBeRoot) { session.output.record(.negative) }
        for anchor in found {
            let isTrusted = anchors.anchors.contains(anchor)
            let remark =
                switch anchor.role {
                case .root, .local: isTrusted ? "trusted already" : "not trusted; use --root \(path) to trust it"
                case .intermediate, .leaf: "\(anchor.role.words), not a root"
                }
            try write(
                anchor, remark: remark,
                members: [
                    "source": .string(path.shownPath), "trusted": .boolean(isTrusted),
                    "role": .string(anchor.role.rawValue),
                ]
            )
            if anchor.role == .local, !session.writesJSON {
                try session.output.writeLine(
                    "  issues   nothing: verifies only receipts of Xcode that it has signed itself"
                )
            }
        }
    }

    private func write(_ anchor: TrustAnchor, remark: String, members: JSONObject) throws {
        if session.writesJSON {
            var object: JSONObject = [
                "type": .string("root"), "subject": .string(anchor.subject),
                "sha256": .string(anchor.fingerprint.description),
                "notBefore": .string(anchor.notBefore.description),
                "notAfter": .string(anchor.notAfter.description), "builtIn": .boolean(anchor.isBuiltIn),
                "environments": anchor.environments
                    .map { .array($0.map(\.rawValue).sorted().map(JSONValue.string)) } ?? .null,
            ]
            for member in members.members { object[member.name] = member.value }
            return try session.writeLine(object, as: .root)
        }
        let expired = anchor.notAfter < SystemClock.now() ? " (expired)" : ""
        let lines = [
            session.style.bold("\(Escaped(anchor.subject))") + " (\(Escaped(remark)))",
            "  SHA-256  \(anchor.fingerprint)",
            "  valid    \(anchor.notBefore) to \(anchor.notAfter)\(expired)",
        ]
        try session.output.writeLine(Escaped(joining: lines, by: "\n"))
    }
}
