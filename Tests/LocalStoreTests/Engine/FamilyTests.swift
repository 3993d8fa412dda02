import LocalStore
import ReceiptTypes
import Testing

@Suite("Families in a local store")
struct FamilyTests {
    private func family() throws -> LocalStoreEngine {
        var engine = Shop.engine(accounts: ["anna", "berta", "zoe"])
        try engine.setFamily("home", of: "anna")
        try engine.setFamily("home", of: "berta")
        return engine
    }

    @Test("what can be shared comes to the family as transactions of their own, and to nobody else")
    func shares() throws {
        var engine = try family()
        let lifetime = try engine.bought("pro.lifetime")
        _ = try engine.bought("template.a")
        _ = try engine.bought("coins")
        let plus = try engine.bought("pro.plus")
        #expect(engine.entitled("berta") == ["pro.lifetime", "pro.plus"])
        #expect(engine.entitled("zoe") == [])
        for transaction in engine.currentEntitlements(of: "berta") {
            #expect(transaction.isFamilyShared)
            #expect(transaction.price == nil)
            #expect(transaction.originalID == transaction.id)
            #expect(transaction.id != lifetime.id && transaction.id != plus.id)
        }
        #expect(engine.told.filter { $0 == "ONE_TIME_CHARGE" }.count == 4)
        #expect(engine.told.filter { $0 == "SUBSCRIBED/INITIAL_BUY" }.count == 2)
    }

