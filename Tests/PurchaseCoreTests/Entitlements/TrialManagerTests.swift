import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Trials")
struct TrialManagerTests {
    private let product = Sample.product(
        "pro.monthly",
        subscription: SubscriptionTerms(
            groupID: "group", level: 1, period: .month,
            introductoryOffer: ProductOffer(
                type: .introductory, paymentMode: .freeTrial, period: .week, price: Milliunits(0))))

    private func eligibility(
        _ transactions: [Transaction], renewalInfos: [RenewalInfo] = [], day: Int = 100, isStoreReachable: Bool = true
    ) -> TrialEligibility {
        let evidence = PurchaseEvidence(
            transactions: transactions, renewalInfos: renewalInfos, isStoreReachable: isStoreReachable)
        return TrialManager(evidence: evidence, clock: Sample.at(day: day)).introductoryOffer(of: product)
    }

    @Test("an introductory offer can be used once in a group, even if it was refunded")
    func once() throws {
        #expect(eligibility([]) == .eligible(try #require(product.subscription?.introductoryOffer)))
        let used = try Sample.transaction("1", "pro.yearly", expires: Sample.at(day: 7)) {
            $0.offerType = .introductory
        }
        #expect(eligibility([used]) == .ineligible(.alreadyUsed))
        let refunded = try Sample.transaction("1", "pro.yearly", expires: Sample.at(day: 7)) {
            $0.offerType = .introductory
            $0.revocationDate = Sample.at(day: 2)
        }
        #expect(eligibility([refunded]) == .ineligible(.alreadyUsed))
        let elsewhere = try Sample.transaction("1", "other", expires: Sample.at(day: 7)) {
            $0.type = .autoRenewableSubscription
            $0.subscriptionGroupIdentifier = "another group"
            $0.offerType = .introductory
        }
        #expect(eligibility([elsewhere]) == eligibility([]))
        let plain = Sample.product("pro.monthly")
        let manager = TrialManager(evidence: PurchaseEvidence(transactions: []), clock: Sample.at(0))
        #expect(manager.introductoryOffer(of: plain) == .ineligible(.noOffer))
    }

    @Test("a customer with a subscription in force in the group is not eligible")
    func subscribed() throws {
        let running = try Sample.transaction("1", "pro.yearly", expires: Sample.at(day: 365))
        #expect(eligibility([running]) == .ineligible(.subscribed))
        let lapsed = try Sample.transaction("1", "pro.yearly", expires: Sample.at(day: 30))
        #expect(eligibility([lapsed]) == eligibility([]))
        let grace = try #require(
            RenewalInfo(Sample.renewal("1", signed: Sample.at(day: 31), retry: true, grace: Sample.at(day: 120))))
        #expect(eligibility([lapsed], renewalInfos: [grace]) == .ineligible(.subscribed))
    }

    @Test("a family-shared subscription does not make the customer ineligible")
    func familyShared() throws {
        func shared(_ group: String?) throws -> Transaction {
            try Sample.transaction("1", "pro.yearly", expires: Sample.at(day: 365)) {
                $0.inAppOwnershipType = .familyShared
                $0.subscriptionGroupIdentifier = group
                $0.offerType = .introductory
            }
        }
        #expect(eligibility([try shared("group")]) == eligibility([]))
        #expect(eligibility([try shared(nil)]) == eligibility([]))
        let own = try Sample.transaction("2", "pro.monthly", expires: Sample.at(day: 200))
        #expect(eligibility([try shared("group"), own]) == .ineligible(.subscribed))
    }

    @Test("eligibility is unknown without the store's answer or with an unknown group")
    func unknown() throws {
        #expect(eligibility([], isStoreReachable: false) == .unknown)
        let old = try Sample.transaction("1", "pro.yearly", expires: Sample.at(day: 7)) {
            $0.subscriptionGroupIdentifier = nil
        }
        #expect(eligibility([old]) == .unknown)
    }

    @Test("eligibility is unknown while the first period of a subscription, which a trial applies to, is missing")
    func withoutFirstPeriod() throws {
        let renewal = try Sample.transaction(
            "2", "pro.monthly", bought: Sample.at(day: 30), expires: Sample.at(day: 60), original: "1")
        #expect(eligibility([renewal]) == .unknown)
        let first = try Sample.transaction("1", "pro.monthly", expires: Sample.at(day: 30))
        #expect(eligibility([first, renewal]) == eligibility([]))
    }

    @Test("[OTP-4.5] remaining trial days count down, and a clock set back does not add any")
    func remaining() throws {
        let trial = try Sample.transaction("1", "pro.monthly", expires: Sample.at(day: 7)) {
            $0.offerType = .introductory
            $0.offerDiscountType = .freeTrial
        }
        func days(_ clock: Timestamp, seen: Timestamp? = nil) -> Int? {
            TrialManager(
                evidence: PurchaseEvidence(
                    transactions: [trial], clock: ClockMarks(device: seen), isStoreReachable: false), clock: clock
            ).getRemainingTrialDays()
        }
        #expect(days(Sample.at(0)) == 7)
        #expect(days(Sample.at(1)) == 7)
        #expect(days(Sample.at(day: 6)) == 1)
        #expect(days(Sample.at(day: 7)) == 0)
        #expect(days(Sample.at(7 * Sample.day + 1)) == nil)
        #expect(days(Sample.at(day: 1), seen: Sample.at(day: 5)) == 2, "a clock set back does not lengthen a trial")
        #expect(days(Sample.at(day: 1), seen: Sample.at(day: 8)) == nil)
    }

    @Test("[OTP-8.3] a subscription whose absence from the store is confirmed counts neither as running nor as a trial")
    func absent() throws {
        let trial = try Sample.transaction("1", "pro.monthly", expires: Sample.at(day: 7)) {
            $0.offerDiscountType = .freeTrial
        }
        for isConfirmed in [true, false] {
            let evidence = PurchaseEvidence(
                transactions: [trial],
                absences: [AbsentPurchase(transactionID: "1", since: Sample.at(0), isConfirmed: isConfirmed)])
            let manager = TrialManager(evidence: evidence, clock: Sample.at(0))
            #expect(manager.remainingTrialDays() == (isConfirmed ? nil : 7))
            #expect(
                manager.introductoryOffer(of: product) == (isConfirmed ? eligibility([]) : .ineligible(.subscribed)))
        }
    }
}
