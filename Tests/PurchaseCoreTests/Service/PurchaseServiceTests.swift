import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Purchase service", .timeLimit(.minutes(15)))
struct PurchaseServiceTests {
    private func outcome(_ result: PurchaseResult) -> PurchaseOutcome { PurchaseResultMapping.outcome(of: result) }

    @Test("[PSE-1] [PSE-8] [OTP-2.2] a purchase in the store is verified, recorded, granted and finished")
    func purchase() async throws {
        let harness = ServiceHarness()
        #expect(outcome(await harness.service.purchase(productID: "template.a")) == .success)
        #expect(await harness.store.sales == ["template.a"])
        #expect(await harness.store.finished == ["sale-1"])
        #expect(try await harness.stages().values.map(\.self) == [.finished])
        #expect(try await harness.entitlements().templates == [TemplateID(rawValue: "A")])
        #expect(try await harness.service.products(for: ["a"]).map(\.id) == ["a"])
    }

    @Test("[PSE-2] every answer of the store has its result")
    func answers() async {
        let harness = ServiceHarness()
        let answers: [(Result<StorePurchase, StoreError>, PurchaseOutcome)] = [
            (.success(.userCancelled), .cancelled),
            (.failure(StoreError(.userCancelled, "")), .cancelled),
            (
                .failure(StoreError(.productUnavailable, "")),
                .failed(.storeKitError(StoreError(.productUnavailable, "")))
            ),
            (
                .success(.success(harness.verifier.forge(Sample.payload("1", "coins")))),
                .failed(.unverified(VerificationFailure(code: .signatureInvalid)))
            ),
            (.success(.pending), .pending(.awaitingApproval)),
        ]
        for (answer, expected) in answers {
            await harness.store.answer("coins", answer)
            #expect(outcome(await harness.service.purchase(productID: "coins")) == expected)
        }
        #expect(await harness.store.finished.isEmpty)
        #expect(await harness.fulfiller.orders.isEmpty)
    }

    @Test("[PSE-8] [PSE-10] [defect 4] an unverified purchase is quarantined and logged, and grants nothing")
    func unverified() async throws {
        let harness = ServiceHarness()
        let forged = harness.verifier.forge(Sample.payload("1", "template.a"))
        _ = await harness.listening { await harness.store.deliver(forged) }
        #expect(try await harness.entitlements().grounds.isEmpty)
        #expect(await harness.store.finished.isEmpty)
        #expect(await harness.store.unfinished == [forged])
        let entries = try await harness.ledger.entries()
        #expect(entries.map(\.quarantineReason) == [.signatureInvalid])
        #expect(harness.log.kinds.contains(.unverified))
        #expect(!harness.log.events.contains { $0.detail.contains(forged.signedText) })
    }

