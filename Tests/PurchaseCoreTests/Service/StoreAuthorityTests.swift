import PurchaseCore
import ReceiptTypes
import Testing

/// A recorded purchase that the store no longer lists.
@Suite("Authority of the store", .timeLimit(.minutes(15)))
struct StoreAuthorityTests {
    private let templateA = TemplateID(rawValue: "A")

    /// Returns a harness with a bought template and coins, after the store has switched to a customer without
    /// purchases.
    private func switched() async throws -> ServiceHarness {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        _ = await harness.service.purchase(productID: "coins")
        #expect(try await harness.entitlements().unconfirmedGrounds.isEmpty)
        await harness.store.switchCustomer()
        return harness
    }

    @Test("[OTP-8.3] a purchase that the store lacks twice, a day apart, ends; it is back when listed again")
    func absence() async throws {
        let harness = try await switched()
        for time in [0, 1000, Sample.day - 1] {
            harness.clock.set(Sample.at(time))
            let entitlements = try await harness.entitlements(harness.restarted())
            #expect(entitlements.templates == [templateA])
            #expect(entitlements.unconfirmedGrounds.map(\.productID) == ["template.a"])
        }
        #expect(harness.log.kinds.filter { $0 == .notListed }.count == 1)
        harness.clock.set(Sample.at(Sample.day))
        let ended = try await harness.entitlements(harness.restarted())
        #expect(ended.grounds.isEmpty)
        #expect(ended.denials == ["template.a": .notListedByStore])
        #expect(ended.balances == ["coins": 1], "stores do not list consumables")
        #expect(harness.log.kinds.filter { $0 == .notListed }.count == 2)
        #expect(await harness.service.currentEntitlements().isEmpty)
        await harness.store.fail(StoreError(.network, "down"))
        #expect(try await harness.entitlements(harness.restarted()).grounds.isEmpty, "the store has confirmed it")
        #expect(await harness.service.currentEntitlements().isEmpty)
        await harness.store.fail(nil)
        await harness.store.setEntitled([harness.verifier.sign(Sample.payload("sale-1", "template.a"))])
        let back = try await harness.entitlements(harness.restarted())
        #expect(back.templates == [templateA])
        #expect(back.unconfirmedGrounds.isEmpty)
    }

    @Test("[OTP-8.3] a restore that finds nothing ends a purchase that the store does not list", arguments: [0, 1])
    func restore(earlierAnswers: Int) async throws {
        let harness = try await switched()
        for _ in 0..<earlierAnswers { #expect(try await harness.entitlements().templates == [templateA]) }
        #expect(try await harness.service.requestAllPurchaseHistory().isEmpty)
        #expect(try await harness.entitlements().denials == ["template.a": .notListedByStore])
        // A restore for the customer of the purchase brings it back.
        await harness.store.remember(harness.verifier.sign(Sample.payload("sale-1", "template.a")))
        #expect(try await harness.service.requestAllPurchaseHistory().known.count == 1)
        #expect(try await harness.entitlements().templates == [templateA])
        await harness.store.switchCustomer()
        await harness.store.fail(StoreError(.network, "down"))
        await #expect(throws: StoreError.self) { try await harness.service.requestAllPurchaseHistory() }
        #expect(try await harness.entitlements().templates == [templateA], "a restore that fails confirms nothing")
    }

    @Test("[OTP-8.3] a purchase in the store's history stays, even if the list lacks it for days")
    func history() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.setEntitled([])
        for day in 0..<5 {
            harness.clock.set(Sample.at(day: day))
            let entitlements = try await harness.entitlements(harness.restarted())
            #expect(entitlements.templates == [templateA])
            #expect(entitlements.unconfirmedGrounds.isEmpty)
        }
        _ = try await harness.service.requestAllPurchaseHistory()
        #expect(try await harness.entitlements().templates == [templateA])
    }

