internal import PurchaseCore
internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// The state of a ``StoreSimulator`` that its lock protects.
struct SimulatorCore {
    var engine: SimulatorEngine
    /// The state as last saved, which is all that survives a crash.
    var durableState: SimulatorState
    let signer: SimulatorSigner
    /// The state file; nil for a simulator that keeps its state in memory.
    private var file: StateDatabase?
    var faults: FaultInjector
    private(set) var hasCrashed = false
    /// Whether the customers' devices reach the store.
    private(set) var isOnline = true

    /// The JWS of each version, signed once: ECDSA is randomized, so signing again would make another JWS.
    private var signedJWS: [JWSKey: String] = [:]
    /// The number of entries at which ``signedJWS`` is emptied.
    private static let jwsCacheLimit = 100_000
    /// The signing time of the latest version of each transaction that was delivered to a customer.
    private var deliveredDates: [Int64: Timestamp] = [:]
    private var untrustedSigner: TestSigner?
    /// A Play key that no verifier knows, for the plan's faults.
    var untrustedPlayKey: TestPlayKey?

    var streams: [Int: CustomerStream] = [:]
    var lastStreamNumber = 0
    var lastCustomerNumber = 0
    var heldUpdates: [OutgoingUpdate] = []

    struct CustomerStream {
        let account: String
        let customer: Int
        /// Whether the device buys in Google Play, and receives updates in its format.
        var isPlay = false
        /// Whether the device was launched offline, so that it has not received what is unfinished.
        var awaitsLaunch = false
        let outlet: UpdateOutlet
    }

    private struct JWSKey: Hashable {
        let isTransaction: Bool
        let number: Int64
        let signedDate: Timestamp
    }

    init(engine: SimulatorEngine, signer: SimulatorSigner, file: StateDatabase?, faults: FaultPlan) {
        self.engine = engine
        durableState = engine.state
        self.signer = signer
        self.file = file
        self.faults = FaultInjector(faults)
    }

    // MARK: Crashes

    func requireNotCrashed() throws(StoreSimulatorError) {
        if hasCrashed { throw StoreSimulatorError(.crashed, "the simulated process has crashed") }
    }

    /// Simulates a crash of the process: discards everything that was not saved, and ends all streams.
    mutating func crash(at point: FaultPoint) -> StoreSimulatorError {
        hasCrashed = true
        engine = SimulatorEngine(configuration: engine.configuration, state: durableState)
        signedJWS = [:]
        deliveredDates = [:]
        heldUpdates = []
        endStreams()
        return StoreSimulatorError(.crashed, "the fault plan crashes the process at \(point.rawValue)")
    }

    mutating func endStreams() {
        for stream in streams.values { stream.outlet.finish() }
        streams = [:]
    }

    private mutating func crashIfPlanned(at point: FaultPoint) throws(StoreSimulatorError) {
        if faults.action(at: point) == .crash { throw crash(at: point) }
    }

    // MARK: Connection

    /// Connects the customers' devices to the store, or disconnects them; connected devices receive what they have
    /// missed.
    mutating func setOnline(_ isOnline: Bool) {
        guard isOnline != self.isOnline else { return }
        self.isOnline = isOnline
        guard isOnline, !hasCrashed else { return }
        for number in streams.keys.sorted() where streams[number]?.awaitsLaunch == true {
            deliverUnfinished(to: number)
        }
        releaseOffline()
    }

    // MARK: Steps

    /// Runs commands on a copy of the engine, saves the result, and then delivers the updates.
    mutating func step<Value>(
        by customer: Int? = nil,
        _ body: (inout SimulatorEngine) throws(StoreSimulatorError) -> Value
    ) throws(StoreSimulatorError) -> Value {
        try requireNotCrashed()
        var next = engine
        let value = try body(&next)
        try commit(next, by: customer)
        return value
    }

    /// Saves what commands have made of a copy of the engine, and then delivers the updates.
    mutating func commit(_ changed: SimulatorEngine, by customer: Int? = nil) throws(StoreSimulatorError) {
        var next = changed
        let events = next.takeEvents()
        try crashIfPlanned(at: .beforeSaving)
        try file?.save(next.state, after: durableState)
        engine = next
        durableState = next.state
        try crashIfPlanned(at: .afterSaving)
        try deliver(events, by: customer)
        try deliverPlayPurchases(events, by: customer)
        try releaseDelayed()
        try crashIfPlanned(at: .beforeAnswering)
    }

    /// Records that a version of a transaction was delivered to a customer.
    mutating func recordDelivery(of transaction: StoredTransaction) {
        let latest = deliveredDates[transaction.number] ?? .minimum
        deliveredDates[transaction.number] = max(latest, transaction.signedDate)
    }

    /// Returns whether a call to finish a transaction applies to its current version.
    ///
    /// A device that has not received a refund yet has finished the purchase, and the refund stays unfinished.
    func canFinish(_ transaction: StoredTransaction) -> Bool {
        deliveredDates[transaction.number].map { $0 >= transaction.signedDate } ?? true
    }

