import LocalStore
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import Testing

@Suite("A customer's view of a store simulator", .timeLimit(.minutes(15)))
struct CustomerTests {
    private func ids(_ transactions: [SignedTransaction]) -> [String] { transactions.map(\.transactionID) }

    /// Returns the transactions of the next updates.
    private func next(
        _ count: Int, of iterator: inout AsyncStream<StoreUpdate>.AsyncIterator
    ) async -> [SignedTransaction] {
        var transactions: [SignedTransaction] = []
        while transactions.count < count, let update = await iterator.next(isolation: #isolation) {
            if case .transaction(let transaction) = update { transactions.append(transaction) }
        }
        return transactions
    }

    @Test("products have localized names, prices and terms, and unknown identifiers are left out")
    func products() async throws {
        let store = try SampleStore.simulator()
        let products = try await store.customer("anna").products(for: ["pro.basic", "nothing", "coins"])
        #expect(products.map(\.id) == ["pro.basic", "coins"])
        let basic = try #require(products.first)
        #expect(basic.displayName == "Name of pro.basic")
        #expect(basic.displayPrice == "$4.99")
        #expect(basic.currency == "USD")
        #expect(basic.subscription?.level == 2)
        #expect(basic.subscription?.introductoryOffer?.paymentMode == .freeTrial)
        #expect(basic.subscription?.promotionalOffers.map(\.id) == ["half"])
    }

    @Test(
        "storefront and locale decide prices and names",
        arguments: [
            ("DEU", "de_DE", "EUR", "€4.99", "pro.basic auf Deutsch"),
            ("GBR", "en_GB", "GBP", "£4.99", "Name of pro.basic"), ("JPN", "ja", "JPY", "¥4.99", "Name of pro.basic"),
            ("CHE", "de-CH", "CHF", "CHF\u{a0}4.99", "pro.basic auf Deutsch"),
            ("XXX", "", "USD", "$4.99", "Name of pro.basic"),
        ])
    func storefronts(
        _ country: String, _ locale: String, _ currency: String, _ price: String, _ name: String
    ) async throws {
        let store = try SampleStore.simulator {
            $0.storefront = country
            $0.locale = locale
        }
        let product = try #require(try await store.customer("anna").products(for: ["pro.basic"]).first)
        #expect(product.currency == currency)
        #expect(product.displayPrice == price)
        #expect(product.displayName == name)
    }

    @Test("a stream of updates ends while the store works, without waiting for it")
    func endOfStream() async throws {
        let store = try SampleStore.simulator()
        var updates: AsyncStream<StoreUpdate>? = store.customer("anna").updates()
        #expect(updates != nil)
        // The function runs under the lock of the store, for which a handler of the end must not wait.
        try store.perform { _ in updates = nil }
        let others = store.customer("anna").updates()
        _ = try await store.customer("anna").purchase("coins", options: PurchaseOptions())
        var iterator = others.makeAsyncIterator()
        #expect(await next(1, of: &iterator).map(\.productID) == ["coins"])
    }

    @Test("a purchase is an answer on its own device and an update on the customer's other devices")
    func devices() async throws {
        let store = try SampleStore.simulator(accounts: ["anna", "berta"])
        let phone = store.customer("anna")
        let tablet = store.customer("anna")
        var onPhone = phone.updates().makeAsyncIterator()
        var onTablet = tablet.updates().makeAsyncIterator()
        var elsewhere = store.customer("berta").updates().makeAsyncIterator()
        let answer = try await phone.purchase("coins", options: PurchaseOptions(quantity: 2))
        guard case .success(let coins) = answer else {
            Issue.record("the purchase was not completed: \(answer)")
            return
        }
        #expect(await ids(next(1, of: &onTablet)) == [coins.transactionID])
        try store.perform { try $0.refund(coins.transactionID) }
        let refund = try #require(await next(1, of: &onPhone).first)
        #expect(refund.transactionID == coins.transactionID)
        #expect(refund.signedText != coins.signedText)
        #expect(await next(1, of: &onTablet) == [refund])
        _ = try await store.customer("berta").purchase("template.a", options: PurchaseOptions())
        #expect(await next(1, of: &elsewhere).map(\.productID) == ["template.a"])
    }

    @Test("an approved purchase is delivered as an update, and a declined one is not")
    func approvals() async throws {
        let store = try SampleStore.simulator { $0.isAskToBuyEnabled = true }
        let customer = store.customer("anna")
        var updates = customer.updates().makeAsyncIterator()
        for product in ["coins", "template.a"] {
            #expect(try await customer.purchase(product, options: PurchaseOptions()) == .pending)
        }
        try store.perform { engine in
            try engine.decline(engine.state.pending[0].id)
            _ = try engine.approve(engine.state.pending[0].id)
        }
        #expect(await next(1, of: &updates).map(\.productID) == ["template.a"])
        #expect(try await customer.unfinishedTransactions().map(\.productID) == ["template.a"])
    }