    @Test("[PFC-11] a transaction with an objection of the store grants nothing, even with a valid signature")
    func objection() async throws {
        let harness = ServiceHarness()
        let valid = harness.verifier.sign(Sample.payload("1", "template.a"))
        let objected = SignedTransaction(
            jws: valid.signedText, transactionID: "1", productID: "template.a", objection: "made for another device")
        _ = await harness.listening { await harness.store.deliver(objected) }
        #expect(try await harness.entitlements().grounds.isEmpty)
        #expect(await harness.store.finished.isEmpty)
        // The store withdraws its objection.
        await harness.store.deliver(valid)
        let service = harness.restarted()
        await service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements(service).grants(.template(TemplateID(rawValue: "A"))))
        #expect(await harness.store.finished == ["1"])
    }

    @Test("a retryable verification failure is not quarantined, and the transaction is verified later")
    func undecided() async throws {
        let harness = ServiceHarness()
        let transaction = harness.verifier.sign(Sample.payload("1", "template.a"))
        harness.verifier.fail(transaction.signedText, with: VerificationFailure(code: .noTrustAnchor))
        await harness.store.deliver(transaction)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.stages() == [transaction.signedText: .observed])
        #expect(try await harness.ledger.entries().first?.quarantineReason == nil)
        harness.verifier.fail(transaction.signedText, with: nil)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.stages() == [transaction.signedText: .finished])
        #expect(try await harness.entitlements().grants(.template(TemplateID(rawValue: "A"))))
    }

    @Test("a recorded transaction that cannot be verified now leaves the renewal state of the others in force")
    func undecidedBesideRenewal() async throws {
        let harness = ServiceHarness()
        let lifetime = harness.verifier.sign(Sample.payload("1", "template.a"))
        let monthly = harness.verifier.sign(Sample.payload("2", "pro.monthly", expires: Sample.at(day: 30)))
        let grace = Sample.renewal("2", signed: Sample.at(day: 30), retry: true, grace: Sample.at(day: 46))
        await harness.store.setEntitled([lifetime, monthly])
        await harness.store.setStatuses([
            SignedSubscriptionStatus(transaction: monthly, renewalInfoJWS: harness.verifier.sign(grace))
        ])
        harness.clock.set(Sample.at(day: 31))
        #expect(try await harness.service.evidence().isStoreReachable)
        harness.verifier.fail(lifetime.signedText, with: VerificationFailure(code: .noTrustAnchor))
        let evidence = try await harness.restarted().evidence()
        #expect(evidence.transactions.map(\.id) == ["2"])
        #expect(evidence.renewalInfos.map(\.gracePeriodExpiresDate) == [Sample.at(day: 46)])
        #expect(!evidence.isStoreReachable, "what is recorded is not complete")
    }

    /// A verifier that a network separates from the app.
    private struct RemoteVerifier: TransactionVerifying {
        let base: ScriptedVerifier
        let isReachable: Shared<Bool>
        func verifyTransaction(
            _ jws: String, at now: Timestamp
        ) async -> VerificationResult<JWSTransactionDecodedPayload> {
            isReachable.value
                ? base.verifyTransaction(jws, at: now) : .unverified(VerificationFailure(code: .verificationTimedOut))
        }
        func verifyRenewalInfo(
            _ jws: String, at now: Timestamp
        ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
            isReachable.value
                ? base.verifyRenewalInfo(jws, at: now) : .unverified(VerificationFailure(code: .verificationTimedOut))
        }
    }

    @Test("a subscription whose verifier is offline with the app stays in force in the grace period that is known")
    func graceWithoutVerifier() async throws {
        for (end, kind) in [(nil, Ground.Kind.offlineGrace), (Sample.at(day: 46), .gracePeriod)] {
            let harness = ServiceHarness()
            let isReachable = Shared(true)
            let service = PurchaseService(
                store: harness.store, ledger: harness.ledger,
                verifier: RemoteVerifier(base: harness.verifier, isReachable: isReachable),
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
            _ = await service.purchase(productID: "pro.monthly")
            _ = await service.purchase(productID: "template.a")
            let monthly = try #require(await harness.store.past["sale-1"])
            let info = Sample.renewal("sale-1", signed: Sample.at(day: 29), retry: end != nil, grace: end)
            await harness.store.setStatuses([
                SignedSubscriptionStatus(transaction: monthly, renewalInfoJWS: harness.verifier.sign(info))
            ])
            harness.clock.set(Sample.at(day: 29))
            _ = try await service.evidence()
            isReachable.value = false
            await harness.store.fail(StoreError(.network, "offline"))
            // A helper has recorded a newer signature, which cannot be verified here now.
            let newer = harness.verifier.sign(Sample.payload("sale-2", "template.a", signed: Sample.at(day: 29)))
            _ = try await harness.ledger.observe(newer, from: .update, at: Sample.at(day: 29))
            _ = try await harness.ledger.markVerified(
                try Sample.transaction("sale-2", "template.a", signed: Sample.at(day: 29)),
                signedText: newer.signedText)
            harness.clock.set(Sample.at(day: 31))
            #expect(try await harness.entitlements(service).grounds[.pro]?.map(\.kind) == [kind])
        }
    }

    @Test("[PSE-4] a purchase with a retryable verification failure is pending and unlocks nothing")
    func retryableFailure() async throws {
        let harness = ServiceHarness()
        let transaction = harness.verifier.sign(Sample.payload("1", "template.a"))
        harness.verifier.fail(transaction.signedText, with: VerificationFailure(code: .noTrustAnchor))
        await harness.store.answer("template.a", .success(.success(transaction)))
        #expect(
            outcome(await harness.service.purchase(productID: "template.a"))
                == .pending(.unverified(VerificationFailure(code: .noTrustAnchor))))
        #expect(try await harness.entitlements().grounds.isEmpty)
        #expect(await harness.store.finished.isEmpty)
    }

    @Test("a verified payload without a required field is quarantined")
    func incomplete() async throws {
        let harness = ServiceHarness()
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "template.a") { $0.purchaseDate = nil }))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.ledger.entries().map(\.quarantineReason) == [.transactionIncomplete])
        #expect(await harness.store.finished.isEmpty)
    }

    @Test("a verified answer for another product fails and unlocks only that product")
    func otherProduct() async throws {
        let harness = ServiceHarness()
        let other = harness.verifier.sign(Sample.payload("1", "template.b"))
        await harness.store.answer("template.a", .success(.success(other)))
        let result = outcome(await harness.service.purchase(productID: "template.a"))
        #expect(result == .failed(PurchaseFlowError(.differentProduct, "")))
        #expect(try await harness.entitlements().templates == [TemplateID(rawValue: "B")])
    }

    @Test("[PSE-12] a revoked transaction as the answer to a purchase is a failure and grants nothing")
    func revokedAnswer() async throws {
        let harness = ServiceHarness()
        let old = harness.verifier.sign(Sample.payload("1", "coins") { $0.revocationDate = Sample.at(day: 1) })
        await harness.store.answer("coins", .success(.success(old)))
        let result = outcome(await harness.service.purchase(productID: "coins"))
        #expect(result == .failed(PurchaseFlowError(.revoked, "")))
        #expect(try await harness.entitlements().balances.isEmpty)
    }

    @Test("a cancellation is no failure, whether the store answers it or throws it")
    func cancelled() async {
        let harness = ServiceHarness()
        for answer: Result<StorePurchase, StoreError> in [
            .success(.userCancelled), .failure(StoreError(.userCancelled, "")),
        ] {
            await harness.store.answer("coins", answer)
            guard case .userCancelled = await harness.service.purchase(productID: "coins") else {
                Issue.record("\(answer)")
                return
            }
        }
        #expect(harness.log.kinds.isEmpty)
    }

    @Test("a purchase that could not be verified at first is verified by the next call, and not sold twice")
    func verifiedByNextCall() async throws {
        let harness = ServiceHarness()
        let transaction = harness.verifier.sign(Sample.payload("1", "template.a"))
        harness.verifier.fail(transaction.signedText, with: VerificationFailure(code: .verificationTimedOut))
        await harness.store.answer("template.a", .success(.success(transaction)))
        await harness.store.setEntitled([transaction])
        let first = outcome(await harness.service.purchase(productID: "template.a"))
        #expect(first == .pending(.unverified(VerificationFailure(code: .verificationTimedOut))))
        harness.verifier.fail(transaction.signedText, with: nil)
        #expect(outcome(await harness.service.purchase(productID: "template.a")) == .success)
        #expect(outcome(await harness.service.purchase(productID: "template.a")) == .alreadyOwned)
        #expect(await harness.store.requests[.purchase] == 1)
    }

    @Test("a paid purchase that is not verified yet is not sold again, in the same run or after a launch, until it is")
    func unverifiedNotSoldAgain() async throws {
        let failure = VerificationFailure(code: .verificationTimedOut)
        for arrivesAsUpdate in [false, true] {
            let harness = ServiceHarness()
            let transaction = harness.verifier.sign(Sample.payload("1", "coins"))
            harness.verifier.fail(transaction.signedText, with: failure)
            if arrivesAsUpdate {
                await harness.store.deliver(transaction)
                await harness.service.resumeUnfinishedPurchases()
            } else {
                await harness.store.answer("coins", .success(.success(transaction)))
                #expect(outcome(await harness.service.purchase(productID: "coins")) == .pending(.unverified(failure)))
            }
            let sales = await harness.store.requests[.purchase, default: 0]
            // A launch knows the purchase only from the ledger.
            for service in [harness.service, harness.restarted()] {
                #expect(outcome(await service.purchase(productID: "coins")) == .pending(.unverified(failure)))
                let known = await service.resultWithoutSale(productID: "coins", options: PurchaseOptions())
                #expect(known.map(outcome) == .pending(.unverified(failure)))
            }
            harness.verifier.fail(transaction.signedText, with: nil)
            #expect(outcome(await harness.service.purchase(productID: "coins")) == .success)
            #expect(await harness.store.requests[.purchase, default: 0] == sales)
            #expect(try await harness.entitlements().balances == ["coins": 1])
            await harness.store.answer("coins", nil)
            #expect(outcome(await harness.service.purchase(productID: "coins")) == .success)
            #expect(try await harness.entitlements().balances == ["coins": 2])
        }
    }

    @Test("what only a list or the history has shown and the verifier cannot check does not keep anyone from buying")
    func unverifiedHistory() async throws {
        let harness = ServiceHarness()
        let old = harness.verifier.sign(Sample.payload("1", "coins"))
        harness.verifier.fail(old.signedText, with: VerificationFailure(code: .noTrustAnchor))
        await harness.store.remember(old)
        _ = try await harness.service.requestAllPurchaseHistory()
        #expect(outcome(await harness.service.purchase(productID: "coins")) == .success)
    }

    @Test("a paid purchase that the ledger could not record is not sold again, also while the ledger still fails")
    func notRecordedNotSoldAgain() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        let gate = Gate()
        await harness.store.hold(gate)
        let purchase = Task { await service.purchase(productID: "coins") }
        await gate.arrived()
        await simulator.setLedgerBroken(true)
        await gate.open()
        #expect(outcome(await purchase.value) == .pending(.notRecorded))
        #expect(outcome(await service.purchase(productID: "coins")) == .pending(.notRecorded))
        let other = outcome(await service.purchase(productID: "gems"))
        #expect(other == .failed(PurchaseFlowError(.ledgerUnavailable, "", underlying: LedgerError(.notWritten, ""))))
        await simulator.setLedgerBroken(false)
        #expect(outcome(await service.purchase(productID: "coins")) == .success)
        #expect(await harness.store.sales == ["coins"])
        #expect(await harness.fulfiller.balance == 1)
    }

    @Test("another purchase has to wait until the entry of the first one is in the ledger")
    func observedInSlot() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        await simulator.interrupt(before: "ledger.observe") {
            let other = PurchaseResultMapping.outcome(of: await service.purchase(productID: "gems"))
            #expect(other == .failed(PurchaseFlowError(.purchaseInProgress, "")))
        }
        #expect(outcome(await service.purchase(productID: "template.a")) == .success)
        #expect(await harness.store.sales == ["template.a"])
    }

    @Test("[defect 15] only an owned non-consumable is not bought again")
    func alreadyOwned() async throws {
        let harness = ServiceHarness()
        for product in ["template.a", "coins", "coins", "pro.monthly", "pro.yearly", "pro.lifetime"] {
            #expect(outcome(await harness.service.purchase(productID: product)) == .success)
        }
        #expect(outcome(await harness.service.purchase(productID: "template.a")) == .alreadyOwned)
        #expect(
            await harness.store.sales == ["template.a", "coins", "coins", "pro.monthly", "pro.yearly", "pro.lifetime"])
        #expect(try await harness.entitlements().balances == ["coins": 2])
    }

    @Test("a lifetime purchase after a refund that was not heard is sold by the store and unlocked")
    func unheardRefund() async throws {
        let harness = ServiceHarness()
        let store = harness.entitlementStore()
        let coordinator = ProSubscriptionCoordinator(
            purchaseService: harness.service, entitlementRefresher: store, catalog: Sample.catalog,
            flags: { FeatureFlags(purchasesEnabled: true) })
        #expect(await coordinator.buyPro(productID: "pro.lifetime") == .success)
        await harness.store.setEntitled([])
        await harness.store.remember(
            harness.verifier.sign(
                Sample.payload("sale-1", "pro.lifetime", signed: Sample.at(day: 2)) {
                    $0.revocationDate = Sample.at(day: 2)
                }))
        #expect(await coordinator.buyPro(productID: "pro.lifetime") == .success)
        #expect(await harness.store.sales == ["pro.lifetime", "pro.lifetime"])
        #expect(await store.entitlements.isPro)
        let grounds = await store.entitlements.grounds[.pro] ?? []
        #expect(grounds.map(\.transactionID).contains("sale-2"))
    }

    @Test("an owned non-consumable is not reported as bought while the store cannot be asked")
    func ownedOffline() async {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.fail(StoreError(.network, "down"))
        let result = outcome(await harness.service.purchase(productID: "template.a"))
        #expect(result == .failed(.storeKitError(StoreError(.network, ""))))
        #expect(await harness.store.sales == ["template.a"])
    }

    @Test("[PSE-4] the reason of an unverified purchase reaches the caller: pending if a retry can help, else failed")
    func reasons() async throws {
        let codes: [VerificationFailure.Code] = [
            .noTrustAnchor, .verificationTimedOut, .signatureInvalid, .bundleIDMismatch, .storeObjection,
        ]
        for code in codes {
            let harness = ServiceHarness()
            let failure = VerificationFailure(code: code)
            let transaction = harness.verifier.sign(Sample.payload("1", "template.a"))
            harness.verifier.fail(transaction.signedText, with: failure)
            await harness.store.answer("template.a", .success(.success(transaction)))
            let coordinator = TemplatePurchaseCoordinator(
                purchaseService: harness.service, entitlementRefresher: RefreshCounter(), catalog: Sample.catalog,
                flags: { FeatureFlags(purchasesEnabled: true) })
            let template = TemplateID(rawValue: "A")
            switch await coordinator.buyTemplate(templateID: template, productID: "template.a") {
            case .pending(.unverified(let found)): #expect(found.code == code && code.isRetryable)
            case .failed(let error): #expect(error.verificationFailure?.code == code && !code.isRetryable)
            default: Issue.record("\(code) has another outcome")
            }
            #expect(await harness.store.finished.isEmpty)
        }
    }

    @Test("[defect 15] a family-shared or refunded non-consumable can be bought")
    func sharedOrRevoked() async {
        let harness = ServiceHarness()
        let shared = harness.verifier.sign(Sample.payload("1", "template.a") { $0.inAppOwnershipType = .familyShared })
        await harness.store.deliver(shared)
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("2", "template.b", signed: Sample.at(1)) { $0.revocationDate = Sample.at(1) }))
        await harness.service.resumeUnfinishedPurchases()
        // The store lists what the family shares, and still the purchase as it was before the refund.
        await harness.store.setEntitled([shared, harness.verifier.sign(Sample.payload("2", "template.b"))])
        for product in ["template.a", "template.b"] {
            #expect(outcome(await harness.service.purchase(productID: product)) == .success)
        }
        #expect(await harness.store.sales == ["template.a", "template.b"])
    }

    @Test("a pending purchase is listed until it is approved, or for one day")
    func pending() async throws {
        let harness = ServiceHarness()
        await harness.store.answer("template.a", .success(.pending))
        await harness.store.answer("template.b", .success(.pending))
        for product in ["template.a", "template.a", "template.b"] {
            #expect(outcome(await harness.service.purchase(productID: product)) == .pending(.awaitingApproval))
        }
        #expect(try await harness.restarted().pendingPurchases().map(\.productID) == ["template.a", "template.b"])
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "template.a")))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.pendingPurchases().map(\.productID) == ["template.b"])
        harness.clock.set(Sample.at(day: 1))
        #expect(try await harness.service.pendingPurchases().isEmpty)
    }

    @Test("a pending purchase that was noted while the clock was ahead ends with its approval, or after a day")
    func pendingAhead() async throws {
        for (isApproved, isCorrected) in [(true, true), (true, false), (false, true)] {
            let harness = ServiceHarness()
            await harness.store.answer("template.a", .success(.pending))
            harness.clock.set(Sample.at(day: 400))
            #expect(outcome(await harness.service.purchase(productID: "template.a")) == .pending(.awaitingApproval))
            if isCorrected { harness.clock.set(Sample.at(day: 1)) }
            if isApproved {
                await harness.store.deliver(
                    harness.verifier.sign(Sample.payload("1", "template.a", signed: Sample.at(day: 1))))
                await harness.service.resumeUnfinishedPurchases()
            } else {
                #expect(try await harness.service.pendingPurchases().map(\.since) == [Sample.at(day: 1)])
                harness.clock.set(Sample.at(day: 2))
            }
            #expect(try await harness.service.pendingPurchases().isEmpty)
        }
    }

    @Test("a purchase that is approved while the store answers is not noted as pending")
    func approvedAtOnce() async throws {
        let harness = ServiceHarness()
        await harness.store.answer("coins", .success(.pending))
        let gate = Gate()
        await harness.store.hold(gate, at: .statuses)
        let purchase = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await harness.store.hold(nil, at: .statuses)
        await harness.service.resumeUnfinishedPurchases()
        await gate.open()
        _ = await purchase.value
        #expect(try await harness.service.pendingPurchases().isEmpty)
    }

    @Test("[PSE-1] current entitlements come from the store, or from the ledger while it cannot be reached")
    func currentEntitlements() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        _ = await harness.service.purchase(productID: "coins")
        await harness.store.setEntitled([
            harness.verifier.sign(Sample.payload("sale-1", "template.a")),
            harness.verifier.forge(Sample.payload("7", "pro.lifetime")),
        ])
        let results = await harness.service.currentEntitlements()
        #expect(results.compactMap(\.verifiedPayload?.id) == ["sale-1"])
        #expect(results.compactMap(\.failure?.code) == [.signatureInvalid])
        await harness.store.fail(StoreError(.network, "down"))
        #expect(await harness.service.currentEntitlements().compactMap(\.verifiedPayload?.id) == ["sale-1"])
    }

    @Test("[OTP-6.2] the complete history is fetched and recorded once; an empty history is not an error")
    func history() async throws {
        let harness = ServiceHarness()
        #expect(try await harness.service.requestAllPurchaseHistory().isEmpty)
        await harness.store.remember(harness.verifier.sign(Sample.payload("1", "template.a")))
        await harness.store.remember(harness.verifier.sign(Sample.payload("2", "pro.yearly")))
        await harness.store.remember(harness.verifier.forge(Sample.payload("3", "pro.lifetime")))
        let first = try await harness.service.requestAllPurchaseHistory()
        #expect(first.restored.map(\.id) == ["1", "2"])
        #expect(first.rejected.map(\.code) == [.signatureInvalid])
        let second = try await harness.service.requestAllPurchaseHistory()
        #expect(second.restored.isEmpty)
        #expect(second.known.map(\.id) == ["1", "2"])
        #expect(await harness.store.finished.isEmpty, "only the answer to a purchase and an update wait for it")
        await harness.store.fail(StoreError(.network, "down"))
        await #expect(throws: StoreError(.network, "")) { try await harness.service.requestAllPurchaseHistory() }
        #expect(try await harness.entitlements().isPro)
    }

    @Test("[PSE-12] a missed refund is found in the history when the store no longer lists the purchase")
    func missedRefund() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.setEntitled([])
        #expect(try await harness.entitlements().templates.isEmpty == false)
        await harness.store.remember(
            harness.verifier.sign(
                Sample.payload("sale-1", "template.a", signed: Sample.at(day: 2)) {
                    $0.revocationDate = Sample.at(day: 2)
                }))
        #expect(try await harness.entitlements().templates.isEmpty)
        await harness.service.resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.orders.map(\.fulfilment) == [.granted, .revoked])
    }
}
