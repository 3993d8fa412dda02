import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Clock guard")
struct ClockTests {
    private enum State: String, CaseIterable { case lifetime, subscription, grace, offlineGrace, season, expired }

    /// A bench with one purchase in a state, thirty days in, and then without a network.
    private func bench(_ state: State) async throws -> Bench {
        let bench = Bench()
        let productID =
            switch state {
            case .lifetime: "pro.lifetime"
            case .season: "pro.season"
            default: "pro.monthly"
            }
        let transaction = bench.verifier.sign(
            Sample.payload("1", productID) { payload in
                guard payload.type == .autoRenewableSubscription else { return }
                payload.expiresDate = state == .subscription ? Sample.at(day: 40) : Sample.at(day: 29)
            })
        await bench.store.deliver(transaction)
        await bench.service.settle()
        let renewal: JWSRenewalInfoDecodedPayload? =
            switch state {
            case .grace: Sample.renewal("1", signed: Sample.at(day: 1), retry: true, grace: Sample.at(day: 45))
            case .offlineGrace: Sample.renewal("1", signed: Sample.at(day: 1))
            default: nil
            }
        if let renewal {
            await bench.store.setStatuses([
                SignedSubscriptionStatus(transaction: transaction, renewalInfoJWS: bench.verifier.sign(renewal))
            ])
            _ = try await bench.entitlements()
        }
        bench.clock.set(Sample.at(day: 30))
        await bench.store.fail(StoreError(.network, "down"))
        #expect(try await bench.entitlements().isPro == (state != .expired))
        return bench
    }

    @Test("[PSE-12] [defect 8] [defect 9] a clock set back lengthens nothing, in any state")
    func backward() async throws {
        for state in State.allCases {
            let bench = try await bench(state)
            // So late that everything that ends has ended.
            bench.clock.set(Sample.at(day: 100))
            let late = try await bench.entitlements(bench.restarted())
            #expect(late.isPro == (state == .lifetime), "\(state)")
            for day in [99, 50, 31, 1, -400] {
                bench.clock.set(Sample.at(day: day))
                let back = try await bench.entitlements(bench.restarted())
                #expect(back == late, "\(state), back to day \(day)")
            }
        }
    }

    @Test("[PSE-12] [defect 9] a clock set forward takes no one-time purchase away")
    func forward() async throws {
        let bench = try await bench(.lifetime)
        for day in [400, 40_000, 2_000_000] {
            bench.clock.set(Sample.at(day: day))
            #expect(try await bench.entitlements().isPro)
        }
    }

    @Test("[PSE-12] [defect 9] after a clock that ran ahead, the store's next signature ends the mistake")
    func forwardAndBack() async throws {
        let bench = try await bench(.subscription)
        bench.clock.set(Sample.at(day: 4000))
        #expect(try await bench.entitlements().isPro == false)
        bench.clock.set(Sample.at(day: 31))
        #expect(try await bench.entitlements().isPro == false, "an unsupported claim of the clock")
        await bench.store.fail(nil)
        await bench.store.setStatuses([
            SignedSubscriptionStatus(
                transaction: bench.verifier.sign(Sample.payload("1", "pro.monthly", expires: Sample.at(day: 40))),
                renewalInfoJWS: bench.verifier.sign(Sample.renewal("1", signed: Sample.at(day: 31))))
        ])
        #expect(try await bench.entitlements().isPro)
    }

    @Test("[PSE-12] [defect 8] what somebody wrote into the journal grants nothing")
    func editedJournal() async throws {
        let bench = Bench()
        let forged = bench.verifier.forge(Sample.payload("1", "pro.lifetime"))
        let transaction = try Sample.transaction("1", "pro.lifetime")
        _ = await bench.journal.observe(forged, from: .purchase, at: Sample.at(0))
        try await bench.journal.markVerified(jws: forged.jws)
        _ = try await bench.journal.record(transaction, jws: forged.jws, for: nil)
        try await bench.journal.markGranted(jws: forged.jws, .granted, of: transaction.purchaseKey)
        try await bench.journal.markFinished(jws: forged.jws)
        #expect(try await bench.entitlements().grounds.isEmpty)
        await bench.store.fail(StoreError(.network, "down"))
        #expect(try await bench.entitlements(bench.restarted()).grounds.isEmpty)
        #expect(await bench.service.currentEntitlements().isEmpty)
    }

    @Test("[PSE-12] marks only move forward, but for a new signature that agrees with the clock")
    func marks() {
        var marks = ClockMarks()
        #expect(marks.time(byClock: Sample.at(day: 1)) == Sample.at(day: 1))
        marks.noteClock(Sample.at(day: 10))
        marks.noteClock(Sample.at(day: 5))
        #expect(marks.time(byClock: Sample.at(day: 5)) == Sample.at(day: 10))
        #expect(marks.isSuspect(Sample.at(day: 5)))
        #expect(!marks.isSuspect(Sample.at(day: 9)), "a day is chance")
        // Signed long ago: says nothing about now.
        marks.noteSignature(Sample.at(day: 2), clock: Sample.at(day: 5))
        #expect(marks.device == Sample.at(day: 10))
        marks.noteSignature(Sample.at(day: 5), clock: Sample.at(day: 5))
        #expect(marks.time(byClock: Sample.at(day: 5)) == Sample.at(day: 5))
        // The same signature again vouches for nothing.
        marks.noteClock(Sample.at(day: 20))
        marks.noteSignature(Sample.at(day: 5), clock: Sample.at(day: 5))
        #expect(marks.time(byClock: Sample.at(day: 5)) == Sample.at(day: 20))
    }
}
