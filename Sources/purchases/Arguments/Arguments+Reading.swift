internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

extension ToolArguments<PurchasesTool> {
    /// Checks that there are no operands.
    func requireNoOperands() throws(UsageError) { _ = try checkedOperands(atMost: 0) }

    /// Returns the only operand.
    func operand(_ noun: String) throws(UsageError) -> String {
        guard let operand = try checkedOperands(atMost: 1).first, !operand.isEmpty else {
            throw UsageError("\(command.name) needs \(noun)", hint: "see purchases \(command.name) --help")
        }
        return operand
    }

    private func checkedOperands(atMost count: Int) throws(UsageError) -> [String] {
        guard operands.count > count else { return operands }
        let unexpected = operands[count]
        guard !isCommandNamed else {
            throw UsageError(
                "unexpected argument \(Escaped(unexpected).quoted)", hint: "see purchases \(command.name) --help")
        }
        // Without a command on the command line, a misspelt command is parsed as an operand.
        let nearest = WordSearch.nearest(to: unexpected, in: Command.allCases.map(\.name))
        throw UsageError(
            "unknown command \(Escaped(unexpected).quoted)",
            hint: nearest.map { "did you mean \($0)" } ?? "see purchases --help")
    }

    // MARK: Verification

    /// Returns the verifier that the flags describe.
    func verifier(_ messages: Messages) throws(UsageError) -> ReceiptVerifier {
        let names = Flag.environment.definition.acceptedWords ?? []
        let environments = values(of: .environment).compactMap { WordSearch.match($0, in: names) }
        var policy = VerificationPolicy(
            apps: values(of: .bundleID).map { .init(bundleID: $0) },
            environments: Set(environments.map(StoreEnvironment.init(rawValue:))), isStrict: has(.strict),
            refusesRevokedPurchases: has(.refuseRevoked))
        try distrust(in: &policy)
        return ReceiptVerifier(policy: policy, trustAnchors: try anchors(), playKeys: try playKeys(messages))
    }

    private func distrust(in policy: inout VerificationPolicy) throws(UsageError) {
        for (text, flag) in spelledValues(of: .distrust) {
            try policy.distrust(text) { (path) throws(UsageError) in
                try FileAccess.read(path, from: flag)
            } failingWith: { reason in
                .cannotDistrust(text, from: flag, reason)
            }
        }
    }

    private func anchors() throws(UsageError) -> TrustAnchors {
        var anchors = has(.onlyGivenRoots) ? TrustAnchors() : TrustAnchors.apple
        for path in values(of: .root) {
            let bytes = try FileAccess.read(path, from: spelling(of: .root))
            do throws(TrustAnchorError) {
                try anchors.add(bytes)
            } catch {
                throw UsageError(
                    "\(Escaped(path)) cannot be used as a root: \(error.message)",
                    hint: "\(spelling(of: .root)) takes DER or PEM")
            }
        }
        return anchors
    }

    private func playKeys(_ messages: Messages) throws(UsageError) -> PlayKeyring {
        var keys = PlayKeyring()
        for text in values(of: .playKey) {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw UsageError(
                    "\(spelling(of: .playKey)) does not take \(Escaped(text).quoted)",
                    hint: "write PACKAGE=FILE, such as com.example.app=play-key.txt")
            }
            let bytes = try FileAccess.read(parts[1], from: spelling(of: .playKey))
            if let problem = PlayKeyring.problem(ofKey: bytes) {
                messages.warn(
                    "\(Escaped(parts[1])) cannot be used as a key: \(Escaped(problem))",
                    hint: "\(spelling(of: .playKey)) takes the app's licence key from the Play Console")
            }
            keys.add(bytes, forPackage: parts[0])
        }
        return keys
    }
}

extension Messages {
    /// Warns that receipts of any app, or of test purchases, are accepted, if one was verified.
    func warnOfMissingRequirements(in policy: VerificationPolicy, hasVerified: Bool) {
        guard hasVerified else { return }
        if policy.apps.isEmpty {
            warn(
                "no bundle ID is required, so receipts of any app are accepted", hint: "name your app with --bundle-id")
        }
        if policy.environments.isEmpty {
            warn(
                "no environment is required, so test purchases are accepted",
                hint: "accept only real purchases with --environment Production")
        }
    }
}
