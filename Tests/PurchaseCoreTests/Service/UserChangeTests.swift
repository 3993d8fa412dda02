import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

/// Several users of the app over one account of the store.
@Suite("Users over one store account", .timeLimit(.minutes(15)))
struct UserChangeTests {
    private let anna = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
    private let bert = UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d")

    private func outcome(_ result: PurchaseResult) -> PurchaseOutcome { PurchaseResultMapping.outcome(of: result) }

    private func finished(_ ids: [String], in harness: ServiceHarness) async {
        while await harness.store.finished != ids, !Task.isCancelled { await Task.yield() }
    }

    @Test("coins whose approval arrived while another user was signed in are delivered when their buyer signs in again")
    @MainActor
    func approvalForTheFormerUser() async throws {
        let harness = ServiceHarness(account: anna)
        let store = EntitlementStore(
            service: harness.service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: ManualTimer(), clock: harness.clock.now))
        await store.start().value
        await harness.store.answer("coins", .success(.pending))
        #expect(outcome(await harness.service.purchase(productID: "coins")) == .pending(.awaitingApproval))
        await store.changeUser { await harness.service.signIn(bert) }
        await harness.store.deliver(
            harness.verifier.sign(Sample.payload("9", "coins") { $0.appAccountToken = anna }))
        await harness.service.resumeUnfinishedPurchases()
        #expect(await harness.store.finished.isEmpty && store.entitlements.balances.isEmpty)

