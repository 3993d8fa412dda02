internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes

/// `buy`: buys a product for a customer.
struct BuyCommand {
    let session: Session

    func run() async throws {
        let product = try session.arguments.requiredOperand(
            "a product", hint: "list the products with local-store products"
        )
        let order = PurchaseOrder(
            quantity: try session.arguments.positiveNumber(of: .quantity) ?? 1, appAccountToken: try token(),
            offer: try session.arguments.requestedOffer(), billingPlan: session.arguments.requestedBillingPlan()
        )
        let isPlay = session.arguments.has(.play)
        if isPlay, order.offer != nil || order.billingPlan != nil {
            throw UsageError(
                "--play cannot be used with an offer or a billing plan",
                hint: "leave one of them out; an introductory offer applies automatically"
            )
        }
        let need = StateNeed.purchases(of: session.arguments.value(of: .account))
        let opened = try OpenedStore(session, for: isPlay ? .writing : .changing(need))
        guard opened.store.configuration.product(product) != nil else {
            let nearest = WordSearch.nearest(to: product, in: opened.store.configuration.products.map(\.id))
            throw UsageError(
                "unknown product \(Escaped(product).quoted)",
                hint: nearest.map { "did you mean \(Escaped($0))" } ?? "list the products with local-store products"
            )
        }
        let customer = try opened.customer()
        if isPlay { return try await buyInGooglePlay(product, for: customer, order, opened) }
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

    /// Buys in Google Play, and prints the signed purchase; a pending one is signed too, with its state.
    private func buyInGooglePlay(
        _ product: String, for account: String, _ order: PurchaseOrder, _ opened: OpenedStore
    ) async throws {
        let customer = opened.store.playCustomer(account)
        let options = PurchaseOptions(appAccountToken: order.appAccountToken, quantity: order.quantity)
        let sales = opened.state.transactions.count
        let purchase: SignedTransaction?
        switch try await customer.purchase(product, options: options) {
        case .success(let transaction):
            purchase = transaction
            if opened.state.transactions.count == sales {
                let isOwned = transaction.productID.isIdentical(to: product)
                session.messages.note(
                    isOwned
                        ? "\(product) is owned already; this is the earlier purchase"
                        : "changes to \(product) with the next renewal; this is the present purchase")
            }
        case .pending:
            purchase = try await customer.unfinishedTransactions().last { $0.productID.isIdentical(to: product) }
        case .userCancelled: purchase = nil
        }
        guard let purchase, case .play(let signed) = purchase.content else { return }
        let receipt = ExportedReceipt(
            kind: .playPurchase, account: account, productID: purchase.productID, id: purchase.transactionID,
            content: .play(data: signed.data, signature: signed.signature))
        try session.writeLine(receipt.object, as: .receipt)
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