    @Test("a shared subscription renews, fails, and ends with that of who pays")
    func follows() throws {
        var engine = try family()
        let bought = try engine.bought("pro.plus")
        try engine.pass(days: 7 + 31)
        let own = try engine.subscription(of: "anna")
        let shared = try engine.subscription(of: "berta")
        #expect(engine.state.transactions.count == 6)
        #expect(shared.expiresDate == own.expiresDate)
        #expect(
            engine.state.transactions.filter { $0.account == "berta" }.map(\.originalID)
                == Array(repeating: shared.id, count: 3))
        try engine.setBillingIssue(true, bought.id)
        engine.updateSettings { $0.isGracePeriodEnabled = true }
        try engine.pass(days: 29)
        #expect(try engine.subscription(of: "berta").standing == .gracePeriod)
        #expect(engine.entitled("berta") == ["pro.plus"])
        try engine.pass(days: 17)
        #expect(try engine.subscription(of: "berta").standing == .billingRetry)
        #expect(engine.entitled("berta") == [])
        try engine.setBillingIssue(false, bought.id)
        #expect(engine.entitled("berta") == ["pro.plus"])
        try engine.expire(bought.id)
        #expect(engine.entitled("berta") == [])
        #expect(try engine.subscription(of: "berta").standing == .expired)
        #expect(code { try engine.cancelRenewal(shared.id) } == .invalidAction)
    }

    @Test("a refund takes it from the family too, and its reversal gives it back")
    func refunds() throws {
        var engine = try family()
        for product in ["pro.lifetime", "pro.plus"] {
            let bought = try engine.bought(product)
            #expect(engine.entitled("berta") == [product])
            let share = try #require(engine.currentEntitlements(of: "berta").first)
            #expect(code { try engine.refund(share.id) } == .invalidAction)
            try engine.refund(bought.id)
            #expect(engine.entitled("anna") == [])
            #expect(engine.entitled("berta") == [])
            #expect(engine.told.suffix(2) == ["REFUND", "REVOKE"])
            let revoked = try #require(engine.state.transaction(share.id))
            #expect(revoked.revocation?.reason == nil)
            #expect(revoked.isRevoked)
            try engine.advance(by: 1000)
            try engine.reverseRefund(bought.id)
            #expect(engine.entitled("anna") == [product])
            #expect(engine.entitled("berta") == [product])
            try engine.delete(bought.id)
            #expect(engine.entitled("anna") == [])
            #expect(engine.entitled("berta") == [])
        }
        #expect(engine.state.transactions.isEmpty)
        #expect(engine.state.subscriptions.isEmpty)
    }

    @Test("a refund that is taken back gives nothing to who has left since, or no longer shares")
    func reversesForFewer() throws {
        var engine = try family()
        let first = try engine.bought("pro.lifetime")
        try engine.refund(first.id)
        try engine.setFamily(nil, of: "berta")
        try engine.reverseRefund(first.id)
        #expect(engine.entitled("anna") == ["pro.lifetime"])
        #expect(engine.entitled("berta") == [])

        engine = try family()
        let second = try engine.bought("pro.plus")
        try engine.refund(second.id)
        try engine.stopSharing(second.id)
        try engine.reverseRefund(second.id)
        #expect(engine.entitled("anna") == ["pro.plus"])
        #expect(engine.entitled("berta") == [])
    }

    @Test("a refund that is taken back after another plan gives the family nothing of the old one")
    func reversesAfterPlan() throws {
        var engine = try family()
        let first = try engine.bought("pro.plus")
        try engine.pass(days: 3)
        _ = try engine.changePlan(first.id, to: "pro.other")
        try engine.pass(days: 10)
        try engine.refund(first.id)
        try engine.reverseRefund(first.id)
        #expect(engine.entitled("anna") == ["pro.other"])
        #expect(engine.entitled("berta") == [])
    }

    @Test("who leaves the family loses what the others pay for, and the others what they paid for")
    func leaves() throws {
        var engine = try family()
        _ = try engine.bought("pro.plus", for: "anna")
        _ = try engine.bought("pro.lifetime", for: "berta")
        #expect(engine.entitled("anna") == ["pro.plus", "pro.lifetime"])
        #expect(engine.entitled("berta") == ["pro.plus", "pro.lifetime"])
        try engine.setFamily(nil, of: "berta")
        #expect(engine.entitled("anna") == ["pro.plus"])
        #expect(engine.entitled("berta") == ["pro.lifetime"])
        #expect(engine.told.filter { $0 == "REVOKE" }.count == 2)
        try engine.pass(days: 40)
        #expect(engine.entitled("berta") == ["pro.lifetime"])
        try engine.setFamily("home", of: "berta")
        #expect(engine.entitled("anna").sorted() == ["pro.lifetime", "pro.plus"])
        #expect(engine.entitled("berta").sorted() == ["pro.lifetime", "pro.plus"])
        try engine.setFamily("home", of: "berta")
        #expect(engine.entitled("berta").count == 2)
    }

    @Test("somebody who joins shares what is there, and one's own stays when sharing stops")
    func joins() throws {
        var engine = try family()
        let anna = try engine.bought("pro.lifetime", for: "anna")
        _ = try engine.bought("pro.lifetime", for: "berta")
        #expect(engine.entitled("berta") == ["pro.lifetime", "pro.lifetime"])
        try engine.addAccount("carla", family: "home")
        #expect(engine.entitled("carla") == ["pro.lifetime", "pro.lifetime"])
        try engine.stopSharing(anna.id)
        #expect(engine.entitled("carla") == ["pro.lifetime"])
        #expect(engine.entitled("berta") == ["pro.lifetime"])
        #expect(engine.currentEntitlements(of: "berta").first?.isFamilyShared == false)
        #expect(engine.entitled("anna").count == 2)
        let share = try #require(engine.currentEntitlements(of: "carla").first)
        #expect(code { try engine.stopSharing(share.id) } == .invalidAction)
        #expect(code { try engine.addAccount("carla") } == .invalidAction)
        #expect(code { try engine.addAccount("") } == .invalidAction)
        #expect(code { try engine.setFamily("home", of: "nobody") } == .unknownAccount)
    }

    @Test("a plan that is not shared takes the shared one from the family, and so does the end of sharing")
    func stopsWithPlan() throws {
        var engine = try family()
        let bought = try engine.bought("pro.plus")
        _ = try engine.changePlan(bought.id, to: "pro.other")
        #expect(engine.entitled("berta") == ["pro.plus"])
        try engine.pass(days: 7)
        #expect(engine.entitled("anna") == ["pro.other"])
        #expect(engine.entitled("berta") == [])
        #expect(engine.told.contains("REVOKE"))
        _ = try engine.changePlan(bought.id, to: "pro.plus")
        #expect(engine.entitled("berta") == ["pro.plus"])
        try engine.stopSharing(bought.id)
        try engine.pass(days: 40)
        #expect(engine.entitled("berta") == [])
        #expect(engine.entitled("anna") == ["pro.plus"])
    }

    @Test("a trial that the family shares is nobody's but who has it")
    func sharedTrial() throws {
        var engine = try family()
        _ = try engine.bought("pro.plus", for: "anna")
        #expect(!engine.isEligibleForIntroductoryOffer("anna", group: "group"))
        #expect(engine.isEligibleForIntroductoryOffer("berta", group: "group"))
        #expect(try engine.bought("pro.basic", for: "berta").offer?.type == .introductory)
        #expect(engine.entitled("berta").sorted() == ["pro.basic", "pro.plus"])
    }
}
