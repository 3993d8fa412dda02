import LocalStore
import Paywall
import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import Testing
import TimerSupport

/// The history over the simulator and a real database.
@Suite("Purchase history", .timeLimit(.minutes(15)))
@MainActor
struct PurchaseHistoryTests {
    private let files = DatabaseFolder()

    private func launch(_ simulator: StoreSimulator? = nil, customer: String = "parent") throws -> ShopApp {
        try ShopApp(try simulator ?? ShopApp.simulator(), try files.open(), customer: customer)
    }

    @Test("[OTP-7.1] an account without purchases is empty, which is neither loading nor an error")
    func empty() async throws {
        let app = try launch()
        #expect(app.history.state == .loading)
        let following = Task { await app.history.follow() }
        defer { following.cancel() }
        let state = try await app.state(of: app.history) { $0 != .loading }
        #expect(state == .empty("There are no purchases yet."))
    }

    @Test("[OTP-7.1] a purchase appears while the history is shown, and a refund moves it to the refunded ones")
    func refund() async throws {
        let app = try launch()
        await app.start()
        let following = Task { await app.history.follow() }
        defer { following.cancel() }
        _ = try await app.state(of: app.history) { if case .empty = $0 { true } else { false } }
        #expect(await app.flow.purchaseProduct("export").outcome == .success)
        let active = try await app.item("export", in: .active)
        #expect(active.name == "Export" && active.kind == "One-time purchase" && active.price == "$4.99")
        #expect(active.standing == .inForce(until: nil) && active.state == "Active")
        #expect(!active.offersPurchase && !active.offersSupport && !active.isFamilyShared)

        try app.simulator.perform { try $0.refund(active.id.transactionID, reason: .issue) }
        // The record has the date, which the entitlements do not.
        let history = try await app.history {
            $0.items(in: .refunded).contains { $0.standing != .refunded(on: nil) && $0.offersPurchase }
        }
        #expect(history.sections.map(\.id) == [.refunded] && history.sections.map(\.title) == ["Refunded"])
        let refunded = try #require(history.items(in: .refunded).first)
        #expect(refunded.id == active.id && refunded.state == "Refunded on November 1, 2026")

        let detail = try #require(try await app.history.detail(of: active.id))
        #expect(
            detail.value(.refunded) == "November 1, 2026" && detail.value(.refundReason) == "A problem with the app")
        app.flow.stop()
    }

    @Test("[OTP-7.1] a family-shared purchase has a section of its own, and is no longer shared when sharing stops")
    func family() async throws {
        let simulator = try ShopApp.simulator()
        try simulator.perform { _ = try $0.buy("suite", for: "parent") }
        let app = try launch(simulator, customer: "child")
        await app.start()
        let following = Task { await app.history.follow() }
        defer { following.cancel() }
        // The first answer can be older than the name from the store.
        _ = try await app.history { $0.items(in: .family).map(\.name) == ["Suite"] }
        let item = try await app.item("suite", in: .family)
        #expect(item.isFamilyShared && item.price == nil && item.state == "Active")
        let detail = try #require(try await app.history.detail(of: item.id))
        #expect(detail.value(.ownership) == "Shared by your family" && detail.value(.price) == nil)

        let bought = try #require(simulator.state.transactions.first { $0.account == "parent" })
        try simulator.perform { try $0.stopSharing(bought.id) }
        let ended = try await app.item("suite", in: .inactive)
        #expect(ended.state == "No longer shared with you" && ended.isFamilyShared)
        app.flow.stop()
    }

    @Test("a product that is no longer sold keeps its last known name, and is not offered again")
    func notSold() async throws {
        let first = try launch()
        _ = await first.repository.loadProductMetadata(["export"])
        let id = try #require(await first.flow.purchaseProduct("export").purchase?.id)
        await first.start()
        try first.simulator.perform { try $0.refund(id.transactionID) }
        for try await purchase in first.records.purchaseUpdates(of: id) where purchase?.isRevoked == true { break }
        first.flow.stop()
        let rest = first.simulator.engine.configuration.products.filter { $0.id != "export" }
        let simulator = StoreSimulator(
            configuration: StoreConfiguration(products: rest), signer: first.simulator.signer,
            state: first.simulator.state)
        let app = try launch(simulator)
        await app.start()
        let following = Task { await app.history.follow() }
        defer { following.cancel() }
        let item = try await app.item("export", in: .refunded)
        #expect(item.name == "Export" && item.price == "$4.99" && !item.offersPurchase)
        // The store has answered about another product by now, and the row stays as it is.
        _ = await app.flow.purchaseProduct("suite")
        #expect(try await app.item("suite", in: .active).name == "Suite")
        let later = try await app.item("export", in: .refunded)
        #expect(later.name == "Export" && !later.offersPurchase)
        app.flow.stop()
    }

    @Test("names that the store could not give are asked for again as soon as it can be reached")
    func namesAfterOffline() async throws {
        let app = try launch()
        await app.start()
        #expect(await app.flow.purchaseProduct("export").outcome == .success)
        let shop = ListedProducts([.sample("export", .nonConsumable)])
        await shop.fail(StoreError(.network, "offline"))
        let entitlements = FixedEntitlements(app.entitlements.entitlements, freshness: .remembered)
        let history = PurchaseHistoryViewModel(
            records: app.records, entitlements: entitlements,
            products: PurchaseRepository(service: shop, environment: PurchaseEnvironment(timer: StoppedTimer())),
            texts: ShopApp.texts, timer: StoppedTimer())
        let following = Task { await history.follow() }
        defer { following.cancel() }
        func names(_ state: PurchaseHistoryViewModel.State) -> [String] {
            if case .loaded(let history) = state { history.items(in: .active).map(\.name) } else { [] }
        }
        _ = try await app.state(of: history) { names($0) == ["export"] }
        await shop.fail(nil)
        entitlements.freshness = .current
        _ = try await app.state(of: history) { names($0) == ["Name of export"] }
        app.flow.stop()
    }

    @Test("a subscription says what is left of its trial, when it renews, and that it has ended")
    func subscription() async throws {
        let app = try launch()
        await app.start()
        let following = Task { await app.history.follow() }
        defer { following.cancel() }
        _ = await app.flow.purchaseProduct("monthly")
        let trial = "7 days left in the free trial. On November 8, 2026 it renews for $9.99 per month."
        _ = try await app.history { $0.items(in: .active).map(\.state) == [trial] }

        try app.simulator.perform { try $0.advance(byMilliseconds: 8 * 86_400_000) }
        let renewed = try await app.history {
            $0.items(in: .active).map(\.state) == ["Renews on December 8, 2026"]
                && $0.items(in: .inactive).map(\.state) == ["Earlier period"]
        }
        #expect(renewed.items(in: .active).map(\.price) == ["$9.99"])
        #expect(renewed.items(in: .inactive).map(\.price) == ["$0.00"])

        let id = try #require(renewed.items(in: .active).first).id
        try app.simulator.perform { try $0.cancelRenewal(id.transactionID) }
        _ = try await app.history { $0.items(in: .active).map(\.state) == ["Active until December 8, 2026"] }
        let detail = try #require(try await app.history.detail(of: id))
        #expect(detail.value(.periodEnds) == "December 8, 2026")
        #expect(detail.value(.originalTransaction) != nil, "the first transaction of the chain is another one")

        try app.simulator.perform { try $0.advance(byMilliseconds: 31 * 86_400_000) }
        await app.entitlements.refresh()
        let ended = try await app.history { $0.items(in: .active).isEmpty }
        #expect(ended.items(in: .inactive).first?.state == "Ended on December 8, 2026")
        #expect(ended.items(in: .inactive).first?.offersPurchase == true)
        app.flow.stop()
    }

    @Test("[OTP-7.2] the details of a purchase have what a customer and support need")
    func detail() async throws {
        let app = try launch()
        await app.start()
        let id = try #require(await app.flow.purchaseProduct("coins", options: .init(quantity: 3)).purchase?.id)
        let following = Task { await app.history.follow() }
        defer { following.cancel() }
        _ = try await app.item("coins", in: .inactive)
        let detail = try #require(try await app.history.detail(of: id))
        #expect(
            detail.fields.map(\.id) == [
                .product, .kind, .state, .purchased, .price, .quantity, .ownership, .verification, .transaction, .store,
            ])
        #expect(detail.value(.state) == "Purchased" && detail.value(.quantity) == "3")
        #expect(detail.value(.purchased) == "November 1, 2026" && detail.value(.verification) == "Verified")
        #expect(detail.value(.transaction) == id.transactionID && detail.reference == id.transactionID)
        #expect(detail.value(.store)?.hasPrefix("App Store") == true && detail.contactSupport == nil)
        #expect(try await app.history.detail(of: .init(transactionID: "0", origin: .appStore, environment: nil)) == nil)
        app.flow.stop()
    }

    @Test("a purchase whose signature is not valid offers support with the log, and no purchase")
    func support() async throws {
        let app = try launch()
        await app.start()
        let id = try #require(await app.flow.purchaseProduct("monthly").purchase?.id)
        app.flow.stop()
        let following = Task { await app.history.follow() }
        defer { following.cancel() }
        _ = try await app.item("monthly", in: .active)
        try await app.records.updateVerificationStatus(of: id, .unverified(.signatureInvalid))
        let item = try await app.item("monthly", in: .inactive)
        #expect(item.offersSupport && !item.offersPurchase && item.standing == .unverified(.signatureInvalid))
        let detail = try #require(try await app.history.detail(of: id))
        #expect(detail.contactSupport == "Contact support" && detail.value(.verification) == "Not valid")
        #expect(detail.value(.periodEnds) == nil, "content that is not verified is not shown")

        let log = String(decoding: try #require(try await app.history.supportLog(for: id)), as: UTF8.self)
        #expect(log.contains(#""format":"purchase-log""#) && log.contains(#""verification":"signature-invalid""#))
        #expect(log.contains(#""product":"monthly""#) && log.contains(#""transaction":"\#(id.transactionID)""#))
        #expect(
            try await app.history.supportLog(for: .init(transactionID: "0", origin: .appStore, environment: nil)) == nil
        )
    }

    @Test("records that cannot be read are an error with a retry, which shows the purchases")
    func failure() async throws {
        let app = try launch()
        _ = await app.flow.purchaseProduct("export")
        app.ledger.setReading(.fails)
        let following = Task { await app.history.follow() }
        defer { following.cancel() }
        let state = try await app.state(of: app.history) { $0 != .loading }
        guard case .failed(let error) = state else {
            Issue.record("\(state)")
            return
        }
        #expect(error.isRetryable && error.flowCode == .databaseError)
        app.ledger.setReading(.works)
        app.history.retry()
        #expect(app.history.state == .loading)
        #expect(try await app.item("export", in: .active).name == "Export")
        app.history.retry()
        #expect(app.history.state != .loading, "there is nothing to retry")
    }

    @Test("records that do not answer are an error after the deadline, so loading cannot stay")
    func silent() async throws {
        let app = try launch()
        app.ledger.setReading(.isSilent)
        let following = Task { await app.history.follow() }
        defer { following.cancel() }
        // The entitlements have the same deadline, which can begin first.
        let deadlines = Task { while !Task.isCancelled { await app.screenTimer.end(30_000) } }
        let state = try await app.state(of: app.history) { $0 != .loading }
        deadlines.cancel()
        await deadlines.value
        guard case .failed(let error) = state else {
            Issue.record("\(state)")
            return
        }
        #expect((error.underlying as? DatabaseError)?.code == .busy)
        app.ledger.setReading(.works)
        app.history.retry()
        _ = try await app.state(of: app.history) { if case .empty = $0 { true } else { false } }
    }

    @Test("offline the history shows the recorded purchases with their cached names")
    func offline() async throws {
        let first = try launch()
        _ = await first.flow.purchaseProduct("export")
        first.simulator.isOnline = false
        let app = try launch(first.simulator)
        let following = Task { await app.history.follow() }
        defer { following.cancel() }
        let item = try await app.item("export", in: .active)
        #expect(item.name == "Export" && item.price == "$4.99" && item.state == "Active")
    }

    @Test("an observable screen follows the model until its task is cancelled")
    func observable() async throws {
        let app = try launch()
        let screen = ObservableScreen(app.history)
        #expect(screen.state == .loading && screen.model === app.history)
        let tasks = [Task { await app.history.follow() }, Task { await screen.follow() }]
        _ = try await app.state(of: app.history) { $0 != .loading }
        while screen.state == .loading, !Task.isCancelled { await Task.yield() }
        #expect(screen.state == .empty("There are no purchases yet."))
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
