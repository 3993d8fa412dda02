import LocalStore
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import Testing
import TimerSupport

/// The eligibility for an introductory offer, which must be what the store grants with the purchase.
@Suite("Eligibility for introductory offers", .timeLimit(.minutes(15)))
struct IntroductoryOfferTests {
    private let simulator: StoreSimulator
    private let ledger = InMemoryLedger()

    init() throws {
        simulator = StoreSimulator(
            configuration: StoreConfiguration(products: SimulatedPlatform.products), signer: try SimulatorSigner(),
            state: SimulatorState(
                seed: 1, now: Sample.at(0), app: SimulatedApp(bundleID: "com.example.app"),
                accounts: ["anna", "bert"]))
    }

    private func service(_ customer: String, ledger: InMemoryLedger) -> PurchaseService {
        let simulator = simulator
        return PurchaseService(
            store: simulator.customer(customer), ledger: ledger,
            verifier: ReceiptVerifier(trustAnchors: simulator.signer.trustAnchors, clock: { .maximum }),
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: { simulator.state.now }))
    }

    /// Asks a service about the monthly plan, which begins with a free week.
    private func eligibility(_ service: PurchaseService) async throws -> TrialEligibility {
        let products = try await simulator.customer("anna").products(for: ["pro.monthly"])
        return try await service.introductoryOffer(of: try #require(products.first))
    }

    private func isEligible(_ service: PurchaseService) async throws -> Bool {
        if case .eligible(let offer) = try await eligibility(service) { offer.paymentMode == .freeTrial } else { false }
    }

    /// Lets anna use the trial and end the subscription.
    private func useTrial(_ service: PurchaseService) async throws {
        _ = await service.purchase(productID: "pro.monthly")
        try simulator.perform { engine in
            try engine.cancelRenewal(engine.state.transactions[0].id)
            try engine.advance(byMilliseconds: 90 * Sample.day)
        }
    }

    @Test("a trial that another account of the store has used on this device is offered, and the store grants it")
    func switchedAccount() async throws {
        try await useTrial(service("anna", ledger: ledger))
        let service = service("bert", ledger: ledger)
        #expect(try await isEligible(service))
        _ = await service.purchase(productID: "pro.monthly")
        #expect(simulator.state.transactions.last?.offer?.type == .introductory)
    }

    @Test("a trial that was used on another device is not offered on a new one")
    func newDevice() async throws {
        try await useTrial(service("anna", ledger: ledger))
        #expect(try await eligibility(service("anna", ledger: InMemoryLedger())) == .ineligible(.alreadyUsed))
    }

    @Test("a subscriber is told so, and an unreachable store leaves the answer to what is recorded")
    func reasons() async throws {
        let service = service("anna", ledger: ledger)
        #expect(try await isEligible(service))
        _ = await service.purchase(productID: "pro.yearly")
        #expect(try await eligibility(service) == .ineligible(.subscribed))
        try simulator.perform { engine in
            try engine.cancelRenewal(engine.state.transactions[0].id)
            try engine.advance(byMilliseconds: 400 * Sample.day)
        }
        let product = try #require(try await simulator.customer("anna").products(for: ["pro.monthly"]).first)
        simulator.isOnline = false
        #expect(try await service.introductoryOffer(of: product) == .unknown)
    }

    // MARK: Incomplete answers

    private static let trial = Sample.product(
        "pro.monthly",
        subscription: SubscriptionTerms(
            groupID: "group", level: 1, period: .month,
            introductoryOffer: ProductOffer(
                type: .introductory, paymentMode: .freeTrial, period: .week, price: Milliunits(0))))

    @Test("a subscriber that the store flags as eligible is told that no introductory offer applies")
    func flaggedSubscriber() async throws {
        let harness = ServiceHarness()
        let service = PurchaseService(
            store: ChangedStore(base: harness.store, isEligible: true), ledger: harness.ledger,
            verifier: harness.verifier, environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now)
        )
        _ = await service.purchase(productID: "pro.yearly")
        #expect(try await service.introductoryOffer(of: Self.trial) == .ineligible(.subscribed))
    }

    @Test("a family member whom the store calls eligible is offered the trial")
    func familyMember() async throws {
        let harness = ServiceHarness()
        let service = PurchaseService(
            store: ChangedStore(base: harness.store, isEligible: true), ledger: harness.ledger,
            verifier: harness.verifier, environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now)
        )
        let shared = Sample.payload("1", "pro.yearly") { $0.inAppOwnershipType = .familyShared }
        await harness.store.setEntitled([harness.verifier.sign(shared)])
        let offer = try #require(Self.trial.subscription?.introductoryOffer)
        #expect(try await service.introductoryOffer(of: Self.trial) == .eligible(offer))
        #expect(try await harness.entitlements(service).isPro)
    }

    @Test("a trial that another user has used is not offered while that user's purchase is not verified")
    func undecidedOther() async throws {
        let (anna, bert) = (
            UUIDText("a0000000-0000-4000-8000-000000000001"), UUIDText("b0000000-0000-4000-8000-000000000002")
        )
        let harness = ServiceHarness(account: anna)
        let signed = harness.verifier.sign(
            Sample.payload("1", "pro.monthly") {
                $0.appAccountToken = anna
                $0.offerType = .introductory
                $0.offerDiscountType = .freeTrial
            })
        await harness.store.deliver(signed)
        await harness.service.resumeUnfinishedPurchases()
        harness.clock.set(Sample.at(day: 100))
        let usual = try await harness.restarted(account: bert).evidence()
        #expect(
            TrialManager(evidence: usual, clock: harness.clock.now()).introductoryOffer(of: Self.trial)
                == .ineligible(.alreadyUsed))
        harness.verifier.fail(signed.signedText, with: VerificationFailure(code: .verificationTimedOut))
        let evidence = try await harness.restarted(account: bert).evidence()
        #expect(
            TrialManager(evidence: evidence, clock: harness.clock.now()).introductoryOffer(of: Self.trial) == .unknown)
    }

    @Test("a trial is not offered while another user of the account has a Play subscription of the group")
    func playOther() async throws {
        let (anna, bert) = (
            UUIDText("a0000000-0000-4000-8000-000000000001"), UUIDText("b0000000-0000-4000-8000-000000000002")
        )
        let harness = ServiceHarness(account: anna)
        let signed = harness.verifier.sign(
            Sample.playPurchase("p1", "pro.yearly") { $0.obfuscatedAccountId = anna.rawValue })
        await harness.store.setEntitled([signed])
        #expect(try await harness.entitlements().isPro)
        let evidence = try await harness.restarted(account: bert).evidence()
        let eligibility = TrialManager(evidence: evidence, clock: harness.clock.now())
            .introductoryOffer(of: Self.trial)
        if case .eligible = eligibility { Issue.record("eligible although the store gives no trial") }
    }
}
