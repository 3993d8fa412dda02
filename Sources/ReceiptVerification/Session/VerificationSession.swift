internal import ReceiptTypes

/// The rules by which a verifier accepts receipts, and the keys that it has validated.
struct VerificationRules: Sendable {
    var claimsPolicy: ClaimsPolicy
    var validityPolicy: ValidityPolicy
    let chainPolicy: ChainPolicy
    let keyCache: VerificationKeyCache
    /// The identity of the trusted roots; nil if there was no memory to compute it, and then every JWS is undecided.
    let anchorSet: SHA256Digest?

    init(
        policy: VerificationPolicy,
        trustAnchors: TrustAnchors,
        keyCache: VerificationKeyCache,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        claimsPolicy = ClaimsPolicy(policy: policy)
        validityPolicy = ValidityPolicy(policy: policy, clock: clock)
        chainPolicy = ChainPolicy(trustAnchors: trustAnchors)
        self.keyCache = keyCache
        anchorSet = try? trustAnchors.identity()
    }

    var policy: VerificationPolicy {
        get { claimsPolicy.policy }
        set {
            claimsPolicy = ClaimsPolicy(policy: newValue)
            validityPolicy = ValidityPolicy(policy: newValue, clock: validityPolicy.clock)
        }
    }

    var clock: @Sendable () -> Timestamp {
        get { validityPolicy.clock }
        set { validityPolicy = ValidityPolicy(policy: policy, clock: newValue) }
    }

    /// The largest receipt that is read, in bytes.
    var maximumSize: Int { claimsPolicy.policy.maximumSize }
}

/// The state in which one thread verifies one or many receipts: the rules, and the memory for the work.
///
/// The functions of each receipt format work on a session. Signatures of the App Store are verified many at a time, in
/// rounds: receipts begin, their signatures are verified together, and then each receipt is finished.
struct VerificationSession: ~Copyable {
    let rules: VerificationRules
    var workspace: Workspace

    init(_ rules: VerificationRules, _ workspace: consuming Workspace) {
        self.rules = rules
        self.workspace = workspace
    }

    /// Verifies the signatures of all receipts that have begun since the last call.
    mutating func verifySignatures(of round: inout [PendingReceipt]) {
        workspace.signatures.verify()
        for index in round.indices {
            guard let number = round[index].signature?.number else { continue }
            round[index].signature?.verdict = workspace.signatures.verdict(number)
        }
        workspace.signatures.removeAll()
    }

    /// Reports to the key cache and drops the payloads; the signers stay for the next round.
    mutating func endRound() {
        workspace.signers.report(to: rules.keyCache)
        workspace.payloads.truncate(to: 0)
    }

    /// Ends the last round and returns the workspace without its signers: the next session may have other rules.
    consuming func end() -> Workspace {
        endRound()
        workspace.signers.removeAll()
        return workspace
    }
}