        await store.changeUser { await harness.service.signIn(anna) }
        for await entitlements in store.updates() where entitlements.balances == ["coins": 1] { break }
        await finished(["9"], in: harness)
        #expect(store.entitlements.balances == ["coins": 1])
        #expect(await harness.fulfiller.orders.map(\.account) == [anna])
        #expect(try await harness.service.pendingPurchases().isEmpty)
    }

    @Test("each change of the user is counted once and seen by the observers, also before anything is loaded")
    @MainActor
    func countedChanges() async throws {
        let harness = ServiceHarness(account: anna)
        let store = EntitlementStore(
            service: harness.service, catalog: Sample.catalog,
            environment: PurchaseEnvironment(timer: ManualTimer(), clock: harness.clock.now))
        let seen = Locked<[Int]>([])
        let observation = store.observeChanges {
            let count = store.userChanges
            seen.withLock { if $0.last != count { $0.append(count) } }
        }
        await store.changeUser { await harness.service.signIn(bert) }
        await store.changeUser { await harness.service.signIn(anna) }
        withExtendedLifetime(observation) { #expect(seen.withLock { $0 } == [1, 2] && store.userChanges == 2) }
    }

    @Test("coins whose retry came while another user was signed in are granted when their buyer signs in again")
    func retryForTheFormerUser() async throws {
        let harness = ServiceHarness(account: anna)
        await harness.fulfiller.setReachable(false)
        #expect(outcome(await harness.service.purchase(productID: "coins")) == .pending(.notHandedOver))
        await harness.service.signIn(bert)
        harness.timer.advance(by: 5_000)
        #expect(await !harness.service.waitUntilHandedOver(productID: "coins"))
        await harness.fulfiller.setReachable(true)
        #expect(await harness.store.finished.isEmpty)
        await harness.service.signIn(anna)
        await finished(["sale-1"], in: harness)
        #expect(await harness.fulfiller.balance == 1)
    }

    @Test("an app with accounts that launches signed out sees nothing of the last user")
    func signedOutAtLaunch() async throws {
        let harness = ServiceHarness(account: anna)
        _ = await harness.service.purchase(productID: "template.a")
        let signedOut = harness.restarted(user: .signedOut)
        #expect(try await harness.entitlements(signedOut).grounds.isEmpty)
        #expect(outcome(await signedOut.purchase(productID: "coins")) == .failed(PurchaseFlowError(.signedOut, "")))
        #expect(try await harness.entitlements(harness.restarted(user: .noAccounts)).templates.count == 1)
    }

    @Test("while no account is signed in, what names one or is only listed stays out of the ledger and the log")
    func unwritten() async throws {
        let harness = ServiceHarness(account: anna)
        await harness.service.signOut()
        let yearly = harness.verifier.sign(Sample.payload("1", "pro.yearly") { $0.appAccountToken = anna })
        let listed = harness.verifier.sign(Sample.payload("2", "template.a"))
        await harness.store.setEntitled([yearly, listed])
        let renewal = harness.verifier.sign(Sample.renewal("1", signed: Sample.at(0)))
        await harness.store.setStatuses([SignedSubscriptionStatus(transaction: yearly, renewalInfoJWS: renewal)])
        await harness.store.deliver(harness.verifier.sign(Sample.payload("3", "coins") { $0.appAccountToken = anna }))
        await harness.store.deliver(harness.verifier.sign(Sample.payload("4", "gems")))
        await harness.service.resumeUnfinishedPurchases()
        _ = await harness.service.currentEntitlements()
        let evidence = try await harness.service.evidence()
        #expect(try await harness.ledger.entries().map(\.transaction.transactionID) == ["4"])
        #expect(try await harness.ledger.renewalInfos().isEmpty)
        #expect(Set(harness.log.events.compactMap(\.transactionID)) == ["4"])
        #expect(evidence.offersUsedByOthers.groupIDs == ["group"])

        // Also without the store, the account that signs in gets what it owns.
        await harness.store.fail(StoreError(.network, "down"))
        await harness.service.signIn(anna)
        await harness.service.resumeUnfinishedPurchases()
        let offline = try await harness.entitlements()
        #expect(offline.isPro && offline.templates.isEmpty && offline.balances == ["coins": 1, "gems": 1])
        await harness.store.fail(nil)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().templates.count == 1)
        #expect(try await harness.ledger.renewalInfos() == [renewal])
        #expect(await harness.store.finished.sorted() == ["3", "4"])
    }

    @Test("a renewal that the former user switches off reaches no handler of the next user, or while none is signed in")
    func statusOfTheFormerUser() async throws {
        for next in [bert, nil] {
            let harness = ServiceHarness(account: anna)
            let yearly = harness.verifier.sign(Sample.payload("s", "pro.yearly") { $0.appAccountToken = anna })
            await harness.store.deliver(yearly)
            await harness.service.resumeUnfinishedPurchases()
            if let next { await harness.service.signIn(next) } else { await harness.service.signOut() }
            let info = harness.verifier.sign(Sample.renewal("s", signed: Sample.at(1), renews: false))
            let status = SignedSubscriptionStatus(transaction: yearly, renewalInfoJWS: info)
            let results = await harness.listening { harness.store.send(.subscriptionStatus(status)) }
            #expect(results.allSatisfy { $0.verifiedPayload == nil })
            // It is news when its owner is back.
            await harness.service.signIn(anna)
            let own = await harness.listening { harness.store.send(.subscriptionStatus(status)) }
            #expect(own.compactMap(\.verifiedPayload?.id) == ["s"])
        }
    }

    @Test("a sale that hangs does not keep the next user from buying, and its own user not from getting it")
    func hangingSaleOfTheFormerUser() async throws {
        let harness = ServiceHarness(account: anna)
        let gate = Gate()
        await harness.store.hold(gate)
        let purchase = Task { await harness.service.purchase(productID: "coins") }
        await gate.arrived()
        await harness.store.hold(nil)
        await harness.service.signIn(bert)
        #expect(outcome(await harness.service.purchase(productID: "gems")) == .success)
        await harness.service.signIn(anna)
        #expect(
            outcome(await harness.service.purchase(productID: "gems"))
                == .failed(PurchaseFlowError(.purchaseInProgress, "")))
        await harness.service.signIn(bert)
        await gate.open()
        #expect(outcome(await purchase.value) == .pending(.awaitingSignIn))
        await harness.service.signIn(anna)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().balances == ["coins": 1])
    }

    @Test(
        "a sale that the store lists before its answer, while another user is signed in, is its buyer's",
        arguments: [DeliverySource.unfinished, .entitlement])
    func listedBeforeTheAnswer(source: DeliverySource) async throws {
        // The store signs no account that is not a UUID.
        let (anna, bert) = (UUIDText("anna"), UUIDText("bert"))
        let harness = ServiceHarness(account: anna)
        let product = source == .unfinished ? "coins" : "template.a"
        let sale = harness.verifier.sign(Sample.payload("1", product))
        await harness.store.answer(product, .success(.success(sale)))
        let gate = Gate()
        await harness.store.hold(gate)
        let purchase = Task { await harness.service.purchase(productID: product) }
        await gate.arrived()
        if source == .unfinished { await harness.store.deliver(sale) } else { await harness.store.setEntitled([sale]) }
        await harness.service.signIn(bert)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.evidence().transactions.isEmpty)
        await gate.open()
        #expect(outcome(await purchase.value) == .pending(.awaitingSignIn))
        #expect(await harness.fulfiller.orders.isEmpty)
        await harness.service.signIn(anna)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.evidence().transactions.map(\.id) == ["1"])
        #expect(await harness.fulfiller.orders.map(\.account) == [anna])
    }

    @Test(
        "a sale whose answer is still processed is not taken by another user that buys the same product",
        arguments: [false, true])
    func answerOfAnotherUser(isLate: Bool) async throws {
        let (anna, bert) = (UUIDText("anna"), UUIDText("bert"))
        let harness = ServiceHarness(account: anna)
        let simulator = CrashSimulator(crashingAt: .max)
        let service = harness.service(of: anna, interruptedBy: simulator)
        let sale = harness.verifier.sign(Sample.payload("1", "coins"))
        await harness.store.answer("coins", .success(.success(sale)))
        let gates = (sale: Gate(), verification: Gate())
        await harness.store.hold(gates.sale)
        let first = Task { await service.purchase(productID: "coins") }
        await gates.sale.arrived()
        await harness.store.hold(nil)
        if isLate {
            await harness.timer.started(PurchaseDeadlines().saleMilliseconds)
            harness.timer.advance(by: PurchaseDeadlines().purchaseMilliseconds)
            #expect(outcome(await first.value) == .pending(.noAnswer))
        }
        // The verification of the answer waits for the time.
        await simulator.interrupt(before: "ledger.read-memory") { await gates.verification.pass() }
        await gates.sale.open()
        await gates.verification.arrived()
        await service.signIn(bert)
        let other = harness.verifier.sign(Sample.payload("2", "coins", bought: Sample.at(1)))
        await harness.store.answer("coins", .success(.success(other)))
        #expect(outcome(await service.purchase(productID: "coins")) == .success)
        await gates.verification.open()
        if !isLate { #expect(outcome(await first.value) == .pending(.awaitingSignIn)) }
        // A late answer has no caller that could wait for it. The time limit of the suite cancels the test.
        while try await harness.ledger.entries().count(where: { $0.account != nil }) < 2, !Task.isCancelled {
            await Task.yield()
        }
        let owners = Dictionary(
            try await harness.ledger.entries().map { ($0.transaction.transactionID, $0.account) },
            uniquingKeysWith: { first, _ in first })
        #expect(owners == ["1": anna, "2": bert])
    }

    @Test("a user that signs in again during a refresh sees nothing of the user in between")
    func refreshAcrossTwoChanges() async throws {
        let harness = ServiceHarness()
        let simulator = CrashSimulator(crashingAt: .max)
        let service = PurchaseService(
            store: harness.store, ledger: CrashingLedger(harness.ledger, simulator), verifier: harness.verifier,
            user: .signedIn(bert), environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now))
        await harness.store.setEntitled([
            harness.verifier.sign(Sample.payload("1", "template.a") { $0.appAccountToken = bert })
        ])
        #expect(try await service.evidence().transactions.count == 1)
        await service.signIn(anna)
        await service.resumeUnfinishedPurchases()
        let gate = Gate()
        await harness.store.hold(gate, at: .statuses)
        let evidence = Task { try await service.evidence() }
        await gate.arrived()
        await service.signIn(bert)
        await service.resumeUnfinishedPurchases()
        // The transactions have been read for the user in between.
        await simulator.interrupt(before: "ledger.read-renewals") { [anna] in await service.signIn(anna) }
        await harness.store.hold(nil, at: .statuses)
        await gate.open()
        #expect(try await evidence.value.transactions.isEmpty)
    }

    @Test(
        "a restore of one user says nothing about the purchases of the user that has signed in meanwhile",
        arguments: [ScriptedStore.Call.synchronize, .history, .entitlements])
    func restoreAcrossTheChange(call: ScriptedStore.Call) async throws {
        let harness = ServiceHarness(account: bert)
        _ = await harness.service.purchase(productID: "template.a")
        await harness.service.signIn(anna)
        await harness.store.switchCustomer()
        // Nothing says whose it is; the user that asks for a restore gets it.
        await harness.store.remember(harness.verifier.sign(Sample.payload("9", "template.b")))
        let gate = Gate()
        await harness.store.hold(gate, at: call)
        let restore = Task { try await harness.service.requestAllPurchaseHistory() }
        await gate.arrived()
        await harness.service.signIn(bert)
        await harness.store.hold(nil, at: call)
        await gate.open()
        _ = try await restore.value
        #expect(try await harness.service.evidence().absences.map(\.isConfirmed) == [false])
        #expect(try await harness.entitlements().templates.contains(TemplateID(rawValue: "A")))
        // What the restore has read before the change is the first user's.
        if call != .synchronize {
            #expect(try await harness.entitlements().templates.count == 1)
        }
    }

    @Test("an account that is not a UUID is logged without the account, at launch and at sign-in")
    func unusableAccount() async {
        let harness = ServiceHarness(account: UUIDText("anna@example.com"))
        await harness.service.signIn(bert)
        #expect(harness.log.kinds.filter { $0 == .unusableAccount }.count == 1)
        await harness.service.signIn(UUIDText("user 17"))
        #expect(harness.log.kinds.filter { $0 == .unusableAccount }.count == 2)
        #expect(!harness.log.events.contains { $0.detail.contains("anna") || $0.detail.contains("17") })
    }

    @Test("a purchase of another user is logged as a conflict once, however often the store delivers it")
    func conflictLog() async throws {
        let harness = ServiceHarness(account: bert)
        let yearly = harness.verifier.sign(Sample.payload("s", "pro.yearly") { $0.appAccountToken = anna })
        await harness.store.setEntitled([yearly])
        let renewal = harness.verifier.sign(Sample.renewal("s", signed: Sample.at(0)))
        await harness.store.setStatuses([SignedSubscriptionStatus(transaction: yearly, renewalInfoJWS: renewal)])
        for _ in 0..<3 { _ = try await harness.service.evidence() }
        #expect(harness.log.kinds.filter { $0 == .conflict }.count == 1)
    }
}

