import LocalStore
import ReceiptTypes
import Testing

@Suite("Family Sharing")
struct FamilyTests {
    private func family() throws -> SimulatorEngine {
        var engine = SampleStore.engine(accounts: ["anna", "berta", "zoe"])
        try engine.setFamily("home", of: "anna")
        try engine.setFamily("home", of: "berta")
        return engine
    }

    @Test("family members get their own transactions for shareable purchases, and others get none")
    func shares() throws {
        var engine = try family()
        let lifetime = try engine.purchase("pro.lifetime")
        _ = try engine.purchase("template.a")
        _ = try engine.purchase("coins")
        let plus = try engine.purchase("pro.plus")
        #expect(engine.entitledProductIDs("berta") == ["pro.lifetime", "pro.plus"])
        #expect(engine.entitledProductIDs("zoe") == [])
        for transaction in engine.currentEntitlements(of: "berta") {
            #expect(transaction.isFamilyShared)
            #expect(transaction.price == nil)
            #expect(transaction.originalID == transaction.id)
            #expect(transaction.id != lifetime.id && transaction.id != plus.id)
        }
        #expect(engine.notificationNames.filter { $0 == "ONE_TIME_CHARGE" }.count == 4)
        #expect(engine.notificationNames.filter { $0 == "SUBSCRIBED/INITIAL_BUY" }.count == 2)
    }

