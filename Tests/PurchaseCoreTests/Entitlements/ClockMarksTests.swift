import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Clock marks")
struct ClockMarksTests {
    private enum State: String, CaseIterable { case lifetime, subscription, grace, offlineGrace, season, expired }

    /// Returns a harness with one purchase in a state on day 30, whose store has just become unreachable.
    private func harness(_ state: State) async throws -> ServiceHarness {
        let harness = ServiceHarness()
        let productID =
            switch state {
            case .lifetime: "pro.lifetime"
            case .season: "pro.season"
            default: "pro.monthly"
            }
        let transaction = harness.verifier.sign(
            Sample.payload("1", productID) { payload in
                guard payload.type == .autoRenewableSubscription else { return }
                payload.expiresDate = state == .subscription ? Sample.at(day: 40) : Sample.at(day: 29)
            })
        await harness.store.deliver(transaction)
        await harness.service.resumeUnfinishedPurchases()
        let renewal: JWSRenewalInfoDecodedPayload? =
            switch state {
            case .grace: Sample.renewal("1", signed: Sample.at(day: 1), retry: true, grace: Sample.at(day: 45))
            case .offlineGrace: Sample.renewal("1", signed: Sample.at(day: 1))
            default: nil
            }
        if let renewal {
            await harness.store.setStatuses([
                SignedSubscriptionStatus(transaction: transaction, renewalInfoJWS: harness.verifier.sign(renewal))
            ])
            _ = try await harness.entitlements()
        }
        harness.clock.set(Sample.at(day: 30))
        await harness.store.fail(StoreError(.network, "down"))
        #expect(try await harness.entitlements().isPro == (state != .expired))
        return harness
    }

    @Test("[defect 8] [defect 9] a clock set back does not extend access in any state")
    func backward() async throws {
        for state in State.allCases {
            let harness = try await harness(state)
            // After the end of everything that ends.
            harness.clock.set(Sample.at(day: 100))
            let late = try await harness.entitlements(harness.restarted())
            #expect(late.isPro == (state == .lifetime), "\(state)")
            for day in [99, 50, 31, 1, -400] {
                harness.clock.set(Sample.at(day: day))
                let back = try await harness.entitlements(harness.restarted())
                #expect(back == late, "\(state), back to day \(day)")
            }
        }
    }

    @Test("[defect 9] a clock set forward does not end a non-consumable")
    func forward() async throws {
        let harness = try await harness(.lifetime)
        for day in [400, 40_000, 2_000_000] {
            harness.clock.set(Sample.at(day: day))
            #expect(try await harness.entitlements().isPro)
        }
    }

    @Test("[defect 9] after the clock ran ahead, the next signature of the store restores access")
    func forwardAndBack() async throws {
        let harness = try await harness(.subscription)
        harness.clock.set(Sample.at(day: 4000))
        #expect(try await harness.entitlements().isPro == false)
        harness.clock.set(Sample.at(day: 31))
        #expect(try await harness.entitlements().isPro == false, "no signature confirms the clock yet")
        await harness.store.fail(nil)
        await harness.store.setStatuses([
            SignedSubscriptionStatus(
                transaction: harness.verifier.sign(Sample.payload("1", "pro.monthly", expires: Sample.at(day: 40))),
                renewalInfoJWS: harness.verifier.sign(Sample.renewal("1", signed: Sample.at(day: 31))))
        ])
        #expect(try await harness.entitlements().isPro)
    }

    @Test("[defect 9] one look with a clock 400 days ahead locks no paying customer out, with the store or without")
    func oneLookAhead() async throws {
        for isReachableAhead in [true, false] {
            let harness = ServiceHarness()
            _ = await harness.service.purchase(productID: "pro.monthly")
            harness.clock.set(Sample.at(day: 400))
            if !isReachableAhead { await harness.store.fail(StoreError(.network, "down")) }
            let ahead = try await harness.entitlements(harness.restarted())
            #expect(ahead.isPro == isReachableAhead, "what the store lists as current is granted")
            let end = ahead.nextEnd ?? Sample.at(day: 400)
            #expect(end >= Sample.at(day: 400) && end < Sample.at(day: 401))
            harness.clock.set(Sample.at(day: 1))
            await harness.store.fail(nil)
            #expect(try await harness.entitlements(harness.restarted()).isPro)
            await harness.store.fail(StoreError(.network, "down"))
            #expect(try await harness.entitlements(harness.restarted()).isPro, "the store has vouched for the clock")
            harness.clock.set(Sample.at(day: 31))
            #expect(try await harness.entitlements(harness.restarted()).isPro == false)
        }
    }