    @Test("[OTP-8.3] a list that lacks a purchase proves nothing while the history does not answer")
    func noHistory() async throws {
        let harness = try await switched()
        let gate = Gate()
        await harness.store.hold(gate, at: .history)
        for (number, day) in [0, 2].enumerated() {
            harness.clock.set(Sample.at(day: day))
            let evidence = Task { try await harness.service.evidence() }
            await gate.arrived(number + 1)
            harness.timer.advance(by: PurchaseDeadlines().queryMilliseconds)
            let found = try await evidence.value
            #expect(found.absences.isEmpty && !found.isStoreReachable)
        }
        await gate.open()
    }

    @Test("[OTP-8.3] a purchase that the store lists with a signature that cannot be verified now is not missing")
    func undecided() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.switchCustomer()
        let listed = harness.verifier.sign(Sample.payload("sale-1", "template.a", signed: Sample.at(1)))
        harness.verifier.fail(listed.signedText, with: VerificationFailure(code: .verificationTimedOut))
        await harness.store.setEntitled([listed])
        for day in 0..<3 {
            harness.clock.set(Sample.at(day: day))
            let entitlements = try await harness.entitlements(harness.restarted())
            #expect(entitlements.templates == [templateA])
            #expect(entitlements.unconfirmedGrounds.isEmpty)
        }
        harness.verifier.fail(listed.signedText, with: VerificationFailure(code: .signatureInvalid))
        let forged = try await harness.entitlements(harness.restarted())
        #expect(forged.templates == [templateA])
        #expect(forged.unconfirmedGrounds.isEmpty, "the recorded version counts, and the store lists it")
    }

    @Test("[OTP-8.3] an answer with the purchase in between starts the day anew")
    func faultyAnswers() async throws {
        let harness = try await switched()
        let listed = harness.verifier.sign(Sample.payload("sale-1", "template.a"))
        _ = try await harness.entitlements()
        harness.clock.set(Sample.at(Sample.day / 2))
        await harness.store.setEntitled([listed])
        #expect(try await harness.entitlements().unconfirmedGrounds.isEmpty)
        await harness.store.setEntitled([])
        for time in [Sample.day, Sample.day + Sample.day / 2] {
            harness.clock.set(Sample.at(time))
            #expect(try await harness.entitlements().unconfirmedGrounds.count == 1, "\(time)")
        }
        harness.clock.set(Sample.at(day: 2))
        #expect(try await harness.entitlements().grounds.isEmpty)
    }

    @Test("[OTP-8.3] a listed purchase stays in force if the listed signature is rejected")
    func listedButRejected() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        let forged = harness.verifier.forge(Sample.payload("sale-1", "template.a"))
        await harness.store.switchCustomer()
        await harness.store.setEntitled([forged])
        for day in [0, 1, 2] {
            harness.clock.set(Sample.at(day: day))
            let entitlements = try await harness.entitlements(harness.restarted())
            #expect(entitlements.templates == [templateA])
            #expect(entitlements.unconfirmedGrounds.isEmpty)
        }
    }

    @Test("[OTP-8.3] an absence that was noted while the clock was ahead is confirmed a day after the clock is right")
    func absenceFromTheFuture() async throws {
        let harness = try await switched()
        harness.clock.set(Sample.at(day: 3_650))
        #expect(try await harness.entitlements().unconfirmedGrounds.count == 1)
        for time in [Sample.day, 2 * Sample.day - 1] {
            harness.clock.set(Sample.at(time))
            #expect(try await harness.entitlements().unconfirmedGrounds.count == 1)
        }
        harness.clock.set(Sample.at(2 * Sample.day))
        #expect(try await harness.entitlements().denials == ["template.a": .notListedByStore])
    }

    @Test("[OTP-8.3] while the store cannot be reached no purchase ends")
    func offline() async throws {
        let harness = try await switched()
        _ = try await harness.entitlements()
        await harness.store.fail(StoreError(.network, "down"))
        harness.clock.set(Sample.at(day: 30))
        let entitlements = try await harness.entitlements(harness.restarted())
        #expect(entitlements.templates == [templateA])
        #expect(entitlements.unconfirmedGrounds.count == 1)
    }

    @Test("[OTP-8.3] [PSE-12] a list with the customer's own purchase does not put the family-shared one in doubt")
    func family() async throws {
        let harness = ServiceHarness()
        let own = harness.verifier.sign(Sample.payload("1", "template.a"))
        let shared = harness.verifier.sign(
            Sample.payload("2", "template.a") { $0.inAppOwnershipType = .familyShared })
        for transaction in [own, shared] {
            await harness.store.deliver(transaction)
            await harness.service.resumeUnfinishedPurchases()
        }
        await harness.store.switchCustomer()
        await harness.store.setEntitled([own])
        for day in [0, 2] {
            harness.clock.set(Sample.at(day: day))
            for _ in 0..<5 {
                let kinds = try await harness.entitlements().grounds.values.joined().map(\.kind)
                #expect(kinds == [.lifetime, .familyLifetime])
            }
        }
        #expect(await harness.store.historyRequests == 1, "the history could have had a revocation")
        // The customer's own purchase is refunded, and the store lists neither.
        await harness.store.switchCustomer()
        await harness.store.remember(
            harness.verifier.sign(
                Sample.payload("1", "template.a", signed: Sample.at(day: 2)) { $0.revocationDate = Sample.at(day: 2) }))
        let left = try await harness.entitlements()
        #expect(left.unconfirmedGrounds.map(\.kind) == [.familyLifetime])
        harness.clock.set(Sample.at(day: 3))
        #expect(try await harness.entitlements().grounds.isEmpty)
    }

    @Test("[OTP-8.3] the absence of one account's purchase says nothing about another account's")
    func accounts() async throws {
        let (anna, bert) = ("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d", "00000000-2a51-4b54-8e51-3b0e5a0b1c2d")
        let harness = ServiceHarness(account: UUIDText(anna))
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.switchCustomer()
        _ = try await harness.service.requestAllPurchaseHistory()
        let bertsService = harness.restarted(account: UUIDText(bert))
        _ = await bertsService.purchase(productID: "template.a")
        #expect(try await harness.entitlements(bertsService).templates == [templateA])
        await harness.store.switchCustomer()
        _ = try await harness.entitlements(bertsService)
        #expect(try await harness.entitlements().denials == ["template.a": .notListedByStore])
        #expect(try await harness.entitlements(bertsService).unconfirmedGrounds.count == 1)
    }

    @Test("[OTP-8.3] a purchase that is made while the store answers is not missing from the answer")
    func purchaseMeanwhile() async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.holdEntitlements(gate)
        let restore = Task { try await harness.service.requestAllPurchaseHistory() }
        await gate.arrived()
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.switchCustomer()
        await gate.open()
        _ = try await restore.value
        await harness.store.holdEntitlements(nil)
        #expect(try await harness.entitlements().templates == [templateA])
    }

    @Test(
        "[OTP-8.3] a question whose caller is cancelled does not make the store's answer incomplete",
        .timeLimit(.minutes(15)))
    func cancelledCaller() async throws {
        for isRestore in [true, false] {
            let harness = ServiceHarness()
            _ = await harness.service.purchase(productID: "template.a")
            let gate = Gate()
            let service = PurchaseService(
                store: ChangedStore(base: harness.store, listGate: gate), ledger: harness.ledger,
                verifier: harness.verifier,
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            let caller = Task {
                if isRestore {
                    _ = try await service.requestAllPurchaseHistory()
                } else {
                    _ = try await service.evidence()
                }
            }
            await gate.arrived()
            caller.cancel()
            await gate.open()
            _ = await caller.result
            #expect(try await harness.ledger.memory().absences.isEmpty)
            #expect(try await harness.entitlements().templates == [templateA])
        }
    }

    @Test("[OTP-8.3] an answer that comes late does not replace the answer to a later question")
    func lateAnswer() async throws {
        let harness = try await switched()
        let gate = Gate()
        await harness.store.holdEntitlements(gate)
        let late = Task { try await harness.service.evidence() }
        await gate.arrived()
        await harness.store.holdEntitlements(nil)
        await harness.store.setEntitled([harness.verifier.sign(Sample.payload("sale-1", "template.a"))])
        #expect(try await harness.entitlements().unconfirmedGrounds.isEmpty)
        await gate.open()
        _ = try await late.value
        #expect(try await harness.ledger.memory().absences.isEmpty)
    }

    @Test("[OTP-8.3] a restore brings a purchase back, although a refresh overtakes it")
    func overtakenRestore() async throws {
        let harness = try await switched()
        _ = try await harness.service.requestAllPurchaseHistory()
        await harness.store.remember(harness.verifier.sign(Sample.payload("sale-1", "template.a")))
        let gate = Gate()
        await harness.store.holdEntitlements(gate)
        let restore = Task { try await harness.service.requestAllPurchaseHistory() }
        await gate.arrived()
        await harness.store.holdEntitlements(nil)
        #expect(try await harness.entitlements().grounds.isEmpty, "only the history has it")
        await gate.open()
        _ = try await restore.value
        #expect(try await harness.entitlements().templates == [templateA])
    }

    @Test("two purchases of a non-renewing product, of which the store lists the latest, do not load the history")
    func nonRenewing() async throws {
        let harness = ServiceHarness()
        for number in 1...2 {
            await harness.store.deliver(
                harness.verifier.sign(Sample.payload("\(number)", "pro.season", bought: Sample.at(day: number))))
            await harness.service.resumeUnfinishedPurchases()
        }
        await harness.store.setEntitled([
            harness.verifier.sign(Sample.payload("2", "pro.season", bought: Sample.at(day: 2)))
        ])
        for _ in 0..<10 { #expect(try await harness.entitlements().grounds[.pro]?.count == 2) }
        #expect(await harness.store.historyRequests == 0)
        // Without either, the list can be incomplete.
        await harness.store.setEntitled([])
        #expect(try await harness.entitlements().isPro)
        #expect(await harness.store.historyRequests == 1)
    }

    @Test("after a confirmed absence the history is not loaded at every refresh")
    func confirmedAbsence() async throws {
        let harness = try await switched()
        _ = try await harness.service.requestAllPurchaseHistory()
        let requests = await harness.store.historyRequests
        for _ in 0..<10 { #expect(try await harness.entitlements().grounds.isEmpty) }
        #expect(await harness.store.historyRequests == requests)
    }

    @Test("a renewal info with an objection of the store is ignored, even with a valid signature")
    func renewalInfoObjection() async throws {
        let harness = ServiceHarness()
        let transaction = harness.verifier.sign(Sample.payload("1", "pro.monthly", expires: Sample.at(day: 30)))
        await harness.store.deliver(transaction)
        await harness.service.resumeUnfinishedPurchases()
        harness.clock.set(Sample.at(day: 31))
        let grace = harness.verifier.sign(
            Sample.renewal("1", signed: Sample.at(day: 31), retry: true, grace: Sample.at(day: 45)))
        for (objection, isPro) in [("made for another device", false), (nil, true)] {
            await harness.store.setStatuses([
                SignedSubscriptionStatus(
                    transaction: transaction, renewalInfoJWS: grace, renewalInfoObjection: objection)
            ])
            #expect(try await harness.entitlements().isPro == isPro)
            #expect(try await harness.ledger.renewalInfos().isEmpty == !isPro)
        }
        #expect(harness.log.events.contains { $0.kind == .unverified && $0.detail.contains("another device") })
    }
}
