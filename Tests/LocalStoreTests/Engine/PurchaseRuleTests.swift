import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Purchases and refunds of the engine")
struct PurchaseRuleTests {
    @Test("what cannot be bought is refused, and nothing changes")
    func refuses() throws {
        var engine = Shop.engine()
        let before = engine.state
        func attempt(_ product: String, _ account: String, _ quantity: Int) -> LocalStoreError.Code? {
            code { _ = try engine.buy(product, for: account, PurchaseOrder(quantity: quantity)) }
        }
        #expect(attempt("nothing", "anna", 1) == .unknownProduct)
        #expect(attempt("coins", "nobody", 1) == .unknownAccount)
        for quantity in [Int.min, -1, 0, 11, .max] { #expect(attempt("coins", "anna", quantity) == .invalidQuantity) }
        for product in ["pro.lifetime", "pro.other"] { #expect(attempt(product, "anna", 2) == .invalidQuantity) }
        for id in ["", "1", "+7", "007", "9223372036854775808", "x"] {
            #expect(code { try engine.refund(id) } == .unknownTransaction)
            #expect(code { try engine.renew(id) } == .unknownSubscription)
            #expect(code { _ = try engine.approve(id) } == .unknownPurchase)
            engine.finish(id)
        }
        #expect(engine.state == before)
        #expect(engine.takeEvents().isEmpty)
    }

    @Test("what is owned for ever is not sold twice, after a refund it is")
    func owns() throws {
        var engine = Shop.engine()
        let first = try engine.bought("pro.lifetime")
        guard case .owned(first) = try engine.buy("pro.lifetime", for: "anna") else {
            Issue.record("sold twice")
            return
        }
        try engine.refund(first.id, reason: .issue)
        let second = try engine.bought("pro.lifetime")
        #expect(second.id != first.id)
        #expect(engine.entitled() == ["pro.lifetime"])
    }

    @Test("a finished consumable is in no list, an unfinished and a refunded one is")
    func consumables() throws {
        var engine = Shop.engine()
        let coins = try engine.bought("coins")
        #expect(engine.history(of: "anna").map(\.id) == [coins.id])
        #expect(engine.unfinishedTransactions(of: "anna").map(\.id) == [coins.id])
        #expect(engine.entitled() == [])
        engine.finish(coins.id)
        #expect(engine.history(of: "anna").isEmpty)
        #expect(engine.unfinishedTransactions(of: "anna").isEmpty)
        try engine.requestRefund(coins.id, reason: .unintendedPurchase)
        #expect(engine.told.last == "CONSUMPTION_REQUEST")
        #expect(engine.state.notifications.last?.consumptionRequestReason == .unintendedPurchase)
        try engine.declineRefund(coins.id)
        #expect(engine.told.last == "REFUND_DECLINED")
        try engine.refund(coins.id)
        #expect(engine.told.last == "REFUND")
        #expect(engine.history(of: "anna").map(\.id) == [coins.id])
        #expect(engine.unfinishedTransactions(of: "anna").map(\.id) == [coins.id])
        #expect(code { try engine.refund(coins.id) } == .invalidAction)
        #expect(code { try engine.requestRefund(coins.id) } == .invalidAction)
    }

    @Test("a non-renewing subscription is entitled for ever, by its latest transaction, finished or not")
    func nonRenewing() throws {
        var engine = Shop.engine()
        let first = try engine.bought("pro.season")
        engine.finish(first.id)
        try engine.pass(days: 400)
        #expect(engine.entitled() == ["pro.season"])
        let second = try engine.bought("pro.season")
        #expect(engine.currentEntitlements(of: "anna").map(\.id) == [second.id])
        try engine.refund(second.id)
        #expect(engine.currentEntitlements(of: "anna").map(\.id) == [first.id])
    }

    @Test("a refund is the same transaction signed later, and its reversal a later version again")
    func refunds() throws {
        var engine = Shop.engine()
        let bought = try engine.bought("pro.other")
        try engine.refund(bought.id, reason: .issue)
        let refunded = try #require(engine.state.transaction(bought.id))
        #expect(refunded.id == bought.id)
        #expect(refunded.signedDate > bought.signedDate)
        #expect(refunded.revocation?.date == engine.state.now)
        #expect(refunded.revocation?.reason == .issue)
        #expect(try engine.subscription().standing == .revoked)
        #expect(try !engine.subscription().willAutoRenew)
        #expect(engine.entitled() == [])
        try engine.reverseRefund(bought.id)
        let reversed = try #require(engine.state.transaction(bought.id))
        #expect(!reversed.isRevoked)
        #expect(reversed.signedDate > refunded.signedDate)
        #expect(engine.entitled() == ["pro.other"])
        #expect(engine.told.suffix(2) == ["REFUND", "REFUND_REVERSED"])
        #expect(code { try engine.reverseRefund(bought.id) } == .invalidAction)
        try engine.pass(days: 31)
        #expect(engine.entitled() == [], "renewal stays off")
    }

    @Test("the refund of an earlier period takes nothing from the present one")
    func refundsEarlier() throws {
        var engine = Shop.engine()
        let first = try engine.bought("pro.other")
        try engine.pass(days: 31)
        try engine.refund(first.id)
        #expect(engine.entitled() == ["pro.other"])
        #expect(try engine.subscription().willAutoRenew)
    }

    @Test("a transaction can be removed as if it had never been")
    func deletes() throws {
        var engine = Shop.engine()
        let first = try engine.bought("pro.other")
        try engine.pass(days: 31)
        let second = try engine.latest()
        try engine.delete(second.id)
        #expect(try engine.latest().id == first.id)
        #expect(engine.entitled() == [])
        try engine.pass(days: 1)
        try engine.delete(first.id)
        #expect(engine.state.subscriptions.isEmpty)
        #expect(code { try engine.delete(first.id) } == .unknownTransaction)
        _ = try engine.bought("coins")
        engine.clear()
        #expect(engine.state.transactions.isEmpty)
        #expect(engine.state.accounts.count == 1)
        #expect(engine.isEligibleForIntroductoryOffer("anna", group: "group"))
    }

    @Test("the first transaction of a subscription can be removed, and the subscription is still found")
    func deletesFirst() throws {
        var engine = Shop.engine()
        let first = try engine.bought("pro.other")
        try engine.pass(days: 31)
        try engine.delete(first.id)
        #expect(engine.state.subscription(first.id)?.id == first.id)
        try engine.cancelRenewal(first.id)
        try engine.resumeRenewal(try engine.latest().id)
        #expect(engine.entitled() == ["pro.other"])
    }

    // MARK: Waiting

    @Test("[PFC-7] a purchase that has to be approved waits, and comes or never comes")
    func asksToBuy() throws {
        var engine = Shop.engine { $0.isAskToBuyEnabled = true }
        guard case .awaitingApproval(let coins) = try engine.buy("coins", for: "anna", PurchaseOrder(quantity: 2)),
            case .awaitingApproval(let other) = try engine.buy("pro.other", for: "anna")
        else {
            Issue.record("nobody was asked")
            return
        }
        #expect(engine.state.transactions.isEmpty)
        #expect(engine.state.pending.map(\.id) == [coins.id, other.id])
        #expect(code { _ = try engine.resolve(coins.id) } == .unknownPurchase)
        guard case .bought(let transaction) = try engine.approve(coins.id) else {
            Issue.record("not bought")
            return
        }
        #expect(transaction.quantity == 2)
        try engine.decline(other.id)
        #expect(engine.state.pending.isEmpty)
        #expect(engine.state.transactions.count == 1)
        #expect(code { _ = try engine.approve(coins.id) } == .unknownPurchase)
        #expect(code { try engine.decline(other.id) } == .unknownPurchase)
    }

    @Test("a purchase that is interrupted waits until its issue is resolved")
    func interrupts() throws {
        var engine = Shop.engine {
            $0.isAskToBuyEnabled = true
            $0.isInterruptingPurchases = true
        }
        guard case .awaitingApproval(let asked) = try engine.buy("pro.lifetime", for: "anna"),
            case .interrupted(let interrupted) = try engine.approve(asked.id)
        else {
            Issue.record("it did not wait")
            return
        }
        guard case .bought = try engine.resolve(interrupted.id) else {
            Issue.record("not bought")
            return
        }
        engine.updateSettings { $0.isAskToBuyEnabled = false }
        guard case .interrupted(let second) = try engine.buy("coins", for: "anna") else {
            Issue.record("it did not wait")
            return
        }
        try engine.abandon(second.id)
        #expect(engine.state.pending.isEmpty)
        #expect(engine.state.transactions.count == 1)
    }

    @Test("of two approvals of one product that is bought once, one is paid")
    func approvesTwice() throws {
        var engine = Shop.engine { $0.isAskToBuyEnabled = true }
        guard case .awaitingApproval(let first) = try engine.buy("pro.lifetime", for: "anna"),
            case .awaitingApproval(let second) = try engine.buy("pro.lifetime", for: "anna"),
            case .bought(let bought) = try engine.approve(first.id),
            case .owned(let owned) = try engine.approve(second.id)
        else {
            Issue.record("it was not approved")
            return
        }
        #expect(bought.id == owned.id)
    }

    @Test("customers do not see each other's purchases")
    func accounts() throws {
        var engine = Shop.engine(accounts: ["anna", "berta"])
        _ = try engine.bought("pro.other", for: "anna")
        _ = try engine.bought("pro.lifetime", for: "berta")
        #expect(engine.entitled("anna") == ["pro.other"])
        #expect(engine.entitled("berta") == ["pro.lifetime"])
        #expect(engine.entitled("nobody") == [])
        #expect(engine.subscriptions(of: "berta").isEmpty)
    }
}