// MARK: - Offers and plans

extension UserChangeTests {
    private static let product = Sample.product(
        "pro.monthly",
        subscription: SubscriptionTerms(
            groupID: "group", level: 1, period: .month,
            introductoryOffer: ProductOffer(
                type: .introductory, paymentMode: .freeTrial, period: .week, price: Milliunits(0))))

    private enum FormerUse: CaseIterable {
        case recordedTrial, foreignTrial, running, unknownStart, otherGroup

        func payload(for account: UUIDText) -> JWSTransactionDecodedPayload {
            let end = self == .running ? Sample.at(day: 400) : Sample.at(day: 7)
            let original = self == .unknownStart ? "1" : "2"
            return Sample.payload("2", "pro.yearly", expires: end, original: original) {
                $0.appAccountToken = account
                if self != .running, self != .unknownStart { $0.offerType = .introductory }
                if self == .otherGroup { $0.subscriptionGroupIdentifier = "another group" }
            }
        }

        var eligibility: TrialEligibility? {
            switch self {
            case .recordedTrial, .foreignTrial, .running: .ineligible(.alreadyUsed)
            case .unknownStart: .unknown
            case .otherGroup: nil
            }
        }
    }

    @Test("an introductory offer that another user has used is not shown, and nothing else of that user is visible")
    func offerOfAnotherUser() async throws {
        for use in FormerUse.allCases {
            let harness = ServiceHarness(account: use == .foreignTrial ? bert : anna)
            let signed = harness.verifier.sign(use.payload(for: anna))
            await harness.store.setEntitled(use == .running ? [signed] : [])
            await harness.store.deliver(signed)
            await harness.service.resumeUnfinishedPurchases()
            await harness.service.signIn(bert)
            harness.clock.set(Sample.at(day: 100))
            let evidence = try await harness.service.evidence()
            #expect(evidence.transactions.isEmpty && evidence.renewalInfos.isEmpty)
            let offer = TrialManager(evidence: evidence, clock: harness.clock.now()).introductoryOffer(of: Self.product)
            let eligible = try #require(Self.product.subscription?.introductoryOffer)
            #expect(offer == use.eligibility ?? .eligible(eligible), "\(use)")
        }
    }

