internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `buy`: buys a product for a customer.
struct BuyCommand {
    let session: Session

    func run() throws {
        let product = try session.arguments.requiredOperand(
            "a product", hint: "list the products with local-store products"
        )
        let order = PurchaseOrder(
            quantity: try session.arguments.positiveNumber(of: .quantity) ?? 1, appAccountToken: try token(),
            offer: try session.arguments.requestedOffer(), billingPlan: session.arguments.requestedBillingPlan()
        )
        let opened = try OpenedStore(session, for: .buying)
        guard opened.store.configuration.product(product) != nil else {
            let nearest = WordSearch.nearest(to: product, in: opened.store.configuration.products.map(\.id))
            throw UsageError(
                "unknown product \(Escaped(product).quoted)",
                hint: nearest.map { "did you mean \(Escaped($0))" } ?? "list the products with local-store products"
            )
        }
        let customer = try opened.customer()
        let isCode = if case .code = order.offer { true } else { false }
        try opened.store.requireNoSimulatedError(in: isCode ? .offerCodeRedeemSheet : .purchase)
        let answer = try opened.perform { engine in
            try engine.buy(product, for: customer, order)
        }.value
        let report = StoreReport(session: session)
        try report.write(answer)
        // The answer holds the transaction of the current period; the subscription shows the product of the next one.
        guard case .planChanged(let transaction) = answer else { return }
        try report.write([opened.state.subscription(transaction.id)].compactMap { $0 })
    }

    private func token() throws(UsageError) -> UUIDText? {
        guard let text = session.arguments.value(of: .token) else { return nil }
        let token = UUIDText(text)
        guard token.isUUID else {
            throw UsageError(
                "invalid value \(Escaped(text).quoted) for --token",
                hint: "give a UUID such as 7e3fb20b-4cdb-47cc-936d-99d65f608138"
            )
        }
        return token
    }
}