    @Test("[defect 8] with the store the latest signature binds, also if the clock shows an earlier time")
    func signedMark() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "pro.monthly")
        _ = await harness.service.purchase(productID: "template.a")
        // The template is known; only its signature is new.
        await harness.store.setEntitled([
            harness.verifier.sign(Sample.payload("sale-2", "template.a", signed: Sample.at(day: 31)))
        ])
        #expect(try await harness.entitlements().isPro == false)
        harness.clock.set(Sample.at(day: -400))
        for isReachable in [true, false] {
            if !isReachable { await harness.store.fail(StoreError(.network, "down")) }
            let entitlements = try await harness.entitlements(harness.restarted())
            #expect(!entitlements.isPro)
            #expect(entitlements.asOf == Sample.at(31 * Sample.day + 1))
        }
    }

    @Test("[PFC-11] [defect 8] a forged ledger entry grants nothing")
    func editedLedger() async throws {
        let harness = ServiceHarness()
        let forged = harness.verifier.forge(Sample.payload("1", "pro.lifetime"))
        let transaction = try Sample.transaction("1", "pro.lifetime")
        _ = try await harness.ledger.observe(forged, from: .purchase, at: Sample.at(0))
        _ = try await harness.ledger.markVerified(transaction, signedText: forged.signedText)
        _ = try await harness.ledger.record(transaction, signedText: forged.signedText, for: nil)
        let claim = try #require(
            try await harness.ledger.claimFulfilment(
                of: transaction.purchaseKey, from: Sample.at(0), until: Sample.at(1)))
        try await harness.ledger.markGranted(
            signedText: forged.signedText, .granted(productID: "pro.yearly", quantity: 1), under: claim)
        try await harness.ledger.markFinished(signedText: forged.signedText)
        #expect(try await harness.entitlements().grounds.isEmpty)
        await harness.store.fail(StoreError(.network, "down"))
        #expect(try await harness.entitlements(harness.restarted()).grounds.isEmpty)
        #expect(await harness.service.currentEntitlements().isEmpty)
    }

    @Test("the device mark binds beyond a day and only while the store cannot be reached, and an answer moves it back")
    func deviceMark() {
        var marks = ClockMarks(signed: Sample.at(day: 2))
        marks.recordClock(Sample.at(day: 10))
        for (day, expected) in [(1, 10), (8, 10), (9, 9), (10, 10), (11, 11)] {
            #expect(marks.time(byClock: Sample.at(day: day)) == Sample.at(day: expected))
        }
        #expect(marks.time(byClock: Sample.at(day: 1), isStoreReachable: true) == Sample.at(2 * Sample.day + 1))
        #expect(marks.time(byClock: Sample.at(day: 5), isStoreReachable: true) == Sample.at(day: 5))
        marks.recordStoreAnswer(clock: Sample.at(day: 1))
        #expect(marks == ClockMarks(device: Sample.at(day: 2), signed: Sample.at(day: 2)))
        marks.recordStoreAnswer(clock: Sample.at(day: 3))
        #expect(marks.device == Sample.at(day: 3))
    }

    @Test("marks move back only when a new signature agrees with the clock")
    func marks() {
        var marks = ClockMarks()
        #expect(marks.time(byClock: Sample.at(day: 1)) == Sample.at(day: 1))
        marks.recordClock(Sample.at(day: 10))
        marks.recordClock(Sample.at(day: 5))
        #expect(marks.time(byClock: Sample.at(day: 5)) == Sample.at(day: 10))
        #expect(marks.isSuspect(Sample.at(day: 5)))
        #expect(!marks.isSuspect(Sample.at(day: 9)), "one day is within the tolerance")
        // An old signature does not confirm the clock.
        marks.recordSignature(Sample.at(day: 2), clock: Sample.at(day: 5))
        #expect(marks.device == Sample.at(day: 10))
        marks.recordSignature(Sample.at(day: 5), clock: Sample.at(day: 5))
        #expect(marks.time(byClock: Sample.at(day: 5)) == Sample.at(day: 5))
        // A replayed signature does not confirm the clock.
        marks.recordClock(Sample.at(day: 20))
        marks.recordSignature(Sample.at(day: 5), clock: Sample.at(day: 5))
        #expect(marks.time(byClock: Sample.at(day: 5)) == Sample.at(day: 20))
    }
}