    @Test("a plan or product of another user's store account is refused, and the store is not asked to sell")
    func planOfAnotherUser() async throws {
        let platform = try SimulatedPlatform()
        let simulator = platform.simulator
        let service = PurchaseService(
            store: simulator.customer("customer"), ledger: platform.ledger, verifier: platform.verifier,
            user: .signedIn(anna),
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { simulator.state.now }))
        for product in ["pro.monthly", "template.a"] {
            #expect(outcome(await service.purchase(productID: product)) == .success)
        }
        let sales = simulator.state.transactions.count
        await service.signIn(bert)
        for product in ["pro.yearly", "pro.monthly", "template.a"] {
            let result = outcome(await service.purchase(productID: product))
            #expect(result == .failed(PurchaseFlowError(.ownedByAnotherUser, "")), "\(product)")
        }
        #expect(simulator.state.transactions.count == sales)
        #expect(outcome(await service.purchase(productID: "coins")) == .success)
        await service.signIn(anna)
        #expect(outcome(await service.purchase(productID: "pro.yearly")) == .success)
    }

    @Test("what another user has bought in another store account does not keep anyone from buying")
    func otherStoreAccount() async throws {
        let harness = ServiceHarness(account: anna)
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.switchCustomer()
        await harness.service.signIn(bert)
        #expect(outcome(await harness.service.purchase(productID: "template.a")) == .success)
    }
}
