internal import PurchaseCore
internal import ReceiptTypes

/// A call of a random history.
enum Operation: Sendable {
    case observe(Delivery, DeliverySource, minute: Int64)
    case verify(Delivery)
    case quarantine(Delivery, VerificationFailure.Code)
    case record(Delivery, UUIDText?)
    case claim(PurchaseKey, minute: Int64)
    /// Releases one of the claims of the history, counted from the first.
    case release(Int)
    /// Grants under one of the claims of the purchase, counted from the first, or under a new one.
    case grant(Delivery, FulfilledAmount, Int)
    /// Renews one of the claims of the history, counted from the first.
    case renew(Int, minute: Int64)
    case finish(Delivery)
    case compact
    case renewal(RenewalSample)
    case memory(productID: String, UUIDText?)
    case forgetMemory
    case reopen

    /// Whether the operation needs a method that has a default implementation.
    var isOptional: Bool {
        switch self {
        case .claim, .release, .renew, .compact: true
        default: false
        }
    }

    /// The operation as a person would write it.
    var description: String {
        switch self {
        case .observe(let delivery, let source, let minute):
            "observe \(delivery.name) from \(source.rawValue) at minute \(minute)"
        case .verify(let delivery): "markVerified \(delivery.name)"
        case .quarantine(let delivery, let code): "quarantine \(delivery.name) because \(code.rawValue)"
        case .record(let delivery, let account): "record \(delivery.name) for \(account.rendering)"
        case .claim(let key, let minute): "claimFulfilment of \(key.rendering) from minute \(minute) to \(minute + 2)"
        case .release(let number): "release claim \(number + 1)"
        case .grant(let delivery, let fulfilment, let number):
            "markGranted \(delivery.name) \(fulfilment.rendering) under claim \(number) of the purchase, or a new one"
        case .renew(let number, let minute): "renew claim \(number + 1) from minute \(minute) to \(minute + 2)"
        case .finish(let delivery): "markFinished \(delivery.name)"
        case .compact: "compact"
        case .renewal(let sample): "record the renewal info \(sample.text.rendering)"
        case .memory(let productID, let account):
            "add the pending purchase \(productID.rendering) of \(account.rendering) to the memory"
        case .forgetMemory: "remove the first pending purchase from the memory"
        case .reopen: "close the journal and open it again"
        }
    }
}

extension Delivery {
    /// The facts that distinguish the samples of a random history.
    fileprivate var name: String {
        let store =
            switch signed.content {
            case .jws: "App Store"
            case .play: "Play"
            case .appReceipt: "app receipt"
            }
        return "(\(store) \(key.rendering), id \(transaction.id.rendering), \(transaction.productID.rendering)"
            + "\(transaction.isRevoked ? ", revoked" : ""), signed \(transaction.signedDate.rendering), text "
            + "\(String(signed.signedText.suffix(12)).rendering))"
    }
}

/// The deliveries, keys and accounts that the operations of a random history are chosen from.
struct OperationSource {
    private let deliveries: [Delivery]
    private let keys: [PurchaseKey]
    private let canReopen: Bool
    private let includesOptional: Bool
    private var generator: SplitMix64

    init(seed: UInt64, canReopen: Bool, includesOptional: Bool) throws {
        generator = SplitMix64(seed: seed)
        self.canReopen = canReopen
        self.includesOptional = includesOptional
        var samples: [(SampleStore, PurchaseSample)] = []
        for store in SampleStore.allCases {
            samples += [
                (store, PurchaseSample(id: "1", signed: 0, objection: "objection")),
                (store, PurchaseSample(id: "1", signed: 0, copy: 1)),
                (store, PurchaseSample(id: "1", signed: 2)),
                (store, PurchaseSample(id: "1", signed: 4)),
                (store, PurchaseSample(id: "1", isRefunded: true, signed: 1)),
                (store, PurchaseSample(id: "1", isRefunded: true, signed: 3)),
                (store, PurchaseSample(id: "1", productID: "gems", signed: 2)),
                (store, PurchaseSample(id: "caf\u{e9}")), (store, PurchaseSample(id: "cafe\u{301}")),
            ]
        }
        for signed: Int64 in [0, 2] {
            samples += ["1", "s"].map { id in
                (.appStore, PurchaseSample(id: id, originalID: "s", billingEvent: "event", signed: signed))
            }
        }
        samples.append((.appStore, PurchaseSample(id: "1", originalID: "0", signed: 2)))
        deliveries = try samples.map { try $0.delivery($1) }
        keys = Array(Set(deliveries.map(\.key))).sorted { $0.rendering < $1.rendering }
    }

    /// The keys of all purchases of the history.
    var allKeys: [PurchaseKey] { keys }

    private mutating func element<Value>(_ values: [Value], or other: Value) -> Value {
        values.randomElement(using: &generator) ?? other
    }

    /// Returns the next operation; the deliveries of a history come from a part of all, so that they meet.
    mutating func next(_ focus: [Delivery]) -> Operation? {
        guard let delivery = focus.randomElement(using: &generator) else { return nil }
        let account = element([Account.anna, Account.anna, Account.bert, nil], or: nil)
        let minute = Int64.random(in: -3...9, using: &generator)
        while true {
            let operation: Operation? =
                switch Int.random(in: 0..<41, using: &generator) {
                case 0..<7: .observe(delivery, element(DeliverySource.allCases, or: .update), minute: minute)
                case 7..<15: .verify(delivery)
                case 15..<17: .quarantine(delivery, element([.signatureInvalid, .storeObjection], or: .storeObjection))
                case 17..<23: .record(delivery, account)
                case 23..<27:
                    .grant(
                        delivery, element([.one, .granted(productID: "coins", quantity: 2), .revoked], or: .one),
                        Int.random(in: 0..<4, using: &generator))
                case 27..<29: .finish(delivery)
                case 29..<32: .claim(delivery.key, minute: minute)
                case 32: .release(Int.random(in: 0..<4, using: &generator))
                case 33: .compact
                case 40: .renew(Int.random(in: 0..<4, using: &generator), minute: minute)
                case 34..<36:
                    .renewal(
                        RenewalSample(originalID: element(["1", "2"], or: "1"), signed: minute, copy: Int(minute & 1)))
                case 36: .memory(productID: element(["coins", "gems"], or: "coins"), account)
                case 37: .forgetMemory
                default: canReopen ? .reopen : nil
                }
            if let operation, includesOptional || !operation.isOptional { return operation }
        }
    }

    /// Returns a history of a length.
    mutating func operations(_ count: Int) -> [Operation] {
        let focus = deliveries.shuffled(using: &generator).prefix(Int.random(in: 3...10, using: &generator))
        var operations: [Operation] = []
        while operations.count < count, let operation = next(Array(focus)) { operations.append(operation) }
        return operations
    }
}
