import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

@Suite("Accounts", .timeLimit(.minutes(15)))
struct AccountTests {
    private let anna = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
    private let bert = UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d")

    @Test("[defect 20] a purchase for one account is not granted to another, and stays unfinished for its owner")
    func anotherAccount() async throws {
        let harness = ServiceHarness(account: bert)
        let annasPurchase = harness.verifier.sign(Sample.payload("1", "coins") { $0.appAccountToken = anna })
        await harness.store.deliver(annasPurchase)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().balances.isEmpty)
        #expect(await harness.store.finished.isEmpty)
        #expect(harness.log.kinds.contains(.conflict))
        await harness.store.answer("coins", .success(.success(annasPurchase)))
        let result = PurchaseResultMapping.outcome(of: await harness.service.purchase(productID: "coins"))
        let conflict = VerificationFailure(code: .accountMismatch)
        #expect(result == .failed(PurchaseFlowError(.conflict, "", underlying: conflict)))

        let service = harness.restarted(account: anna)
        await service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements(service).balances == ["coins": 1])
        #expect(await harness.store.finished == ["1"])
    }

    @Test("[defect 20] a purchase without an account belongs to the first that records it; another gets a conflict")
    func firstClaim() async throws {
        let harness = ServiceHarness(account: anna)
        await harness.store.remember(harness.verifier.sign(Sample.payload("1", "template.a")))
        #expect(try await harness.service.requestAllPurchaseHistory().restored.count == 1)
        let second = harness.restarted(account: bert)
        let history = try await second.requestAllPurchaseHistory()
        #expect(history.rejected.map(\.code) == [.accountMismatch])
        #expect(try await harness.entitlements(second).templates.isEmpty)
        #expect(try await harness.entitlements().templates.count == 1)
    }

    @Test("[defect 19] a billing event that the store issues under two transaction ids belongs to one account")
    func billingEvent() async throws {
        let harness = ServiceHarness(account: anna)
        func signed(_ id: String) -> SignedTransaction {
            harness.verifier.sign(
                Sample.payload(id, "pro.monthly", original: "1") { $0.webOrderLineItemId = "order" })
        }
        await harness.store.deliver(signed("1"))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().isPro)
        let second = harness.restarted(account: bert)
        await harness.store.deliver(signed("2"))
        await second.resumeUnfinishedPurchases()
        #expect(harness.log.kinds.contains(.conflict))
        #expect(try await !harness.entitlements(second).isPro)
        #expect(await harness.store.finished == ["1"])
    }

    @Test("after another user has signed in, nothing of the first is visible, bought for or granted to the second")
    @MainActor
    func changedUser() async throws {
        let harness = ServiceHarness(account: anna)
        let store = harness.entitlementStore()
        _ = await harness.service.purchase(productID: "template.a")
        let yearly = harness.verifier.sign(Sample.payload("s", "pro.yearly") { $0.appAccountToken = anna })
        await harness.store.deliver(yearly)
        await harness.service.resumeUnfinishedPurchases()
        let renewal = harness.verifier.sign(Sample.renewal("s", signed: Sample.at(0)))
        await harness.store.setStatuses([SignedSubscriptionStatus(transaction: yearly, renewalInfoJWS: renewal)])
        await harness.store.answer("template.b", .success(.pending))
        _ = await harness.service.purchase(productID: "template.b")
        await store.refresh()
        #expect(store.entitlements.templates.count == 1 && store.entitlements.isPro)
        #expect(try await harness.service.evidence().renewalInfos.count == 1)
        #expect(try await harness.service.pendingPurchases().map(\.account) == [anna])

        await store.changeUser { await harness.service.signIn(bert) }
        #expect(store.entitlements.grounds.isEmpty && store.entitlements.purchases.isEmpty)
        #expect(store.entitlements.denials.isEmpty)
        #expect(try await harness.service.pendingPurchases().isEmpty)
        let evidence = try await harness.service.evidence()
        #expect(evidence.transactions.isEmpty && evidence.renewalInfos.isEmpty)
        #expect(await harness.service.currentEntitlements().allSatisfy { $0.verifiedPayload == nil })
        let history = try await harness.service.requestAllPurchaseHistory()
        #expect(history.known.isEmpty && history.restored.isEmpty)
        #expect(history.rejected.map(\.code) == [.accountMismatch, .accountMismatch])
        // Anna's approval arrives while Bert is signed in: it waits for her.
        await harness.store.deliver(
            harness.verifier.sign(Sample.payload("9", "template.b") { $0.appAccountToken = anna }))
        await harness.service.resumeUnfinishedPurchases()
        #expect(await !harness.store.finished.contains("9"))
        _ = await harness.service.purchase(productID: "coins")
        #expect(await harness.store.purchaseOptions.last?.appAccountToken == bert)

        await store.changeUser { await harness.service.signIn(anna) }
        await harness.service.resumeUnfinishedPurchases()
        await store.refresh()
        #expect(store.entitlements.templates.count == 2 && store.entitlements.balances.isEmpty)
        #expect(try await harness.service.pendingPurchases().isEmpty)
        #expect(await harness.store.finished.contains("9"))
    }

    @Test("signed out, nothing of an account is visible, bought or granted, and it is again after sign-in")
    func signedOut() async throws {
        let harness = ServiceHarness(account: anna)
        _ = await harness.service.purchase(productID: "template.a")
        await harness.service.signOut()
        #expect(try await harness.service.evidence().transactions.isEmpty)
        let result = PurchaseResultMapping.outcome(of: await harness.service.purchase(productID: "template.b"))
        #expect(result == .failed(PurchaseFlowError(.signedOut, "")))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("9", "template.b")))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().templates.isEmpty)
        #expect(await !harness.store.finished.contains("9"))
        await harness.service.signIn(UUIDText(anna.rawValue.uppercased()))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().templates.count == 2)
    }

    @Test("what belongs to no account stays visible and is not taken for absent while none is signed in")
    func signedOutWithoutAccount() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        let service = harness.restarted(account: anna)
        await service.signOut()
        for day in [0, 1, 3] {
            harness.clock.set(Sample.at(day: day))
            let evidence = try await service.evidence()
            #expect(evidence.transactions.count == 1 && evidence.absences.isEmpty)
            #expect(try await harness.entitlements(service).templates.count == 1)
        }
    }

    @Test("a consumable that belongs to no account is in the balance of none, and of the one that restores it")
    func consumableWithoutAccount() async throws {
        let harness = ServiceHarness()
        let coins = harness.verifier.sign(Sample.payload("1", "coins"))
        await harness.store.deliver(coins)
        await harness.service.resumeUnfinishedPurchases()
        func balances(_ user: AppUser) async throws -> [String: Int] {
            try await harness.entitlements(harness.restarted(user: user)).balances
        }
        for user in [AppUser.noAccounts, .signedOut] {
            #expect(try await balances(user) == ["coins": 1], "\(user)")
        }
        for user in [AppUser.signedIn(anna), .signedIn(bert)] {
            #expect(try await balances(user).isEmpty, "\(user)")
        }
        _ = try await harness.restarted(account: anna).requestAllPurchaseHistory()
        #expect(try await balances(.signedIn(anna)) == ["coins": 1])
        for user in [AppUser.signedIn(bert), .signedOut] { #expect(try await balances(user).isEmpty, "\(user)") }
        #expect(await harness.fulfiller.orders.count == 1)
    }

    @Test("an update that arrives before the store's answer belongs to the user that began the purchase")
    func updateAcrossTheChange() async throws {
        let harness = ServiceHarness(account: anna)
        let gate = Gate()
        await harness.store.hold(gate)
        let signed = harness.verifier.sign(Sample.payload("1", "template.a"))
        await harness.store.answer("template.a", .success(.success(signed)))
        let purchase = Task { await harness.service.purchase(productID: "template.a") }
        await gate.arrived()
        await harness.service.signIn(bert)
        _ = await harness.listening { harness.store.send(.transaction(signed)) }
        #expect(try await harness.entitlements().templates.isEmpty)
        await gate.open()
        _ = await purchase.value
        await harness.service.signIn(anna)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().templates.count == 1)
    }

    @Test("a purchase without a signed account that one user began belongs to that user, although another signed in")
    func purchaseAcrossTheChange() async throws {
        let harness = ServiceHarness(account: anna)
        let gate = Gate()
        await harness.store.hold(gate)
        await harness.store.answer(
            "template.a", .success(.success(harness.verifier.sign(Sample.payload("1", "template.a")))))
        let purchase = Task { await harness.service.purchase(productID: "template.a") }
        await gate.arrived()
        await harness.service.signIn(bert)
        await gate.open()
        let outcome = PurchaseResultMapping.outcome(of: await purchase.value)
        #expect(outcome == .pending(.awaitingSignIn))
        #expect(try await harness.entitlements().templates.isEmpty)
        #expect(await harness.store.finished.isEmpty)
        // Neither another delivery nor a launch gives it to the second user.
        await harness.service.resumeUnfinishedPurchases()
        _ = try await harness.service.requestAllPurchaseHistory()
        let restarted = harness.restarted(account: bert)
        await restarted.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().templates.isEmpty)
        #expect(try await harness.entitlements(restarted).templates.isEmpty)
        #expect(await harness.fulfiller.orders.isEmpty)
        await restarted.signIn(anna)
        await restarted.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements(restarted).templates.count == 1)
        #expect(await harness.fulfiller.orders.map(\.account) == [anna])
    }

    @Test(
        "a retry with another user signed in leaves the purchase to its buyer until the buyer signs in again",
        arguments: [false, true])
    func retryAcrossTheChange(isDeliveredBefore: Bool) async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            fulfiller: harness.fulfiller, user: .signedIn(anna), environment: harness.environment)
        let signed = harness.verifier.sign(Sample.payload("1", "coins"))
        await harness.store.answer("coins", .success(.success(signed)))
        let gate = Gate()
        await harness.store.hold(gate)
        let purchase = Task { await service.purchase(productID: "coins") }
        await gate.arrived()
        await simulator.setLedgerBroken(true)
        await gate.open()
        let answer = await purchase.value
        guard case .deferred(.notRecorded) = answer else {
            Issue.record("the purchase was recorded: \(answer)")
            return
        }
        if isDeliveredBefore {
            // This attempt fails too, and does not know the buyer.
            await harness.store.deliver(signed)
            await service.resumeUnfinishedPurchases()
        }
        await simulator.setLedgerBroken(false)
        if !isDeliveredBefore { await harness.store.deliver(signed) }
        await service.signIn(bert)
        harness.timer.advance(by: 10_000)
        while !harness.log.kinds.contains(.conflict), !Task.isCancelled { await Task.yield() }
        await service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements(service).balances.isEmpty)
        #expect(await harness.fulfiller.orders.isEmpty)
        await service.signIn(anna)
        while await harness.store.finished.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(try await harness.entitlements(service).balances == ["coins": 1])
        #expect(await harness.fulfiller.orders.map(\.account) == [anna])
    }

    @Test("an order names the account that the purchase belongs to, signed into it or not")
    func orders() async throws {
        let harness = ServiceHarness(account: anna)
        await harness.store.deliver(harness.verifier.sign(Sample.payload("1", "coins")))
        await harness.store.deliver(
            harness.verifier.sign(Sample.payload("2", "coins") { $0.appAccountToken = anna }))
        await harness.service.resumeUnfinishedPurchases()
        #expect(await harness.fulfiller.orders.map(\.account) == [anna, anna])
        let withoutAccounts = ServiceHarness()
        await withoutAccounts.store.deliver(withoutAccounts.verifier.sign(Sample.payload("1", "coins")))
        await withoutAccounts.service.resumeUnfinishedPurchases()
        #expect(await withoutAccounts.fulfiller.orders.map(\.account) == [nil])
    }

    @Test("a refresh that began before the user changed does not show the first user's entitlements")
    @MainActor
    func refreshAcrossTheChange() async throws {
        let service = ScriptedService()
        let gate = Gate()
        await service.setEvidence(.success(PurchaseEvidence(transactions: [try Sample.transaction("1", "template.a")])))
        await service.hold(gate)
        let store = EntitlementStore(
            service: service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: ManualClock().now))
        let refresh = Task { await store.refresh() }
        await gate.arrived()
        await store.changeUser {
            await gate.open()
            await refresh.value
            #expect(store.entitlements == .empty)
            await service.setEvidence(.success(PurchaseEvidence(transactions: [])))
        }
        #expect(store.entitlements.templates.isEmpty && store.freshness == .current)
    }

    @Test("a refresh that begins while the user changes does not show the first user's entitlements")
    @MainActor
    func refreshWithinTheChange() async throws {
        let service = ScriptedService()
        await service.setEvidence(.success(PurchaseEvidence(transactions: [try Sample.transaction("1", "template.a")])))
        let store = EntitlementStore(
            service: service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: ManualClock().now))
        await store.changeUser {
            await store.refresh()
            #expect(store.entitlements == .empty && store.freshness == .notLoaded)
            await store.changeUser {}
            await store.refresh()
            #expect(store.entitlements == .empty, "the outer change still runs")
        }
        #expect(store.entitlements.templates.count == 1)
    }

    @Test(
        "a list or a restore that began before the user changed returns nothing of the first user",
        .timeLimit(.minutes(15)))
    func listAcrossTheChange() async throws {
        let harness = ServiceHarness(account: anna)
        _ = await harness.service.purchase(productID: "template.a")
        for isRestore in [false, true] {
            let service = harness.restarted(account: anna)
            let gate = Gate()
            await harness.store.hold(gate, at: .entitlements)
            let call = Task { () throws -> [Transaction] in
                guard isRestore else { return await service.currentEntitlements().compactMap(\.verifiedPayload) }
                let history = try await service.requestAllPurchaseHistory()
                return history.restored + history.known
            }
            await gate.arrived()
            await harness.store.hold(nil, at: .entitlements)
            await service.signIn(bert)
            await gate.open()
            #expect(try await call.value.isEmpty)
            #expect(try await service.evidence().absences.isEmpty)
        }
    }

    @Test("a call with options for another account does not share the purchase of that account")
    func sharedPurchase() async throws {
        let harness = ServiceHarness(account: anna)
        let gate = Gate()
        await harness.store.hold(gate)
        let first = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        await harness.service.signIn(bert)
        let second = Task {
            await harness.service.purchase(productID: "coins", options: PurchaseOptions(appAccountToken: anna))
        }
        await gate.open()
        _ = await first.value
        let answer = await second.value
        guard case .failed(let error as PurchaseFlowError) = answer else {
            Issue.record("bert shares anna's purchase: \(answer)")
            return
        }
        #expect(error.code == .conflict)
    }

    @Test("while the user changes nothing is shown, and observers learn that first", .timeLimit(.minutes(15)))
    @MainActor
    func emptiedFirst() async throws {
        let harness = ServiceHarness(account: anna)
        let store = harness.entitlementStore()
        _ = await harness.service.purchase(productID: "template.a")
        await store.refresh()
        #expect(store.entitlements.templates.count == 1)
        let updates = store.updates()
        await store.changeUser {
            #expect(store.entitlements == .empty && store.freshness == .notLoaded)
            var shown: Entitlements?
            for await entitlements in updates {
                shown = entitlements
                break
            }
            #expect(shown == .empty)
            await harness.service.signIn(bert)
        }
    }

    @Test(
        "a call that began before the user changed returns nothing of the first user",
        arguments: [LedgerStep.readRenewals, .readDeliveries, .readMemory])
    func callAcrossTheChange(step: LedgerStep) async throws {
        let harness = ServiceHarness(account: anna)
        _ = await harness.service.purchase(productID: "template.a")
        let simulator = CrashSimulator(crashingAt: .max)
        func service() -> PurchaseService {
            PurchaseService(
                store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
                fulfiller: harness.fulfiller, user: .signedIn(anna),
                environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        }
        await harness.store.fail(StoreError(.network, "down"))
        let refreshed = service()
        await simulator.interrupt(before: "ledger.\(step)") { await refreshed.signIn(bert) }
        #expect(try await refreshed.evidence().transactions.isEmpty)
        let listed = service()
        await simulator.interrupt(before: "ledger.read-deliveries") { await listed.signIn(bert) }
        #expect(await listed.currentEntitlements().isEmpty)
        #expect(await service().currentEntitlements().count == 1)
        await harness.store.fail(nil)
        let recording = service()
        await simulator.interrupt(before: "ledger.read-deliveries") { await recording.signIn(bert) }
        #expect(await recording.currentEntitlements().allSatisfy { $0.verifiedPayload == nil })
        #expect(await service().currentEntitlements().compactMap(\.verifiedPayload).count == 1)
    }

    @Test("[defect 20] the case of an account's UUID does not matter")
    func letterCase() async throws {
        let harness = ServiceHarness(account: UUIDText(anna.rawValue.uppercased()))
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("1", "template.a") { $0.appAccountToken = UUIDText(anna.rawValue.uppercased()) }))
        await harness.store.deliver(
            harness.verifier.sign(Sample.payload("2", "template.b") { $0.appAccountToken = anna }))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().templates.count == 2)
        _ = await harness.service.purchase(productID: "coins")
        #expect(await harness.store.purchaseOptions.map(\.appAccountToken) == [anna])
    }
}
