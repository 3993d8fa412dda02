import PurchaseCore
import ReceiptTypes

/// The entitlements of a customer, computed from all transactions.
struct ProjectionCases {
    let rounds: Int

    private static let start: Int64 = 1_700_000_000_000
    private static let hour: Int64 = 3_600_000
    private static let sizes = [1_000, 10_000, 100_000]
    /// The seconds of processor time that the largest account may take.
    private static let budget = 0.1

    private let projection = EntitlementProjection(
        catalog: TemplatePriceCatalog(
            version: 1, proProductIDs: ["pro.monthly"], templateProductToID: ["template.a": TemplateID(rawValue: "A")]
        )
    )

    /// Measures how the time grows with the number of transactions, and compares the largest account with its budget.
    func growth() throws -> [Figure] {
        let accounts = try Self.sizes.map(Self.transactions)
        var times = accounts.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (index, account) in accounts.enumerated() { times[index].append(time(account)) }
        }
        let growth = zip(times, times.dropFirst()).map { smaller, larger in
            zip(smaller, larger).map { Ratio($1 / $0) }
        }
        return [
            Figure("projection-10000", "10000 transactions of one account against 1000", growth[0], better: .lower),
            Figure("projection-100000", "100000 against 10000", growth[1], better: .lower),
            Figure(
                "projection-budget", "100000 against a tenth of a second of processor time",
                times[2].map { Ratio($0 / Self.budget) }, better: .lower),
        ]
    }

    /// Returns the seconds of processor time for one account.
    ///
    /// The projection uses one thread and never waits, so other work on the machine makes only the elapsed time longer. The
    /// result is an average over repetitions, because small accounts take microseconds.
    private func time(_ account: [Transaction]) -> Double {
        let repetitions = max(100_000 / account.count, 1)
        let now = Timestamp(milliseconds: Self.start + Self.hour * 24 * 365 * 20) ?? .maximum
        let elapsed = Elapsed.measure {
            for _ in 0..<repetitions { _ = projection.entitlements(from: account, at: now) }
        }
        return elapsed.processorSeconds / Double(repetitions)
    }

    /// Returns consumables, refunded non-consumables and renewals, one every hour.
    private static func transactions(_ count: Int) throws -> [Transaction] {
        try (0..<count).map { number in
            let bought = Timestamp(milliseconds: start + Int64(number) * hour)
            var payload = JWSTransactionDecodedPayload()
            payload.transactionId = "\(number)"
            payload.originalTransactionId = "\(number)"
            payload.bundleId = "com.example.app"
            payload.purchaseDate = bought
            payload.originalPurchaseDate = bought
            payload.signedDate = bought
            payload.quantity = 1
            payload.inAppOwnershipType = .purchased
            payload.environment = .production
            switch number % 4 {
            case 0:
                payload.productId = "coins"
                payload.type = .consumable
            case 1:
                payload.productId = "template.a"
                payload.type = .nonConsumable
                payload.revocationDate = bought
            default:
                payload.productId = "pro.monthly"
                payload.type = .autoRenewableSubscription
                payload.originalTransactionId = "subscription"
                payload.subscriptionGroupIdentifier = "group"
                payload.webOrderLineItemId = "order-\(number)"
                payload.expiresDate = bought?.adding(.month)
            }
            guard let transaction = Transaction(payload) else { throw Failure("a transaction payload was rejected") }
            return transaction
        }
    }
}
