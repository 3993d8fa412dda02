internal import ReceiptTypes

/// Receipts whose signatures are judged together, each with a tag of its user's.
struct ReceiptRound<Tag>: ~Copyable {
    private let verifier: ReceiptVerifier
    /// Nil when the machine had no memory; then every receipt is undecided.
    private var workspace: Workspace?
    private var pending: [PendingReceipt] = []
    private var tags: [Tag] = []

    init(_ verifier: ReceiptVerifier) {
        self.verifier = verifier
        workspace = try? Workspace()
    }

    /// Whether the round has to be finished before anything is added.
    var isFull: Bool { pending.count >= SignatureBatch.capacity }

    /// Takes a JWS as far as its signature.
    mutating func begin(_ jws: RawSpan) -> PendingReceipt {
        if let pending = workspace?.begin(jws, verifier) { return pending }
        var receipt = CheckedReceipt(isTracing: false)
        receipt.examination.refuse(CryptoFault.outOfMemory)
        return PendingReceipt(receipt: receipt)
    }

    mutating func add(_ receipt: PendingReceipt, _ tag: Tag) {
        pending.append(receipt)
        tags.append(tag)
    }

    mutating func add(_ input: ReceiptInput, _ tag: Tag) {
        switch input {
        // Safe: nothing changes the bytes while they are looked at.
        case .jws(let bytes): add(begin(unsafe bytes.span.bytes), tag)
        default: add(PendingReceipt(receipt: verifier.checkOther(input)), tag)
        }
    }

    /// Judges all signatures and gives the receipts in the order in which they were added.
    mutating func finish<Failure: Error>(
        _ body: (CheckedReceipt, Tag) throws(Failure) -> Void
    ) throws(Failure) {
        defer {
            pending.removeAll(keepingCapacity: true)
            tags.removeAll(keepingCapacity: true)
            workspace?.endRound(with: verifier.keyCache)
        }
        workspace?.judge(&pending, verifier)
        for (receipt, tag) in zip(pending, tags) {
            try body(workspace?.finish(receipt, verifier) ?? receipt.receipt, tag)
        }
    }
}

extension Workspace {
    fileprivate mutating func begin(_ text: RawSpan, _ verifier: ReceiptVerifier) -> PendingReceipt {
        verifier.begin(text, &self)
    }

    fileprivate mutating func judge(_ round: inout [PendingReceipt], _ verifier: ReceiptVerifier) {
        verifier.judge(&round, &self)
    }

    fileprivate mutating func finish(_ pending: PendingReceipt, _ verifier: ReceiptVerifier) -> CheckedReceipt {
        verifier.finish(pending, &self)
    }
}
