import PurchaseCore
import ReceiptTypes
import Testing

@testable import LocalStore

@Suite("Purchases and refunds")
struct PurchaseRuleTests {
    @Test("a purchase that is not possible fails and changes nothing")
    func rejects() throws {
        var engine = SampleStore.engine()
        let before = engine.state
        func attempt(_ product: String, _ account: String, _ quantity: Int) -> StoreSimulatorError.Code? {
            errorCode { _ = try engine.buy(product, for: account, PurchaseOrder(quantity: quantity)) }
        }
        #expect(attempt("nothing", "anna", 1) == .unknownProduct)
        #expect(attempt("coins", "missing", 1) == .unknownAccount)
        for quantity in [Int.min, -1, 0, 11, .max] { #expect(attempt("coins", "anna", quantity) == .invalidQuantity) }
        for product in ["pro.lifetime", "pro.other"] { #expect(attempt(product, "anna", 2) == .notSoldInQuantity) }
        for id in ["", "1", "+7", "007", "9223372036854775808", "x"] {
            #expect(errorCode { try engine.refund(id) } == .unknownTransaction)
            #expect(errorCode { try engine.renew(id) } == .unknownSubscription)
            #expect(errorCode { _ = try engine.approve(id) } == .unknownPurchase)
            engine.finish(id)
        }
        #expect(engine.state == before)
        #expect(engine.takeEvents().isEmpty)
    }

    @Test("a non-consumable can be bought again only after a refund")
    func nonConsumables() throws {
        var engine = SampleStore.engine()
        let first = try engine.purchase("pro.lifetime")
        let answer = try engine.buy("pro.lifetime", for: "anna")
        guard case .owned(first) = answer else {
            Issue.record("the product was sold twice: \(answer)")
            return
        }
        try engine.refund(first.id, reason: .issue)
        let second = try engine.purchase("pro.lifetime")
        #expect(second.id != first.id)
        #expect(engine.entitledProductIDs() == ["pro.lifetime"])
    }

    @Test("a finished consumable is in no list; an unfinished or refunded one is in the history")
    func consumables() throws {
        var engine = SampleStore.engine()
        let coins = try engine.purchase("coins")
        #expect(engine.history(of: "anna").map(\.id) == [coins.id])
        #expect(engine.unfinishedTransactions(of: "anna").map(\.id) == [coins.id])
        #expect(engine.entitledProductIDs() == [])
        engine.finish(coins.id)
        #expect(engine.history(of: "anna").isEmpty)
        #expect(engine.unfinishedTransactions(of: "anna").isEmpty)
        try engine.requestRefund(coins.id, reason: .unintendedPurchase)
        #expect(engine.notificationNames.last == "CONSUMPTION_REQUEST")
        #expect(engine.state.notifications.last?.consumptionRequestReason == .unintendedPurchase)
        try engine.declineRefund(coins.id)
        #expect(engine.notificationNames.last == "REFUND_DECLINED")
        try engine.refund(coins.id)
        #expect(engine.notificationNames.last == "REFUND")
        #expect(engine.history(of: "anna").map(\.id) == [coins.id])
        #expect(engine.unfinishedTransactions(of: "anna").map(\.id) == [coins.id])
        #expect(errorCode { try engine.refund(coins.id) } == .invalidAction)
        #expect(errorCode { try engine.requestRefund(coins.id) } == .invalidAction)
    }

    @Test("a non-renewing subscription stays entitled by its latest transaction, finished or not")
    func nonRenewing() throws {
        var engine = SampleStore.engine()
        let first = try engine.purchase("pro.season")
        engine.finish(first.id)
        try engine.advance(days: 400)
        #expect(engine.entitledProductIDs() == ["pro.season"])
        let second = try engine.purchase("pro.season")
        #expect(engine.currentEntitlements(of: "anna").map(\.id) == [second.id])
        try engine.refund(second.id)
        #expect(engine.currentEntitlements(of: "anna").map(\.id) == [first.id])
    }

    @Test("a refund and its reversal are later versions of the same transaction")
    func refunds() throws {
        var engine = SampleStore.engine()
        let bought = try engine.purchase("pro.other")
        try engine.refund(bought.id, reason: .issue)
        let refunded = try #require(engine.state.transaction(bought.id))
        #expect(refunded.id == bought.id)
        #expect(refunded.signedDate > bought.signedDate)
        #expect(refunded.revocation?.date == engine.state.now)
        #expect(refunded.revocation?.reason == .issue)
        #expect(try engine.subscription().standing == .revoked)
        #expect(try !engine.subscription().willAutoRenew)
        #expect(engine.entitledProductIDs() == [])
        try engine.reverseRefund(bought.id)
        let reversed = try #require(engine.state.transaction(bought.id))
        #expect(!reversed.isRevoked)
        #expect(reversed.signedDate > refunded.signedDate)
        #expect(engine.entitledProductIDs() == ["pro.other"])
        #expect(engine.notificationNames.suffix(2) == ["REFUND", "REFUND_REVERSED"])
        #expect(errorCode { try engine.reverseRefund(bought.id) } == .invalidAction)
        try engine.advance(days: 31)
        #expect(engine.entitledProductIDs() == [], "renewal stays off")
    }

    @Test("a refund that is reversed after the end of the period does not bring the subscription back")
    func lateReversal() throws {
        var engine = SampleStore.engine()
        let bought = try engine.purchase("pro.other")
        try engine.refund(bought.id)
        try engine.advance(days: 31)
        try engine.reverseRefund(bought.id)
        #expect(try engine.subscription().standing == .expired)
        #expect(engine.entitledProductIDs() == [])
    }

    @Test("a refund of some items or of a percentage is signed with its share, and revokes the transaction")
    func partialRefunds() throws {
        var engine = SampleStore.engine()
        func bought() throws -> StoredTransaction {
            try #require(try engine.buy("coins", for: "anna", PurchaseOrder(quantity: 3)).transaction)
        }
        let shares: [(RefundShare, Int32, RevocationType)] = [
            (.whole, 100_000, .refundFull), (.quantity(3), 100_000, .refundFull),
            (.percentage(100_000), 100_000, .refundFull), (.quantity(1), 33_333, .refundProrated),
            (.quantity(2), 66_666, .refundProrated), (.percentage(1), 1, .refundProrated),
            (.percentage(50_000), 50_000, .refundProrated),
        ]
        for (share, percentage, type) in shares {
            let transaction = try bought()
            try engine.refund(transaction.id, share: share)
            let payload = engine.payload(of: try #require(engine.state.transaction(transaction.id)))
            #expect(payload.revocationPercentage == percentage)
            #expect(payload.revocationType == type)
            #expect(payload.revocationDate == engine.state.now)
        }
        let transaction = try bought()
        for share in [
            RefundShare.quantity(0), .quantity(4), .quantity(.min), .quantity(.max), .percentage(0),
            .percentage(100_001), .percentage(.min), .percentage(.max),
        ] {
            #expect(errorCode { try engine.refund(transaction.id, share: share) } == .invalidRefund)
        }
        #expect(engine.state.transaction(transaction.id)?.isRevoked == false)
    }

    @Test("refunding an earlier period does not affect the current one")
    func refundsEarlier() throws {
        var engine = SampleStore.engine()
        let first = try engine.purchase("pro.other")
        try engine.advance(days: 31)
        try engine.refund(first.id)
        #expect(engine.entitledProductIDs() == ["pro.other"])
        #expect(try engine.subscription().willAutoRenew)
    }

    @Test("a deleted transaction leaves no trace")
    func deletes() throws {
        var engine = SampleStore.engine()
        let first = try engine.purchase("pro.other")
        try engine.advance(days: 31)
        let second = try engine.latestTransaction()
        try engine.delete(second.id)
        #expect(try engine.latestTransaction().id == first.id)
        #expect(engine.entitledProductIDs() == [])
        try engine.advance(days: 1)
        try engine.delete(first.id)
        #expect(engine.state.subscriptions.isEmpty)
        #expect(errorCode { try engine.delete(first.id) } == .unknownTransaction)
        _ = try engine.purchase("coins")
        engine.clear()
        #expect(engine.state.transactions.isEmpty)
        #expect(engine.state.accounts.count == 1)
        #expect(engine.isEligibleForIntroductoryOffer("anna", group: "group"))
    }

    @Test("a subscription is found by its identifier after its first transaction is deleted")
    func deletesFirst() throws {
        var engine = SampleStore.engine()
        let first = try engine.purchase("pro.other")
        try engine.advance(days: 31)
        try engine.delete(first.id)
        #expect(engine.state.subscription(first.id)?.id == first.id)
        try engine.cancelRenewal(first.id)
        try engine.resumeRenewal(try engine.latestTransaction().id)
        #expect(engine.entitledProductIDs() == ["pro.other"])
    }

    // MARK: Waiting

    @Test("a purchase with Ask to Buy waits until it is approved or declined")
    func asksToBuy() throws {
        var engine = SampleStore.engine { $0.isAskToBuyEnabled = true }
        guard case .awaitingApproval(let coins) = try engine.buy("coins", for: "anna", PurchaseOrder(quantity: 2)),
            case .awaitingApproval(let other) = try engine.buy("pro.other", for: "anna")
        else {
            Issue.record("the purchase did not wait for approval")
            return
        }
        #expect(engine.state.transactions.isEmpty)
        #expect(engine.state.pending.map(\.id) == [coins.id, other.id])
        #expect(errorCode { _ = try engine.resolve(coins.id) } == .unknownPurchase)
        let answer = try engine.approve(coins.id)
        guard case .bought(let transaction) = answer else {
            Issue.record("the purchase was not completed: \(answer)")
            return
        }
        #expect(transaction.quantity == 2)
        try engine.decline(other.id)
        #expect(engine.state.pending.isEmpty)
        #expect(engine.state.transactions.count == 1)
        #expect(errorCode { _ = try engine.approve(coins.id) } == .unknownPurchase)
        #expect(errorCode { try engine.decline(other.id) } == .unknownPurchase)
    }

    @Test("a purchase with Ask to Buy that is not approved within 24 hours can no longer be approved")
    func approvalDeadline() throws {
        var engine = SampleStore.engine { $0.isAskToBuyEnabled = true }
        guard case .awaitingApproval(let first) = try engine.buy("coins", for: "anna") else {
            Issue.record("the purchase did not wait for approval")
            return
        }
        let end = SampleStore.start.adding(milliseconds: SampleStore.day)
        #expect(engine.nextEventDate == end)
        try engine.advance(to: end.adding(milliseconds: -1))
        guard case .awaitingApproval(let second) = try engine.buy("coins", for: "anna") else {
            Issue.record("the second purchase did not wait for approval")
            return
        }
        #expect(engine.state.pending.map(\.id) == [first.id, second.id])
        _ = engine.takeEvents()
        try engine.advance(to: end)
        #expect(engine.takeEvents() == [.abandoned(first)])
        #expect(errorCode { _ = try engine.approve(first.id) } == .unknownPurchase)
        #expect(errorCode { try engine.decline(first.id) } == .unknownPurchase)
        guard case .bought = try engine.approve(second.id) else {
            Issue.record("the second purchase was not completed")
            return
        }
        #expect(engine.state.transactions.count == 1)
        #expect(engine.state.pending.isEmpty && engine.nextEventDate == nil)
    }

    @Test("a purchase waits longer than 24 hours if it was interrupted or ordered in Google Play")
    func waitsWithoutDeadline() throws {
        var engine = SampleStore.engine { $0.isInterruptingPurchases = true }
        _ = try engine.buy("coins", for: "anna")
        engine.updateSettings { $0.isAskToBuyEnabled = true }
        _ = try engine.buy("pro.lifetime", for: "anna", PurchaseOrder(play: PlayOrder()))
        #expect(engine.nextEventDate == nil)
        try engine.advance(days: 400)
        #expect(engine.state.pending.map(\.productID) == ["coins", "pro.lifetime"])
    }

    @Test("an approval ends in its turn among the renewals of a long step")
    func approvalDeadlineAmongRenewals() throws {
        var engine = SampleStore.engine()
        _ = try engine.purchase("pro.weekly")
        try engine.advance(days: 6)
        engine.updateSettings { $0.isAskToBuyEnabled = true }
        _ = try engine.buy("coins", for: "anna")
        try engine.advance(byMilliseconds: SampleStore.day / 2)
        _ = try engine.buy("pro.lifetime", for: "anna")
        _ = engine.takeEvents()
        try engine.advance(days: 30)
        let names = engine.takeEvents().compactMap { event in
            switch event {
            case .abandoned(let purchase): purchase.productID
            case .notification(let notification): notification.type.rawValue
            default: nil
            }
        }
        #expect(names.prefix(4) == ["coins", "DID_RENEW", "pro.lifetime", "DID_RENEW"])
        #expect(engine.state.now == SampleStore.start.adding(milliseconds: SampleStore.day * 73 / 2))
    }

    @Test("an App Store purchase names an account only if it is a UUID; Google Play signs any text")
    func accountTokens() throws {
        var engine = SampleStore.engine()
        let uuid = UUIDText("7e3fb20b-4cdb-47cc-936d-99d65f608138")
        func token(_ order: PurchaseOrder, _ product: String) throws -> UUIDText? {
            let transaction = try #require(try engine.buy(product, for: "anna", order).transaction)
            if product.hasPrefix("pro."), order.play == nil {
                let subscription = try engine.subscription()
                #expect(engine.payload(of: subscription).appAccountToken == transaction.appAccountToken)
            }
            return engine.payload(of: transaction).appAccountToken
        }
        for text in ["anna", "", "user 17", "7e3fb20b-4cdb-47cc-936d-99d65f60813", "\(uuid)\u{301}"] {
            #expect(try token(PurchaseOrder(appAccountToken: UUIDText(text)), "coins") == nil, "\(text)")
            #expect(try token(PurchaseOrder(appAccountToken: UUIDText(text)), "pro.other") == nil, "\(text)")
            let order = PurchaseOrder(appAccountToken: UUIDText(text), play: PlayOrder())
            #expect(try token(order, "coins") == UUIDText(text))
        }
        #expect(try token(PurchaseOrder(appAccountToken: uuid), "coins") == uuid)
        engine.updateSettings { $0.isAskToBuyEnabled = true }
        _ = try engine.buy("coins", for: "anna", PurchaseOrder(appAccountToken: UUIDText("anna")))
        #expect(engine.state.pending.map(\.order.appAccountToken) == [nil])
    }

    @Test("an interrupted purchase waits until its issue is resolved or it is abandoned")
    func interrupts() throws {
        var engine = SampleStore.engine {
            $0.isAskToBuyEnabled = true
            $0.isInterruptingPurchases = true
        }
        guard case .awaitingApproval(let asked) = try engine.buy("pro.lifetime", for: "anna"),
            case .interrupted(let interrupted) = try engine.approve(asked.id)
        else {
            Issue.record("the purchase did not wait")
            return
        }
        let answer = try engine.resolve(interrupted.id)
        guard case .bought = answer else {
            Issue.record("the purchase was not completed: \(answer)")
            return
        }
        engine.updateSettings { $0.isAskToBuyEnabled = false }
        let result = try engine.buy("coins", for: "anna")
        guard case .interrupted(let second) = result else {
            Issue.record("the purchase did not wait: \(result)")
            return
        }
        try engine.abandon(second.id)
        #expect(engine.state.pending.isEmpty)
        #expect(engine.state.transactions.count == 1)
    }

    @Test("of two approvals for one non-consumable, only the first is charged")
    func approvesTwice() throws {
        var engine = SampleStore.engine { $0.isAskToBuyEnabled = true }
        guard case .awaitingApproval(let first) = try engine.buy("pro.lifetime", for: "anna"),
            case .awaitingApproval(let second) = try engine.buy("pro.lifetime", for: "anna"),
            case .bought(let bought) = try engine.approve(first.id),
            case .owned(let owned) = try engine.approve(second.id)
        else {
            Issue.record("an approval had another answer")
            return
        }
        #expect(bought.id == owned.id)
    }

    @Test("customers do not see each other's purchases")
    func accounts() throws {
        var engine = SampleStore.engine(accounts: ["anna", "berta"])
        _ = try engine.purchase("pro.other", for: "anna")
        _ = try engine.purchase("pro.lifetime", for: "berta")
        #expect(engine.entitledProductIDs("anna") == ["pro.other"])
        #expect(engine.entitledProductIDs("berta") == ["pro.lifetime"])
        #expect(engine.entitledProductIDs("missing") == [])
        #expect(engine.subscriptions(of: "berta").isEmpty)
    }
}
