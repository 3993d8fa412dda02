internal import PurchaseCore
internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// What a local store guards with its lock.
struct StoreCore {
    var engine: LocalStoreEngine
    /// The state as it was last written; all that is left after a crash.
    var durable: LocalStoreState
    let signer: LocalStoreSigner
    let path: String?
    var faults: FaultRun
    private(set) var isDead = false

    /// One text a version: to sign a text again would make a new one of the same facts.
    private var texts: [TextKey: String] = [:]
    /// The version of each transaction that a customer has come to see, by the date of its signature.
    private var seen: [Int64: Timestamp] = [:]
    /// Beyond this, texts are signed again.
    private static let textLimit = 100_000
    private var stranger: TestSigner?

    var streams: [Int: CustomerStream] = [:]
    var lastStreamNumber = 0
    var lastCustomerNumber = 0
    var held: [OutgoingUpdate] = []
    private var ended: [CustomerStream] = []

    struct CustomerStream {
        let account: String
        let customer: Int
        let continuation: AsyncStream<StoreUpdate>.Continuation
    }

    private struct TextKey: Hashable {
        let isTransaction: Bool
        let number: Int64
        let signedDate: Timestamp
    }

    init(engine: LocalStoreEngine, signer: LocalStoreSigner, path: String?, faults: FaultPlan) {
        self.engine = engine
        durable = engine.state
        self.signer = signer
        self.path = path
        self.faults = FaultRun(faults)
    }

    // MARK: Life

    func requireAlive() throws(LocalStoreError) {
        if isDead { throw LocalStoreError(.crashed, "the process has ended") }
    }

    /// Ends the process, as far as anybody can tell.
    mutating func die(at point: FaultPoint) -> LocalStoreError {
        isDead = true
        engine = LocalStoreEngine(configuration: engine.configuration, state: durable)
        texts = [:]
        seen = [:]
        held = []
        endStreams()
        return LocalStoreError(.crashed, "the process has ended at \(point.rawValue)")
    }

    mutating func endStreams() {
        ended += streams.values
        streams = [:]
    }

    /// The streams to end as soon as nobody holds the lock: ending one calls back.
    mutating func takeEnded() -> [CustomerStream] {
        defer { ended = [] }
        return ended
    }

    private mutating func passCrashPoint(_ point: FaultPoint) throws(LocalStoreError) {
        if faults.pass(point) == .crash { throw die(at: point) }
    }

    // MARK: Steps

    /// Carries commands out on a copy, writes the outcome, and only then lets anybody know.
    mutating func step<Value>(
        by customer: Int? = nil,
        _ body: (inout LocalStoreEngine) throws(LocalStoreError) -> Value
    ) throws(LocalStoreError) -> Value {
        try requireAlive()
        var next = engine
        let value = try body(&next)
        let events = next.takeEvents()
        try passCrashPoint(.beforeSaving)
        if let path { try StateFile.write(next.state, to: path) }
        engine = next
        durable = next.state
        try passCrashPoint(.afterSaving)
        try deliver(events, by: customer)
        try releaseDelayed()
        try passCrashPoint(.beforeAnswering)
        return value
    }

    /// Notes that a version of a transaction has reached a customer.
    mutating func noteSeen(_ transaction: StoredTransaction) {
        seen[transaction.number] = max(seen[transaction.number] ?? .minimum, transaction.signedDate)
    }

    /// Whether a customer's word that a transaction is dealt with can be about its present version. Who has not been told of
    /// a refund yet has dealt with the purchase alone.
    func canFinish(_ transaction: StoredTransaction) -> Bool {
        seen[transaction.number].map { $0 >= transaction.signedDate } ?? true
    }

    // MARK: Texts

    mutating func text(of transaction: StoredTransaction) throws(LocalStoreError) -> String {
        let key = TextKey(isTransaction: true, number: transaction.number, signedDate: transaction.signedDate)
        if let text = texts[key] { return text }
        let text = try signer.sign(engine.payload(of: transaction))
        keep(text, key)
        return text
    }