    @Test("a family-shared subscription renews, fails and ends with the paying member's")
    func follows() throws {
        var engine = try family()
        let bought = try engine.purchase("pro.plus")
        try engine.advance(days: 7 + 31)
        let own = try engine.subscription(of: "anna")
        let shared = try engine.subscription(of: "berta")
        #expect(engine.state.transactions.count == 6)
        #expect(shared.expiresDate == own.expiresDate)
        #expect(
            engine.state.transactions.filter { $0.account == "berta" }.map(\.originalID)
                == Array(repeating: shared.id, count: 3))
        try engine.setBillingIssue(true, bought.id)
        engine.updateSettings { $0.isGracePeriodEnabled = true }
        try engine.advance(days: 29)
        #expect(try engine.subscription(of: "berta").standing == .gracePeriod)
        #expect(engine.entitledProductIDs("berta") == ["pro.plus"])
        try engine.advance(days: 17)
        #expect(try engine.subscription(of: "berta").standing == .billingRetry)
        #expect(engine.entitledProductIDs("berta") == [])
        try engine.setBillingIssue(false, bought.id)
        #expect(engine.entitledProductIDs("berta") == ["pro.plus"])
        try engine.expire(bought.id)
        #expect(engine.entitledProductIDs("berta") == [])
        #expect(try engine.subscription(of: "berta").standing == .expired)
        #expect(errorCode { try engine.cancelRenewal(shared.id) } == .invalidAction)
    }

    @Test("a refund revokes the family-shared copies, and reversing it restores them")
    func refunds() throws {
        var engine = try family()
        for product in ["pro.lifetime", "pro.plus"] {
            let bought = try engine.purchase(product)
            #expect(engine.entitledProductIDs("berta") == [product])
            let share = try #require(engine.currentEntitlements(of: "berta").first)
            #expect(errorCode { try engine.refund(share.id) } == .invalidAction)
            try engine.refund(bought.id)
            #expect(engine.entitledProductIDs("anna") == [])
            #expect(engine.entitledProductIDs("berta") == [])
            #expect(engine.notificationNames.suffix(2) == ["REFUND", "REVOKE"])
            let revoked = try #require(engine.state.transaction(share.id))
            #expect(revoked.revocation?.reason == nil)
            #expect(revoked.isRevoked)
            try engine.advance(byMilliseconds: 1000)
            try engine.reverseRefund(bought.id)
            #expect(engine.entitledProductIDs("anna") == [product])
            #expect(engine.entitledProductIDs("berta") == [product])
            try engine.delete(bought.id)
            #expect(engine.entitledProductIDs("anna") == [])
            #expect(engine.entitledProductIDs("berta") == [])
        }
        #expect(engine.state.transactions.isEmpty)
        #expect(engine.state.subscriptions.isEmpty)
    }

    @Test("reversing a refund restores nothing for a member that has left or a purchase that is not shared any more")
    func reversesForRemainingMembers() throws {
        var engine = try family()
        let first = try engine.purchase("pro.lifetime")
        try engine.refund(first.id)
        try engine.setFamily(nil, of: "berta")
        try engine.reverseRefund(first.id)
        #expect(engine.entitledProductIDs("anna") == ["pro.lifetime"])
        #expect(engine.entitledProductIDs("berta") == [])

        engine = try family()
        let second = try engine.purchase("pro.plus")
        try engine.refund(second.id)
        try engine.stopSharing(second.id)
        try engine.reverseRefund(second.id)
        #expect(engine.entitledProductIDs("anna") == ["pro.plus"])
        #expect(engine.entitledProductIDs("berta") == [])
    }

    @Test("reversing the refund of an earlier plan restores no family-shared copy")
    func reversesAfterPlan() throws {
        var engine = try family()
        let first = try engine.purchase("pro.plus")
        try engine.advance(days: 3)
        _ = try engine.changePlan(first.id, to: "pro.other")
        try engine.advance(days: 10)
        try engine.refund(first.id)
        try engine.reverseRefund(first.id)
        #expect(engine.entitledProductIDs("anna") == ["pro.other"])
        #expect(engine.entitledProductIDs("berta") == [])
    }

    @Test("a member that leaves the family loses the shared purchases, and the family loses the member's")
    func leavesFamily() throws {
        var engine = try family()
        _ = try engine.purchase("pro.plus", for: "anna")
        _ = try engine.purchase("pro.lifetime", for: "berta")
        #expect(engine.entitledProductIDs("anna") == ["pro.plus", "pro.lifetime"])
        #expect(engine.entitledProductIDs("berta") == ["pro.plus", "pro.lifetime"])
        try engine.setFamily(nil, of: "berta")
        #expect(engine.entitledProductIDs("anna") == ["pro.plus"])
        #expect(engine.entitledProductIDs("berta") == ["pro.lifetime"])
        #expect(engine.notificationNames.filter { $0 == "REVOKE" }.count == 2)
        try engine.advance(days: 40)
        #expect(engine.entitledProductIDs("berta") == ["pro.lifetime"])
        try engine.setFamily("home", of: "berta")
        #expect(engine.entitledProductIDs("anna").sorted() == ["pro.lifetime", "pro.plus"])
        #expect(engine.entitledProductIDs("berta").sorted() == ["pro.lifetime", "pro.plus"])
        try engine.setFamily("home", of: "berta")
        #expect(engine.entitledProductIDs("berta").count == 2)
    }

    @Test("a new member shares the existing purchases, and own purchases survive the end of sharing")
    func joinsFamily() throws {
        var engine = try family()
        let anna = try engine.purchase("pro.lifetime", for: "anna")
        _ = try engine.purchase("pro.lifetime", for: "berta")
        #expect(engine.entitledProductIDs("berta") == ["pro.lifetime", "pro.lifetime"])
        try engine.addAccount("carla", family: "home")
        #expect(engine.entitledProductIDs("carla") == ["pro.lifetime", "pro.lifetime"])
        try engine.stopSharing(anna.id)
        #expect(engine.entitledProductIDs("carla") == ["pro.lifetime"])
        #expect(engine.entitledProductIDs("berta") == ["pro.lifetime"])
        #expect(engine.currentEntitlements(of: "berta").first?.isFamilyShared == false)
        #expect(engine.entitledProductIDs("anna").count == 2)
        let share = try #require(engine.currentEntitlements(of: "carla").first)
        #expect(errorCode { try engine.stopSharing(share.id) } == .invalidAction)
        #expect(errorCode { try engine.addAccount("carla") } == .invalidAction)
        #expect(errorCode { try engine.addAccount("") } == .invalidAction)
        #expect(errorCode { try engine.setFamily("home", of: "missing") } == .unknownAccount)
    }

    @Test("a change to a plan without Family Sharing, and the end of sharing, revoke the family-shared copies")
    func stopsWithPlan() throws {
        var engine = try family()
        let bought = try engine.purchase("pro.plus")
        _ = try engine.changePlan(bought.id, to: "pro.other")
        #expect(engine.entitledProductIDs("berta") == ["pro.plus"])
        try engine.advance(days: 7)
        #expect(engine.entitledProductIDs("anna") == ["pro.other"])
        #expect(engine.entitledProductIDs("berta") == [])
        #expect(engine.notificationNames.contains("REVOKE"))
        _ = try engine.changePlan(bought.id, to: "pro.plus")
        #expect(engine.entitledProductIDs("berta") == ["pro.plus"])
        try engine.stopSharing(bought.id)
        try engine.advance(days: 40)
        #expect(engine.entitledProductIDs("berta") == [])
        #expect(engine.entitledProductIDs("anna") == ["pro.plus"])
    }

    @Test("a family-shared trial does not use up the member's own introductory offer")
    func sharedTrial() throws {
        var engine = try family()
        _ = try engine.purchase("pro.plus", for: "anna")
        #expect(!engine.isEligibleForIntroductoryOffer("anna", group: "group"))
        #expect(engine.isEligibleForIntroductoryOffer("berta", group: "group"))
        #expect(try engine.purchase("pro.basic", for: "berta").offer?.type == .introductory)
        #expect(engine.entitledProductIDs("berta").sorted() == ["pro.basic", "pro.plus"])
    }
}
