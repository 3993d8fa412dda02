import Foundation
import PurchaseCore
import ReceiptTypes

/// A random purchase history of one customer over a year.
struct RandomHistory {
    let seed: UInt64
    /// All versions of all purchases in the order of their signing dates; some dates are equal.
    private(set) var payloads: [JWSTransactionDecodedPayload] = []
    private(set) var renewals: [JWSRenewalInfoDecodedPayload] = []
    private(set) var now = Sample.at(0)

    private var generator: SplitMix64
    private var instant: Int64 = 0
    private var lastID = 0

    /// Returns the seeds to test; the environment sets their number in `PURCHASE_HISTORIES` and the first in
    /// `PURCHASE_SEED`.
    ///
    /// - Parameter share: The divisor of the number, for a test that takes longer for each history.
    static func seeds(share: UInt64 = 1) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["PURCHASE_SEED"].flatMap(UInt64.init) ?? 1
        let number = environment["PURCHASE_HISTORIES"].flatMap(UInt64.init) ?? 2_500
        return (0..<max(1, number / share)).map { first + $0 }
    }

    /// The environment that reproduces a failure.
    var replay: String { "PURCHASE_SEED=\(seed) PURCHASE_HISTORIES=1" }

    init(seed: UInt64) {
        self.seed = seed
        generator = SplitMix64(seed: seed)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1: addConsumable()
            case 2: addOneTime()
            case 3: addNonRenewing()
            default: addSubscription()
            }
        }
        // Between a year before the history and two years after its start.
        now = Sample.at(day: Int.random(in: -365...730, using: &generator))
    }

    private mutating func later() -> Timestamp {
        if !generator.once(in: 12) { instant += Int64.random(in: 1...(10 * Sample.day), using: &generator) }
        return Sample.at(instant)
    }

    private mutating func nextID() -> String {
        lastID += 1
        return "t\(lastID)"
    }

    /// Adds a purchase, and at random its refund, the reversal of the refund, and versions without a change.
    private mutating func add(_ payload: JWSTransactionDecodedPayload) {
        var payload = payload
        payloads.append(payload)
        while generator.once(in: 3) {
            payload.signedDate = later()
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1: payload.revocationDate = payload.signedDate
            case 2: payload.revocationDate = nil
            default: break
            }
            payloads.append(payload)
        }
    }

    private mutating func addConsumable() {
        let quantity = Int32.random(in: 1...4, using: &generator)
        let product = generator.once(in: 2) ? "coins" : "gems"
        add(Sample.payload(nextID(), product, bought: later()) { $0.quantity = quantity })
    }

    private mutating func addOneTime() {
        let product = ["template.a", "template.b", "pro.lifetime", "not.in.catalog"].randomElement(using: &generator)
        let isShared = generator.once(in: 3)
        add(
            Sample.payload(nextID(), product ?? "template.a", bought: later()) {
                if isShared { $0.inAppOwnershipType = .familyShared }
            })
    }

    private mutating func addNonRenewing() {
        add(Sample.payload(nextID(), "pro.season", bought: later()))
    }

    private mutating func addSubscription() {
        let original = nextID()
        var product = generator.once(in: 2) ? "pro.monthly" : "pro.yearly"
        var id = original
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let bought = later()
            let payload = Sample.payload(id, product, bought: bought, original: original)
            let isUpgraded = generator.once(in: 5)
            add(payload)
            if generator.once(in: 6) {
                // The same billing event under another transaction id.
                var again = payload
                again.transactionId = nextID()
                again.signedDate = later()
                payloads.append(again)
            }
            if isUpgraded {
                var upgraded = payload
                upgraded.isUpgraded = true
                upgraded.signedDate = later()
                payloads.append(upgraded)
                product = "pro.yearly"
            }
            id = nextID()
        }
        while generator.once(in: 2) {
            let signed = later()
            let end =
                generator.once(in: 2) ? Timestamp(milliseconds: signed.millisecondsSince1970 + 16 * Sample.day) : nil
            renewals.append(
                Sample.renewal(
                    original, signed: signed, renews: !generator.once(in: 3), retry: generator.once(in: 2), grace: end))
        }
    }
}

extension SplitMix64 {
    /// Returns true once in `count` calls on average.
    mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