    mutating func text(of subscription: StoredSubscription) throws(LocalStoreError) -> String {
        let key = TextKey(
            isTransaction: false, number: subscription.originalNumber, signedDate: subscription.signedDate)
        if let text = texts[key] { return text }
        let text = try signer.sign(engine.payload(of: subscription))
        keep(text, key)
        return text
    }

    private mutating func keep(_ text: String, _ key: TextKey) {
        if texts.count >= Self.textLimit { texts = [:] }
        texts[key] = text
    }

    mutating func text(of notification: StoreNotification) throws(LocalStoreError) -> String {
        let transactionJWS = try text(of: notification.transaction)
        var renewalInfoJWS: String?
        if let subscription = notification.subscription { renewalInfoJWS = try text(of: subscription) }
        return try signer.sign(
            engine.payload(of: notification, transactionJWS: transactionJWS, renewalInfoJWS: renewalInfoJWS))
    }

    // MARK: Handing out

    /// A transaction as a customer gets it, with whatever the plan spoils; what is spoilt is not seen.
    mutating func handOut(
        _ transaction: StoredTransaction
    ) throws(LocalStoreError) -> (signed: SignedTransaction, seen: StoredTransaction?) {
        let jws: String
        var seen: StoredTransaction?
        switch try signingFault() {
        case .signUnderUnknownRoot: jws = try signedByStranger(engine.payload(of: transaction))
        case .flipBit: jws = Self.flippingBit(of: try text(of: transaction))
        default:
            jws = try text(of: transaction)
            seen = transaction
        }
        let signed = SignedTransaction(
            jws: jws, transactionID: transaction.id, productID: transaction.productID,
            objection: engine.state.settings.simulatedErrors[.verification]
        )
        return (signed, seen)
    }

    /// A transaction as the answer to a call.
    mutating func answer(with transaction: StoredTransaction) throws(LocalStoreError) -> SignedTransaction {
        let (signed, seen) = try handOut(transaction)
        if let seen { noteSeen(seen) }
        return signed
    }

    /// Where a subscription stands, as a customer gets it.
    mutating func handOut(_ subscription: StoredSubscription) throws(LocalStoreError) -> SignedSubscriptionStatus? {
        guard let index = engine.state.index(of: subscription.latestNumber) else { return nil }
        let transaction = try handOut(engine.state.transactions[index]).signed
        let jws: String
        switch try signingFault() {
        case .signUnderUnknownRoot: jws = try signedByStranger(engine.payload(of: subscription))
        case .flipBit: jws = Self.flippingBit(of: try text(of: subscription))
        default: jws = try text(of: subscription)
        }
        return SignedSubscriptionStatus(
            transaction: transaction, renewalInfoJWS: jws,
            renewalInfoObjection: engine.state.settings.simulatedErrors[.verification]
        )
    }

    private mutating func signingFault() throws(LocalStoreError) -> FaultAction? {
        let action = faults.pass(.signing)
        if action == .crash { throw die(at: .signing) }
        return action
    }

    private mutating func signedByStranger(_ payload: some PayloadModel) throws(LocalStoreError) -> String {
        let signer: TestSigner
        if let stranger {
            signer = stranger
        } else {
            signer = try LocalStoreSigner.makeAuthority().signer
            stranger = signer
        }
        do {
            return try signer.sign(payload)
        } catch {
            throw LocalStoreError(.notSigned, error.message, underlying: error)
        }
    }

    /// The same text with one other bit in its signature.
    private static func flippingBit(of jws: String) -> String {
        guard let dot = jws.lastIndex(of: "."),
            var signature = Base64.url.decode(String(jws[jws.index(after: dot)...])), !signature.isEmpty
        else { return jws }
        signature[signature.count / 2] ^= 1
        return jws[...dot] + Base64.url.encode(signature)
    }
}