    // MARK: Signing

    mutating func jws(of transaction: StoredTransaction) throws(StoreSimulatorError) -> String {
        let key = JWSKey(isTransaction: true, number: transaction.number, signedDate: transaction.signedDate)
        if let known = signedJWS[key] { return known }
        let signed = try signer.sign(engine.payload(of: transaction))
        cache(signed, key)
        return signed
    }

    mutating func jws(of subscription: StoredSubscription) throws(StoreSimulatorError) -> String {
        let key = JWSKey(
            isTransaction: false, number: subscription.originalNumber, signedDate: subscription.signedDate)
        if let known = signedJWS[key] { return known }
        let signed = try signer.sign(engine.payload(of: subscription))
        cache(signed, key)
        return signed
    }

    private mutating func cache(_ jws: String, _ key: JWSKey) {
        if signedJWS.count >= Self.jwsCacheLimit { signedJWS = [:] }
        signedJWS[key] = jws
    }

    mutating func jws(of notification: StoreNotification) throws(StoreSimulatorError) -> String {
        let app = engine.state.app
        var data = NotificationData()
        data.appAppleId = app.appAppleID
        data.bundleId = app.bundleID
        data.bundleVersion = app.version
        data.environment = app.environment
        data.signedTransactionInfo = try jws(of: notification.transaction)
        if let subscription = notification.subscription { data.signedRenewalInfo = try jws(of: subscription) }
        data.status = notification.subscription?.status
        data.consumptionRequestReason = notification.consumptionRequestReason
        var payload = ResponseBodyV2DecodedPayload()
        payload.notificationType = notification.type
        payload.subtype = notification.subtype
        payload.notificationUUID = notification.id
        payload.data = data
        payload.version = "2.0"
        payload.signedDate = notification.date
        return try signer.sign(payload)
    }

    // MARK: Signing with faults

    /// Signs a transaction for a customer, with the plan's faults; `version` is nil where the signature is invalid.
    mutating func signForDelivery(
        _ transaction: StoredTransaction
    ) throws(StoreSimulatorError) -> (signed: SignedTransaction, version: StoredTransaction?) {
        let transactionJWS: String
        var version: StoredTransaction?
        switch try signingFault() {
        case .signUnderUnknownRoot: transactionJWS = try signUnderUnknownRoot(engine.payload(of: transaction))
        case .flipBit: transactionJWS = Self.flippingBit(of: try jws(of: transaction))
        default:
            transactionJWS = try jws(of: transaction)
            version = transaction
        }
        let signed = SignedTransaction(
            jws: transactionJWS, transactionID: transaction.id, productID: transaction.productID,
            objection: engine.state.settings.simulatedErrors[.verification]
        )
        return (signed, version)
    }

    /// Signs a transaction for the answer to a customer's call.
    mutating func signedAnswer(with transaction: StoredTransaction) throws(StoreSimulatorError) -> SignedTransaction {
        let (signed, version) = try signForDelivery(transaction)
        if let version { recordDelivery(of: version) }
        return signed
    }

    /// Signs the status of a subscription for a customer, with the faults of the plan.
    mutating func signForDelivery(
        _ subscription: StoredSubscription
    ) throws(StoreSimulatorError) -> SignedSubscriptionStatus? {
        guard let index = engine.state.index(of: subscription.latestNumber) else { return nil }
        let transaction = try signForDelivery(engine.state.transactions[index]).signed
        let renewalInfoJWS: String
        switch try signingFault() {
        case .signUnderUnknownRoot: renewalInfoJWS = try signUnderUnknownRoot(engine.payload(of: subscription))
        case .flipBit: renewalInfoJWS = Self.flippingBit(of: try jws(of: subscription))
        default: renewalInfoJWS = try jws(of: subscription)
        }
        return SignedSubscriptionStatus(
            transaction: transaction, renewalInfoJWS: renewalInfoJWS,
            renewalInfoObjection: engine.state.settings.simulatedErrors[.verification]
        )
    }

    mutating func signingFault() throws(StoreSimulatorError) -> FaultAction? {
        let action = faults.action(at: .signing)
        if action == .crash { throw crash(at: .signing) }
        return action
    }

    private mutating func signUnderUnknownRoot(_ payload: some PayloadModel) throws(StoreSimulatorError) -> String {
        let signer: TestSigner
        if let untrustedSigner {
            signer = untrustedSigner
        } else {
            signer = try SimulatorSigner.makeAuthority().signer
            untrustedSigner = signer
        }
        do {
            return try signer.sign(payload)
        } catch {
            throw StoreSimulatorError(.notSigned, error.message, underlying: error)
        }
    }

    /// Returns the JWS with one bit of its signature inverted.
    private static func flippingBit(of jws: String) -> String {
        guard let dot = jws.lastIndex(of: "."),
            var signature = Base64.url.decode(String(jws[jws.index(after: dot)...])), !signature.isEmpty
        else { return jws }
        signature[signature.count / 2] ^= 1
        return jws[...dot] + Base64.url.encode(signature)
    }
}
