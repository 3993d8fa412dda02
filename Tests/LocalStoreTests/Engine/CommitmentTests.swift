import PurchaseCore
import ReceiptTypes
import Testing

@testable import LocalStore

@Suite("Billing plans with commitments")
struct CommitmentTests {
    /// A store whose yearly subscription can be paid each month, for 4.99 instead of 49.99 at once.
    private func engine(
        isEnabled: Bool = true, _ change: (inout StoreSettings) -> Void = { _ in }
    ) -> SimulatorEngine {
        var configuration = SampleStore.configuration
        for index in configuration.products.indices where configuration.products[index].id == "pro.yearly" {
            configuration.products[index].subscription?.billingPlans = [
                .init(type: .billedUpfront, price: Milliunits(49_990), isEnabled: true),
                .init(
                    type: .monthly, price: Milliunits(4990), commitmentPrice: Milliunits(59_880), isEnabled: isEnabled),
            ]
        }
        return SimulatorEngine(configuration: configuration, state: SampleStore.state(change))
    }

    private func commit(_ engine: inout SimulatorEngine) throws -> StoredTransaction {
        try #require(
            try engine.buy("pro.yearly", for: "anna", PurchaseOrder(billingPlan: .monthly)).transaction)
    }

    @Test("a year with a monthly billing plan is paid in twelve months, and then a new commitment begins")
    func twelveMonths() throws {
        var engine = engine()
        let bought = try commit(&engine)
        #expect(bought.price == Milliunits(4990))
        let payload = engine.payload(of: bought)
        #expect(payload.billingPlanType == .monthly)
        #expect(payload.commitmentInfo?.billingPeriodNumber == 1)
        #expect(payload.commitmentInfo?.totalBillingPeriods == 12)
        #expect(payload.commitmentInfo?.commitmentPrice == Milliunits(59_880))
        #expect(payload.commitmentInfo?.commitmentExpiresDate == SampleStore.start.adding(.year))
        try engine.advance(to: SampleStore.start.adding(.year))
        let transactions = engine.state.transactions
        #expect(transactions.map { $0.commitment?.month } == Array(1...12) + [1])
        #expect(Set(transactions.map(\.price)) == [Milliunits(4990)])
        #expect(transactions[11].expiresDate == transactions[0].commitment?.endDate)
        #expect(transactions[12].commitment?.endDate == SampleStore.start.adding(.year, times: 2))
        for (earlier, later) in zip(transactions, transactions.dropFirst()) {
            #expect(earlier.expiresDate == later.purchaseDate)
        }
        #expect(engine.notificationNames == ["SUBSCRIBED/INITIAL_BUY"] + Array(repeating: "DID_RENEW", count: 12))
    }

    @Test("turning renewal off during a commitment ends the subscription with the commitment and not with the month")
    func cancelsAtEnd() throws {
        var engine = engine()
        let bought = try commit(&engine)
        try engine.advance(days: 40)
        try engine.cancelRenewal(bought.id)
        let info = engine.payload(of: try engine.subscription())
        #expect(info.autoRenewStatus == .on)
        #expect(info.renewalPrice == Milliunits(4990))
        #expect(info.commitmentInfo?.commitmentAutoRenewStatus == .off)
        #expect(info.commitmentInfo?.commitmentRenewalDate == SampleStore.start.adding(.year))
        try engine.advance(to: SampleStore.start.adding(.year).adding(milliseconds: -1))
        #expect(engine.entitledProductIDs() == ["pro.yearly"])
        #expect(engine.state.transactions.count == 12)
        try engine.advance(byMilliseconds: 1)
        #expect(engine.entitledProductIDs() == [])
        #expect(engine.notificationNames.last == "EXPIRED/VOLUNTARY")
        #expect(try engine.subscription().commitment == nil)
    }

    @Test("a change of plan or price waits for the end of the commitment")
    func changesWait() throws {
        var engine = engine()
        let bought = try commit(&engine)
        _ = try engine.changePlan(bought.id, to: "pro.weekly")
        #expect(engine.payload(of: try engine.subscription()).autoRenewProductId == "pro.yearly")
        #expect(
            engine.payload(of: try engine.subscription()).commitmentInfo?.commitmentAutoRenewProductId == "pro.weekly")
        try engine.advance(to: SampleStore.start.adding(.year))
        #expect(
            engine.state.transactions.map(\.productID) == Array(repeating: "pro.yearly", count: 12) + ["pro.weekly"])
        #expect(engine.state.transactions.last?.price == Milliunits(1990))

        var raised = self.engine()
        let second = try commit(&raised)
        #expect(errorCode { try raised.requestPriceIncrease(second.id, to: Milliunits(4990)) } == .invalidAction)
        try raised.requestPriceIncrease(second.id, to: Milliunits(5990))
        try raised.advance(days: 70)
        #expect(try raised.subscription().priceIncrease?.isAccepted == false)
        try raised.consentToPriceIncrease(second.id)
        try raised.advance(to: SampleStore.start.adding(.year))
        let prices = raised.state.transactions.map(\.price)
        #expect(prices == Array(repeating: Milliunits(4990), count: 12) + [Milliunits(5990)])
    }

    @Test("a month that cannot be billed leads to billing retry, and its recovery continues the commitment")
    func failsAndRecovers() throws {
        var engine = engine { $0.isGracePeriodEnabled = true }
        let bought = try commit(&engine)
        try engine.cancelRenewal(bought.id)
        try engine.setBillingIssue(true, bought.id)
        try engine.advance(days: 33)
        #expect(try engine.subscription().standing == .gracePeriod)
        try engine.advance(days: 15)
        #expect(try engine.subscription().standing == .billingRetry)
        try engine.setBillingIssue(false, bought.id)
        #expect(try engine.latestTransaction().commitment?.month == 2)
        #expect(try !engine.subscription().willAutoRenew)
        #expect(engine.entitledProductIDs() == ["pro.yearly"])
    }

    @Test("buying with the usual plan ends the months after the commitment, and buying again changes nothing")
    func changesSchedule() throws {
        var engine = engine()
        let bought = try commit(&engine)
        let answer = try engine.buy("pro.yearly", for: "anna", PurchaseOrder(billingPlan: .monthly))
        guard case .owned(bought) = answer else {
            Issue.record("the commitment was sold twice: \(answer)")
            return
        }
        let result = try engine.buy("pro.yearly", for: "anna")
        guard case .planChanged = result else {
            Issue.record("the schedule did not change: \(result)")
            return
        }
        #expect(engine.payload(of: try engine.subscription()).renewalBillingPlanType == .monthly)
        #expect(
            engine.payload(of: try engine.subscription()).commitmentInfo?.commitmentRenewalBillingPlanType
                == .billedUpfront)
        try engine.advance(to: SampleStore.start.adding(.year))
        let latest = try engine.latestTransaction()
        #expect(latest.commitment == nil)
        #expect(latest.price == Milliunits(49_990))
        #expect(latest.expiresDate == SampleStore.start.adding(.year, times: 2))
        #expect(engine.payload(of: latest).billingPlanType == .billedUpfront)
    }

    @Test("a purchase at the end of a commitment begins a series of its own")
    func buysAfterCommitment() throws {
        var engine = engine()
        let bought = try commit(&engine)
        try engine.cancelRenewal(bought.id)
        let end = SampleStore.start.adding(.year)
        try engine.advance(to: end)
        #expect(try engine.purchase("pro.yearly").expiresDate == end.adding(.year))
    }

    @Test("an upgrade ends a commitment, and a commitment can be an upgrade")
    func upgrades() throws {
        var engine = engine()
        _ = try commit(&engine)
        _ = try engine.purchase("pro.plus")
        #expect(try engine.subscription().commitment == nil)
        #expect(try engine.latestTransaction().commitment == nil)

        var weekly = self.engine()
        _ = try weekly.purchase("pro.weekly")
        let upgraded = try commit(&weekly)
        #expect(upgraded.commitment?.month == 1)
        #expect(upgraded.price == Milliunits(4990))
    }

    @Test("a billing plan that is not on sale, or not for the product, is rejected")
    func unknownPlans() throws {
        var disabled = engine(isEnabled: false)
        #expect(errorCode { _ = try commit(&disabled) } == .unknownBillingPlan)
        var engine = engine()
        for product in ["coins", "pro.other"] {
            for plan in [BillingPlanType.monthly, .billedUpfront, BillingPlanType(rawValue: "DAILY")] {
                let error = errorCode { _ = try engine.buy(product, for: "anna", PurchaseOrder(billingPlan: plan)) }
                #expect(error == .unknownBillingPlan)
            }
        }
        #expect(engine.state.transactions.isEmpty)
    }

    @Test("at each time rate the twelve months end with the commitment", arguments: TimeRate.known)
    func timeRates(_ number: Int) throws {
        var engine = engine { $0.timeRate = TimeRate(rawValue: number) }
        let bought = try commit(&engine)
        try engine.cancelRenewal(bought.id)
        for _ in 0..<100 {
            if let next = engine.nextEventDate { try engine.advance(to: next) }
        }
        #expect(engine.nextEventDate == nil)
        #expect(engine.state.transactions.count == 12)
        #expect(engine.state.transactions.last?.expiresDate == bought.commitment?.endDate)
    }

    @Test("a state with a commitment survives its file, and one with an impossible commitment is rejected")
    func stateFile() async throws {
        var engine = engine()
        _ = try commit(&engine)
        try await withTemporaryFolder { [state = engine.state] folder in
            try StateFile.write(state, to: "\(folder)/state")
            #expect(try StateFile.read("\(folder)/state") == state)
        }
        for (month, count) in [(0, 12), (13, 12), (1, 0), (1, .max)] {
            var state = engine.state
            state.subscriptions[0].commitment = Commitment(
                month: month, monthCount: count, price: Milliunits(1), endDate: SampleStore.start)
            #expect(state.inconsistency != nil)
            state = engine.state
            state.transactions[0].commitment = Commitment(
                month: month, monthCount: count, price: Milliunits(1), endDate: SampleStore.start)
            #expect(state.inconsistency != nil)
        }
    }
}
