internal import ReceiptTypes

/// Receipts whose signatures are verified together, each with a tag that the caller chooses.
struct ReceiptRound<Tag>: ~Copyable {
    private let verifier: ReceiptVerifier
    /// Nil when there was no memory for a workspace; then every receipt is undecided.
    private var session: VerificationSession?
    private var pending: [PendingReceipt] = []
    private var tags: [Tag] = []
    /// The bytes of the payloads of app receipts, which are verified and read as they are added.
    private var payloadSize = 0
    private let readsRefusedClaims: Bool

    /// - Parameter readsRefusedClaims: Whether the claims of receipts that are not verified are read too.
    init(_ verifier: ReceiptVerifier, readsRefusedClaims: Bool = false) {
        self.verifier = verifier
        self.readsRefusedClaims = readsRefusedClaims
        session = try? VerificationSession(verifier.rules, Workspace())
    }

    /// Whether the round has to be finished before another receipt is added.
    var isFull: Bool { pending.count >= SignatureBatch.capacity || payloadSize >= Self.payloadLimit }

    /// More bytes than those of the payloads of a full round of small app receipts.
    private static var payloadLimit: Int { 4_194_304 }

    /// Runs the checks before the signature of a JWS, without adding the JWS to the round.
    mutating func begin(_ jws: RawSpan) -> PendingReceipt {
        session?.begin(jws) ?? Self.undecided
    }

    mutating func add(_ receipt: PendingReceipt, _ tag: Tag) {
        payloadSize += receipt.receipt.appReceipt?.size ?? 0
        pending.append(receipt)
        tags.append(tag)
    }

    mutating func add(_ input: ReceiptInput, _ tag: Tag) {
        add(session?.begin(input, verifier) ?? Self.undecided, tag)
    }

    /// Verifies all signatures and passes the receipts to `body` in the order in which they were added.
    ///
    /// - Parameter body: Receives a receipt and, if it is not verified and its payload can be read, the claims that
    ///   nothing has verified.
    mutating func finish<Failure: Error>(
        _ body: (CheckedReceipt, _ refused: ReceiptClaims?, Tag) throws(Failure) -> Void
    ) throws(Failure) {
        defer {
            pending.removeAll(keepingCapacity: true)
            tags.removeAll(keepingCapacity: true)
            payloadSize = 0
            session?.endRound()
        }
        session?.verifySignatures(of: &pending)
        for (pending, tag) in zip(pending, tags) {
            let receipt = session?.finish(pending, verifier) ?? pending.receipt
            let isRead = readsRefusedClaims && !receipt.isVerified
            try body(receipt, isRead ? session?.refusedClaims(of: receipt, pending.payload) : nil, tag)
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

    /// Returns the claims of a receipt that is not verified; nil if its payload cannot be read.
    ///
    /// - Parameter payload: The place of the payload in the workspace.
    fileprivate func refusedClaims(of receipt: CheckedReceipt, _ payload: Range<Int>?) -> ReceiptClaims? {
        if let claims = receipt.claims { return claims }
        guard let payload,
            let document = try? JSONDocument(
                parsing: workspace.payloads.bytes(payload), maximumDepth: Budget.payloadDepth),
            document.root.isObject
        else { return nil }
        // A Google Play purchase has none of the claims that tell the App Store's kinds apart.
        return ReceiptClaims(document.root, kind: ReceiptKind(detecting: document.root) ?? .playPurchase)
    }
}