    @Test("unfinished transactions are delivered once at each launch, and finished ones are not")
    func redelivers() async throws {
        let store = try SampleStore.simulator()
        let coins = try store.perform { try $0.purchase("coins") }
        let lifetime = try store.perform { try $0.purchase("pro.lifetime") }
        for _ in 0..<2 {
            let launch = store.customer("anna")
            var updates = launch.updates().makeAsyncIterator()
            #expect(await ids(next(2, of: &updates)) == [coins.id, lifetime.id])
            var second = launch.updates().makeAsyncIterator()
            let later = try store.perform { try $0.purchase("pro.season") }
            #expect(await ids(next(1, of: &second)) == [later.id], "only the first stream of a launch begins with them")
            try await launch.finish(transactionID: later.id)
        }
        let launch = store.customer("anna")
        try await launch.finish(transactionID: coins.id)
        try await launch.finish(transactionID: coins.id)
        try await launch.finish(transactionID: "nothing")
        #expect(try await ids(launch.unfinishedTransactions()) == [lifetime.id])
        try await store.customer("berta").finish(transactionID: lifetime.id)
        #expect(try await ids(launch.unfinishedTransactions()) == [lifetime.id])
        #expect(try await ids(launch.history()).contains(coins.id) == false)
    }

    @Test("a year of renewals is delivered one by one, followed by the subscription status")
    func renewals() async throws {
        let store = try SampleStore.simulator()
        var updates = store.customer("anna").updates().makeAsyncIterator()
        try store.perform { engine in
            _ = try engine.purchase("pro.other")
            try engine.advance(days: 364)
        }
        let verifier = try SampleStore.verifier()
        var dates: [Timestamp] = []
        for transaction in await next(12, of: &updates) {
            let payload = try #require(verifier.verifyTransaction(transaction.signedText).verifiedPayload)
            dates.append(try #require(payload.purchaseDate))
        }
        #expect(dates == dates.sorted())
        #expect(Set(dates).count == 12)
        let answer = await updates.next(isolation: #isolation)
        guard case .subscriptionStatus(let status) = answer else {
            Issue.record("no subscription status was delivered: \(String(describing: answer))")
            return
        }
        #expect(verifier.verifyRenewalInfo(status.renewalInfoJWS).verifiedPayload?.autoRenewStatus == .on)
    }

    @Test("concurrent purchases of many customers are all completed exactly once")
    func concurrentPurchases() async throws {
        let names = (0..<20).map { "customer \($0)" }
        let store = try SampleStore.simulator(accounts: names)
        let listeners = names.map { store.customer($0).updates() }
        await withTaskGroup(of: Void.self) { group in
            for name in names {
                for _ in 0..<5 {
                    group.addTask {
                        let customer = store.customer(name)
                        _ = try? await customer.purchase("coins", options: PurchaseOptions())
                        _ = try? await customer.purchase("pro.lifetime", options: PurchaseOptions())
                        for transaction in (try? await customer.unfinishedTransactions()) ?? [] {
                            try? await customer.finish(transactionID: transaction.transactionID)
                        }
                        try? store.perform { try $0.advance(byMilliseconds: 1) }
                    }
                }
            }
        }
        #expect(store.state.transactions.count == 20 * 6)
        #expect(Set(store.state.transactions.map(\.id)).count == 120)
        #expect(store.state.now.millisecondsSince1970 == SampleStore.start.millisecondsSince1970 + 100)
        for name in names { #expect(store.engine.entitledProductIDs(name) == ["pro.lifetime"]) }
        for listener in listeners {
            var iterator = listener.makeAsyncIterator()
            #expect(await next(6, of: &iterator).count >= 6)
        }
    }

    @Test("streams end with their simulator, and a cancelled stream keeps nothing")
    func streamsEnd() async throws {
        var store: StoreSimulator? = try SampleStore.simulator()
        var updates = try #require(store).customer("anna").updates().makeAsyncIterator()
        _ = try #require(store).perform { try? $0.purchase("coins") }
        store = nil
        #expect(await next(5, of: &updates).count == 1)

        let kept = try SampleStore.simulator()
        let customer = kept.customer("anna")
        let reader = Task { for await _ in customer.updates() {} }
        reader.cancel()
        await reader.value
        _ = try kept.perform { try $0.purchase("coins") }
        #expect(try await customer.unfinishedTransactions().count == 1)
    }

    @Test("errors of the simulator reach the app as store errors")
    func errors() async throws {
        let store = try SampleStore.simulator()
        func code(
            _ product: String, _ account: String = "anna", quantity: Int = 1, offer: RequestedOffer? = nil
        ) async -> StoreError.Code? {
            do {
                let options = PurchaseOptions(quantity: quantity)
                _ = try await store.customer(account).purchase(product, options: options, offer: offer)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(await code("nothing") == .productUnavailable)
        #expect(await code("coins", "missing") == .purchaseNotAllowed)
        #expect(await code("coins", quantity: 0) == .invalidQuantity)
        #expect(await code("pro.basic", offer: .winBack(id: "back")) == .ineligibleForOffer)
        #expect(await code("pro.basic", offer: .winBack(id: "none")) == .ineligibleForOffer)
        #expect(await code("pro.basic", offer: .code(name: "WELCOME")) == nil)
    }

    @Test("simulated errors make their own call fail and no other")
    func simulatedErrors() async throws {
        let store = try SampleStore.simulator()
        let customer = store.customer("anna")
        let answer = try await customer.purchase("pro.other", options: PurchaseOptions())
        guard case .success(let bought) = answer else {
            Issue.record("the purchase was not completed: \(answer)")
            return
        }
        let calls: [(StoreSettings.SimulatedCall, @Sendable () async throws -> Void)] = [
            (.loadProducts, { _ = try await customer.products(for: ["coins"]) }),
            (.purchase, { _ = try await customer.purchase("coins", options: PurchaseOptions()) }),
            (.appStoreSync, { try await customer.synchronize() }),
            (.subscriptionStatus, { _ = try await customer.subscriptionStatuses() }),
            (.appTransaction, { _ = try await customer.appTransaction() }),
            (.refundRequestSheet, { try await customer.requestRefund(bought.transactionID) }),
            (
                .manageSubscriptionsSheet,
                {
                    try await customer.setRenewal(false, of: bought.transactionID)
                    try await customer.setRenewal(true, of: bought.transactionID)
                }
            ),
        ]
        let names = [
            ("Network Error", StoreError.Code.network), ("notEntitled", .system), ("userCancelled", .userCancelled),
            ("Purchase Not Allowed", .purchaseNotAllowed), ("notAvailableInStorefront", .productUnavailable),
            ("other", .unknown), ("generic 2", .network), ("generic 99", .unknown), ("purchase 0", .invalidQuantity),
        ]
        for (call, body) in calls {
            for (name, code) in names {
                try store.perform { $0.updateSettings { $0.simulatedErrors = [call: name] } }
                for (other, body) in calls where other != call { try await body(); _ = other }
                let error = await #expect(throws: StoreError.self) { try await body() }
                #expect(error?.code == code)
            }
        }
    }

    @Test("a customer can manage only own purchases, and redeeming a code has its own simulated error")
    func sheets() async throws {
        let store = try SampleStore.simulator(accounts: ["anna", "berta"])
        let bought = try store.perform { try $0.purchase("pro.other", for: "berta") }
        let anna = store.customer("anna")
        await #expect(throws: StoreError.self) { try await anna.setRenewal(false, of: bought.id) }
        await #expect(throws: StoreError.self) { try await anna.requestRefund(bought.id) }
        try await store.customer("berta").setRenewal(false, of: bought.id)
        #expect(store.state.subscriptions.first?.willAutoRenew == false)
        let app = try SampleStore.verifier().verifyAppTransaction(try await anna.appTransaction())
        #expect(app.verifiedPayload?.bundleId == SampleStore.bundleID)
        try store.perform { $0.updateSettings { $0.simulatedErrors = [.offerCodeRedeemSheet: "network"] } }
        await #expect(throws: StoreError(.network, "")) {
            try await anna.purchase("pro.basic", options: PurchaseOptions(), offer: .code(name: "WELCOME"))
        }
        _ = try await anna.purchase("pro.basic", options: PurchaseOptions())
        try store.perform { $0.reset() }
        #expect(store.state.settings == SampleStore.configuration.settings)
        #expect(store.state.transactions.isEmpty)
    }

    @Test("with a simulated verification error, a purchase is neither granted nor finished")
    func unverified() async throws {
        let store = try SampleStore.simulator { $0.simulatedErrors = [.verification: "invalid signature"] }
        let app = try TestDevice().launch(store)
        let answer = await app.service.purchase(productID: "coins")
        guard case .failed(let error as PurchaseFlowError) = answer, error.code == .unverified else {
            Issue.record("an unverified transaction was accepted: \(answer)")
            return
        }
        #expect(store.engine.unfinishedTransactions(of: "anna").count == 1)
        #expect(try await app.customer.currentEntitlements().isEmpty)
    }
}
