@testable import PurchaseCore
@testable import ReceiptTypes

/// What steps and invariants ask about the rows of a ledger, read once for each.
struct LedgerFacts {
    /// The facts about one purchase.
    struct Purchase {
        /// The stage of the sold version, under any of its signatures; nil if it is not verified.
        var soldStage: DeliveryStage?
        /// The stage of the refunded version.
        var refundedStage: DeliveryStage?
        /// What was handed over.
        var handedOver = World.Amount.nothing
        /// The claim; nil if there is none.
        var claim: FulfilmentClaim?
        /// Whether the claim is in force.
        var isClaimed = false
        /// What is wrong with the rows, whatever is outside of them.
        var fault: String?

        /// Whether a version is recorded.
        var isRecorded: Bool { max(soldStage ?? .observed, refundedStage ?? .observed) >= .recorded }

        func stage(of version: Sample.Version) -> DeliveryStage? { version == .refunded ? refundedStage : soldStage }
    }

    private(set) var coins: Purchase
    private(set) var full: Purchase

    subscript(item: Item) -> Purchase { item == .coins ? coins : full }

    init(_ rows: ValueRows) {
        coins = Purchase(.coins, rows)
        full = Purchase(.full, rows)
    }
}

extension LedgerFacts.Purchase {
    fileprivate init(_ item: Item, _ rows: ValueRows) {
        claim = rows.claim(of: item.key)
        isClaimed = claim?.isInForce(at: Service.now) ?? false
        switch rows.fulfilment(of: item.key) {
        case nil: handedOver = .nothing
        case .revoked?: handedOver = .revoked
        case .granted?: handedOver = .granted
        }
        for row in rows.deliveries() where row.transactionID == item.transactionID {
            let sample = Sample.all.first { rows.digest(of: $0.signedText) == row.text }
            guard let sample, row.verified != nil || row.stage == .observed else {
                fault = "a delivery counts that was not verified"
                continue
            }
            if row.account != nil, row.account != Sample.buyer { fault = "a purchase belongs to another account" }
            guard row.verified != nil else { continue }
            if sample.version == .refunded {
                refundedStage = max(refundedStage ?? .observed, row.stage)
            } else {
                soldStage = max(soldStage ?? .observed, row.stage)
            }
        }
        if handedOver != .nothing, !isRecorded { fault = "a purchase is handed over that is not recorded" }
    }
}

/// What steps ask about a service, read once for each.
struct ServiceFacts {
    /// What can happen to an effect in flight.
    enum Effect {
        /// Its result arrives, or it is a timer that fires.
        case arrival
        /// The timer before a claim is renewed. It does nothing: the claim of a running order stays in force anyway.
        case renewal
        /// The deadline of a running order passes.
        case deadline
        /// A transaction over the ledger is made; its claim, if it makes one, is of the purchase.
        case ledger(request: UInt32, item: Item, isRead: Bool, isAbandoned: Bool)
        /// The app's server carries an order out.
        case order(item: Item, amount: World.Amount, isBuyers: Bool)
        /// The store finishes a version of a purchase.
        case finish(Sample, isAbandoned: Bool)
    }

    let isRunning: Bool
    let user: AppUser
    private(set) var effects: [Effect] = []
    /// The purchases with a delivery in flight.
    private(set) var ingested: Set<Item> = []
    /// The versions that the service is at work on, with one bit for each of a purchase.
    private var versions: [UInt8]
    /// The purchases with an order that is not carried out.
    private(set) var ordered: Set<Item> = []
    /// The number of the claim under which the running order of a purchase was given.
    private(set) var orderClaims: [Item: Int] = [:]
    /// The numbers of the claims that the service knows of each purchase, as bits.
    private(set) var claimNumbers: [UInt64] = []

    init(_ service: Service, _ requests: inout PartTable<LedgerRequest>) {
        isRunning = service.machine != nil
        user = service.user
        claimNumbers = Item.allCases.map { service.claimNumbers(of: $0) }
        versions = Item.allCases.map { item in
            service.versions(of: item).reduce(0) { $0 | 1 << ($1 == .refunded ? 1 : 0) }
        }
        for flight in service.flights {
            if case .ingest(let sample, _, isOwned: _, for: _) = flight.work { ingested.insert(sample.item) }
            let isAbandoned = flight.stage == .abandoned
            if case .ended = flight.stage {
                effects.append(.arrival)
            } else if let request = flight.request, let item = flight.item {
                let isRead = if case .step(.read) = request { true } else { false }
                effects.append(
                    .ledger(
                        request: requests.number(of: request), item: item, isRead: isRead, isAbandoned: isAbandoned))
            } else if case .effect(_, .fulfil(let order)) = flight.work, let item = flight.item {
                ordered.insert(item)
                orderClaims[item] = service.machine?.purchases[item.key]?.order?.claim.number
                let amount: World.Amount = order.fulfilment == .granted ? .granted : .revoked
                effects.append(.order(item: item, amount: amount, isBuyers: order.account == Sample.buyer))
            } else if let sample = flight.finished {
                effects.append(.finish(sample, isAbandoned: isAbandoned))
            } else {
                effects.append(Self.timer(flight, service))
            }
        }
    }

    private static func timer(_ flight: Flight, _ service: Service) -> Effect {
        guard let item = flight.item, let handOver = service.machine?.purchases[item.key], handOver.order != nil
        else { return .arrival }
        if handOver.order?.renewal == flight.id { return .renewal }
        if case .ordering? = handOver.attempt?.step, handOver.attempt?.step.effect == flight.id { return .deadline }
        return .arrival
    }

    /// Whether the service is at work on a version or on one with the same facts.
    func knows(_ sample: Sample) -> Bool {
        ingested.contains(sample.item) || versions[sample.item.rawValue] & (sample.version == .refunded ? 2 : 1) != 0
    }
}
