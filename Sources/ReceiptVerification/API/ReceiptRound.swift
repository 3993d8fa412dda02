/// Receipts whose signatures are verified together, each with a tag that the caller chooses.
struct ReceiptRound<Tag>: ~Copyable {
    private let verifier: ReceiptVerifier
    /// Nil when there was no memory for a workspace; then every receipt is undecided.
    private var session: VerificationSession?
    private var pending: [PendingReceipt] = []
    private var tags: [Tag] = []

    init(_ verifier: ReceiptVerifier) {
        self.verifier = verifier
        session = try? VerificationSession(verifier.rules, Workspace())
    }

    /// Whether the round has to be finished before another receipt is added.
    var isFull: Bool { pending.count >= SignatureBatch.capacity }

    /// Runs the checks before the signature of a JWS, without adding the JWS to the round.
    mutating func begin(_ jws: RawSpan) -> PendingReceipt {
        session?.begin(jws) ?? Self.undecided
    }

    mutating func add(_ receipt: PendingReceipt, _ tag: Tag) {
        pending.append(receipt)
        tags.append(tag)
    }

    mutating func add(_ input: ReceiptInput, _ tag: Tag) {
        add(session?.begin(input, verifier) ?? Self.undecided, tag)
    }

    /// Verifies all signatures and passes the receipts to `body` in the order in which they were added.
    mutating func finish<Failure: Error>(
        _ body: (CheckedReceipt, Tag) throws(Failure) -> Void
    ) throws(Failure) {
        defer {
            pending.removeAll(keepingCapacity: true)
            tags.removeAll(keepingCapacity: true)
            session?.endRound()
        }
        session?.verifySignatures(of: &pending)
        for (receipt, tag) in zip(pending, tags) {
            try body(session?.finish(receipt, verifier) ?? receipt.receipt, tag)
        }
    }

    private static var undecided: PendingReceipt {
        PendingReceipt(receipt: CheckedReceipt(isTracing: false, undecidedBy: .outOfMemory))
    }
}

// Optional chaining can change the session in place only through the session's own methods.
extension VerificationSession {
    fileprivate mutating func begin(_ jws: RawSpan) -> PendingReceipt {
        AppStoreJWS.begin(jws, &self)
    }

    fileprivate mutating func begin(_ input: ReceiptInput, _ verifier: ReceiptVerifier) -> PendingReceipt {
        verifier.begin(input, &self)
    }

    fileprivate mutating func finish(_ pending: PendingReceipt, _ verifier: ReceiptVerifier) -> CheckedReceipt {
        verifier.finish(pending, &self)
    }
}
