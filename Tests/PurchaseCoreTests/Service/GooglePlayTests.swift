import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

/// Purchases of Google Play in the service, with signatures that a script knows.
@Suite("Google Play purchases", .timeLimit(.minutes(15)))
struct GooglePlayTests {
    private let templateB = Entitlement.template(TemplateID(rawValue: "B"))

    @Test(
        "[OTP-1.1] [PFC-11] a pending Play purchase grants nothing and is reported as pending",
        arguments: [2, 4] as [Int32])
    func pending(state: Int32) async throws {
        let harness = ServiceHarness()
        let purchase = Sample.playPurchase("p1", "template.b") {
            $0.purchaseState = PlayPurchaseState(rawValue: state)
            $0.orderId = nil
        }
        let signed = harness.verifier.sign(purchase)
        await harness.store.answer("template.b", .success(.success(signed)))
        let outcome = PurchaseResultMapping.outcome(of: await harness.service.purchase(productID: "template.b"))
        #expect(outcome == .pending(.awaitingApproval))
        #expect(try await harness.service.pendingPurchases().map(\.productID) == ["template.b"])
        await harness.store.deliver(signed)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await !harness.entitlements().grants(templateB))
        #expect(await harness.store.finished.isEmpty)
        #expect(await harness.fulfiller.orders.isEmpty)
        #expect(try await harness.ledger.entries().map(\.quarantineReason) == [.purchasePending])
        #expect(harness.log.kinds.allSatisfy { $0 == .pending })

        await harness.store.deliver(harness.verifier.sign(Sample.playPurchase("p1", "template.b")))
        await harness.restarted().resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().grants(templateB))
        #expect(try await harness.service.pendingPurchases().isEmpty)
        #expect(await harness.store.finished == ["p1"])
    }

    @Test("a pending Play purchase is completed under its token under any clock, and by no other purchase")
    func completedUnderItsToken() async throws {
        let harness = ServiceHarness()
        harness.clock.set(Sample.at(day: 400))
        let pending = harness.verifier.sign(Sample.playPurchase("p1", "coins") { $0.purchaseState = .pending })
        for _ in 0..<2 {
            await harness.store.deliver(pending)
            await harness.service.resumeUnfinishedPurchases()
        }
        await harness.store.deliver(
            harness.verifier.sign(Sample.playPurchase("p2", "coins", bought: Sample.at(day: 400))))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.pendingPurchases().map(\.purchaseToken) == ["p1"])
        await harness.store.deliver(harness.verifier.sign(Sample.playPurchase("p1", "coins")))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.pendingPurchases().isEmpty)
        #expect(try await harness.entitlements().balances == ["coins": 2])
    }

    @Test("[PFC-11] a pending Play purchase of one user is not reported as another user's, and is that user's")
    func pendingOfAnother() async throws {
        let (anna, bert) = (
            UUIDText("a0000000-0000-4000-8000-000000000001"), UUIDText("b0000000-0000-4000-8000-000000000002")
        )
        let harness = ServiceHarness(account: bert)
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.playPurchase("p1", "template.b") {
                    $0.purchaseState = .pending
                    $0.obfuscatedAccountId = anna.rawValue.uppercased()
                }))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.service.pendingPurchases().isEmpty)
        #expect(
            try await harness.restarted(account: anna).pendingPurchases().map(\.productID) == ["template.b"])
    }

    @Test("an old list with the pending state of a completed Play purchase does not make it pending again")
    func pendingInOldList() async throws {
        let harness = ServiceHarness()
        await harness.store.deliver(harness.verifier.sign(Sample.playPurchase("p1", "template.b")))
        await harness.service.resumeUnfinishedPurchases()
        await harness.store.remember(
            harness.verifier.sign(Sample.playPurchase("p1", "template.b") { $0.purchaseState = .pending }))
        _ = try await harness.service.requestAllPurchaseHistory()
        #expect(try await harness.service.pendingPurchases().isEmpty)
        #expect(try await harness.entitlements().grants(templateB))
    }

    @Test("[OTP-1.1] a forged Play purchase, and one that the verifier cannot check, are neither granted nor finished")
    func unverified() async throws {
        let harness = ServiceHarness()
        let genuine = harness.verifier.sign(Sample.playPurchase("p1", "template.b"))
        guard case .play(let purchase) = genuine.content else { throw Sample.Missing() }
        await harness.store.deliver(
            SignedTransaction(
                play: SignedPlayPurchase(data: purchase.data, signature: "forged"), purchaseToken: "p1",
                productID: "template.b"))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await !harness.entitlements().grants(templateB))

        await harness.store.deliver(genuine)
        let service = PurchaseService(
            store: harness.store, ledger: InMemoryLedger(), verifier: JWSVerifier(),
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: harness.clock.now))
        await service.resumeUnfinishedPurchases()
        #expect(try await service.evidence().transactions.isEmpty)
        #expect(await harness.store.finished.isEmpty)
        let result = await JWSVerifier().verifyPlayPurchase(purchase, at: Sample.at(0))
        #expect(result.failure?.code == .keyNotFound)
    }

    /// A verifier from before the port had Play purchases.
    private struct JWSVerifier: TransactionVerifying {
        func verifyTransaction(
            _ jws: String, at now: Timestamp
        ) async -> VerificationResult<JWSTransactionDecodedPayload> {
            .unverified(.init(code: .signatureInvalid))
        }
        func verifyRenewalInfo(
            _ jws: String, at now: Timestamp
        ) async -> VerificationResult<JWSRenewalInfoDecodedPayload> {
            .unverified(.init(code: .signatureInvalid))
        }
    }

    @Test("a cancelled Play purchase ends its entitlement and is revoked once, whichever version arrives last")
    func cancelled() async throws {
        for cancelledFirst in [false, true] {
            let harness = ServiceHarness()
            var versions = [
                harness.verifier.sign(Sample.playPurchase("p1", "template.b")),
                harness.verifier.sign(Sample.playPurchase("p1", "template.b") { $0.acknowledged = true }),
                harness.verifier.sign(Sample.playPurchase("p1", "template.b") { $0.purchaseState = .cancelled }),
            ]
            if cancelledFirst { versions.reverse() }
            for version in versions {
                await harness.store.deliver(version)
                await harness.service.resumeUnfinishedPurchases()
            }
            let entitlements = try await harness.entitlements()
            #expect(!entitlements.grants(templateB))
            #expect(entitlements.denials["template.b"] == .revoked)
            // A purchase that was cancelled before it was granted is not granted at all.
            let expected: [Fulfilment] = cancelledFirst ? [.revoked] : [.granted, .revoked]
            #expect(await harness.fulfiller.orders.map(\.fulfilment) == expected)
        }
    }

    @Test("[OTP-1.1] a Play purchase of another account is a conflict, and its owner gets it")
    func account() async throws {
        let (anna, bert) = (UUIDText("A0000000-0000-4000-8000-000000000001"), UUIDText("obfuscated-bert"))
        let harness = ServiceHarness(account: bert)
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.playPurchase("p1", "template.b") {
                    $0.obfuscatedAccountId = anna.rawValue
                    $0.obfuscatedProfileId = "child"
                }))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await !harness.entitlements().grants(templateB))
        #expect(await harness.store.finished.isEmpty)
        let service = harness.restarted(account: anna)
        await service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements(service).grants(templateB))
        let play = try await service.evidence().transactions.first?.play
        #expect(play?.obfuscatedAccountID == anna.rawValue)
        #expect(play?.obfuscatedProfileID == "child")
    }

    @Test("a Play subscription is in force until the end of the period in which the store listed it last")
    func subscription() async throws {
        let harness = ServiceHarness()
        let renewing = harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly"))
        await harness.store.deliver(renewing)
        await harness.store.setEntitled([renewing])
        await harness.service.resumeUnfinishedPurchases()
        // Sample.start is 9 October 2025.
        harness.clock.set(Sample.at(day: 200))
        let end = Sample.at(0).adding(.month, times: 7)
        #expect(try await harness.entitlements().grounds[.pro]?.map(\.end) == [end])
        #expect(try await harness.entitlements().grounds[.pro]?.map(\.kind) == [.subscription])

        await harness.store.fail(StoreError(.network, "offline"))
        let offline = harness.restarted()
        harness.clock.set(end)
        #expect(try await harness.entitlements(offline).isPro)
        harness.clock.set(end.adding(.days(2)))
        #expect(try await harness.entitlements(offline).grounds[.pro]?.map(\.kind) == [.offlineGrace])
        harness.clock.set(end.adding(.days(4)))
        #expect(try await !harness.entitlements(offline).isPro)

        await harness.store.fail(nil)
        #expect(try await harness.entitlements(offline).isPro, "the store lists it, so another period is paid")
        harness.clock.set(Sample.at(0).adding(.month, times: 8))
        #expect(
            try await harness.entitlements().grounds[.pro]?.map(\.end) == [Sample.at(0).adding(.month, times: 9)],
            "listed at the last instant of a period, it has renewed")
    }

    @Test("a Play subscription whose renewal was switched off and on again renews, as the store listed it last")
    func renewalState() async throws {
        let harness = ServiceHarness()
        let renewing = harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly"))
        let ending = harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly") { $0.autoRenewing = false })
        for (listed, renews) in [(renewing, true), (ending, false), (renewing, true)] {
            await harness.store.setEntitled([listed])
            #expect(try await harness.service.evidence().renewalInfos.map(\.willAutoRenew) == [renews])
        }
        // A subscription that is set to end has no offline grace.
        await harness.store.setEntitled([ending])
        _ = try await harness.service.evidence()
        await harness.store.fail(StoreError(.network, "offline"))
        harness.clock.set(Sample.at(0).adding(.month).adding(.days(1)))
        #expect(try await harness.entitlements().denials["pro.monthly"] == .expired)
    }

    @Test("a Play subscription that has another product under the same token is the listed product, and no conflict")
    func productChange() async throws {
        let harness = ServiceHarness()
        let yearly = harness.verifier.sign(Sample.playPurchase("p1", "pro.yearly"))
        let monthly = harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly"))
        for (listed, product) in [(yearly, "pro.yearly"), (monthly, "pro.monthly"), (yearly, "pro.yearly")] {
            await harness.store.setEntitled([listed])
            for service in [harness.service, harness.restarted()] {
                // The history can still have the version with the other product.
                await harness.store.remember(yearly)
                _ = try await service.requestAllPurchaseHistory()
                #expect(try await harness.entitlements(service).grounds[.pro]?.map(\.productID) == [product])
            }
        }
        #expect(!harness.log.kinds.contains(.conflict))
    }

    @Test("two Play subscriptions of one group that the store lists at the same time are both in force")
    func bothListed() async throws {
        let harness = ServiceHarness()
        let purchases = [("p1", "pro.monthly", 0), ("p2", "pro.yearly", 1)].map {
            harness.verifier.sign(Sample.playPurchase($0.0, $0.1, bought: Sample.at(day: $0.2)))
        }
        for listed in [purchases, [purchases[1]], purchases, [purchases[0]]] {
            harness.clock.set(Sample.at(day: 2))
            await harness.store.setEntitled(listed)
            let entitlements = try await harness.entitlements()
            let products = Set(entitlements.grounds[.pro, default: []].map(\.productID))
            #expect(products.isSuperset(of: listed.map(\.productID)), "a listed purchase is never locked out")
            if listed == [purchases[1]] { #expect(entitlements.denials == ["pro.monthly": .upgraded]) }
        }
    }

    @Test("only a later Play subscription of the same group replaces one that the store does not list")
    func notReplaced() async throws {
        let harness = ServiceHarness()
        let monthly = harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly"))
        let yearly = harness.verifier.sign(Sample.playPurchase("p2", "pro.yearly", bought: Sample.at(day: 1)))
        let club = harness.verifier.sign(
            Sample.playPurchase("p3", "club.monthly", bought: Sample.at(day: 2)) { $0.autoRenewing = true })
        harness.clock.set(Sample.at(day: 2))
        for (listed, confirmed) in [
            ([monthly, yearly], ["pro.monthly", "pro.yearly"]), ([monthly], ["pro.monthly"]), ([club], []),
        ] {
            await harness.store.setEntitled(listed)
            let grounds = try await harness.entitlements().grounds[.pro, default: []]
            #expect(Set(grounds.map(\.productID)) == ["pro.monthly", "pro.yearly"])
            #expect(Set(grounds.filter(\.isConfirmed).map(\.productID)) == Set(confirmed))
        }
    }

    @Test("a refund of a Play subscription that is signed with the product before a planned change ends it")
    func refundOfFormerProduct() async throws {
        let harness = ServiceHarness()
        for product in ["pro.yearly", "pro.monthly"] {
            await harness.store.setEntitled([harness.verifier.sign(Sample.playPurchase("p1", product))])
            #expect(try await harness.entitlements().isPro)
        }
        await harness.store.deliver(
            harness.verifier.sign(Sample.playPurchase("p1", "pro.yearly") { $0.purchaseState = .cancelled }))
        await harness.service.resumeUnfinishedPurchases()
        await harness.store.fail(StoreError(.network, "offline"))
        #expect(try await !harness.entitlements().isPro)
    }

    @Test(
        "on a new installation, an acknowledged Play purchase ends the wait for the store only if it was just bought",
        arguments: [(Sample.at(day: -40), true), (Sample.at(20_000), true), (Sample.at(20_000), false)])
    func acknowledgedBefore(bought: Timestamp, isAcknowledged: Bool) async throws {
        let harness = ServiceHarness()
        let gate = Gate()
        await harness.store.hold(gate)
        await harness.store.answer("template.b", .success(.userCancelled))
        let purchase = Task { await harness.service.purchase(productID: "template.b") }
        await gate.arrived()
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.playPurchase("p1", "template.b", bought: bought) { $0.acknowledged = isAcknowledged }))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().grants(templateB))
        await gate.open()
        let outcome = PurchaseResultMapping.outcome(of: await purchase.value)
        #expect(outcome == (bought > harness.clock.now() ? .success : .cancelled))
    }

    @Test("an answer with a subscription of another group is no planned change")
    func answerOfAnotherGroup() async throws {
        let harness = ServiceHarness()
        let club = Sample.product(
            "club.monthly", subscription: SubscriptionTerms(groupID: "club", level: 1, period: .month))
        let service = PurchaseService(
            store: ChangedStore(base: harness.store, onlyProduct: club), ledger: harness.ledger,
            verifier: harness.verifier, environment: PurchaseEnvironment(timer: harness.timer, clock: harness.clock.now)
        )
        await harness.store.answer(
            "club.monthly", .success(.success(harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly")))))
        let outcome = PurchaseResultMapping.outcome(of: await service.purchase(productID: "club.monthly"))
        guard case .failed(let error) = outcome else {
            Issue.record("the outcome is \(outcome)")
            return
        }
        #expect(error.code == .differentProduct)
    }

    @Test("an answer with another subscription is a change with the renewal only within its group")
    func otherGroup() async throws {
        let harness = ServiceHarness()
        let present = harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly"))
        for product in ["template.b", "pro.yearly"] {
            await harness.store.answer(product, .success(.success(present)))
            let outcome = PurchaseResultMapping.outcome(of: await harness.service.purchase(productID: product))
            // The scripted store's products are of no subscription group.
            guard case .failed(let error) = outcome else {
                Issue.record("\(product) has the outcome \(outcome)")
                continue
            }
            #expect(error.code == .differentProduct)
        }
        #expect(try await harness.entitlements().planChanges.isEmpty)
    }

    @Test("a planned change that never takes effect is shown for one period at most")
    func plannedChangeExpires() async throws {
        let purchase = try Sample.require(
            Sample.playPurchase("p1", "pro.monthly").transaction(of: Sample.playProducts).verifiedPayload)
        let listing = PlayListing(
            transactionID: "p1", date: Sample.at(0), willAutoRenew: true, productID: "pro.monthly",
            plannedChange: .init(productID: "pro.yearly", latestDate: Sample.at(day: 31)))
        let harness = ServiceHarness()
        let signed = harness.verifier.sign(Sample.playPurchase("p1", "pro.monthly"))
        await harness.store.setEntitled([signed])
        try await harness.ledger.updateMemory { $0.playListings = [listing] }
        for (day, isPlanned) in [(1, true), (31, true), (32, false)] {
            harness.clock.set(Sample.at(day: day))
            #expect(try await harness.entitlements().planChanges.isEmpty != isPlanned)
        }
        #expect(purchase.id == "p1")
    }

    @Test("purchases of two stores with the same id are two purchases, in the ledger and in the entitlements")
    func sameIDInBothStores() async throws {
        let ledger = InMemoryLedger()
        let play = try Sample.require(
            Sample.playPurchase("1", "template.b").transaction(of: Sample.playProducts).verifiedPayload)
        let apple = try Sample.transaction("1", "template.a")
        #expect(play.purchaseKey != apple.purchaseKey)
        #expect(play.purchaseKey.description != apple.purchaseKey.description)
        for (transaction, jws) in [(apple, "a"), (play, "p")] {
            let delivery = SignedTransaction(jws: jws, transactionID: "1", productID: transaction.productID)
            _ = try await ledger.observe(delivery, from: .purchase, at: Sample.at(0))
            _ = try await ledger.markVerified(transaction, signedText: jws)
            #expect(try await ledger.record(transaction, signedText: jws, for: nil) == .inserted)
            #expect(try await ledger.recordedEntries(of: transaction.purchaseKey).count == 1)
        }
        let entitlements = EntitlementProjection(catalog: Sample.catalog)
            .entitlements(from: [play, apple], at: Sample.at(1))
        #expect(entitlements.templates == ["A", "B"].reduce(into: []) { $0.insert(TemplateID(rawValue: $1)) })
    }

    @Test("[OTP-1.1] a Play purchase has three days for its acknowledgement, and no deadline once it is acknowledged")
    func deadline() throws {
        func transaction(_ change: (inout PlayPurchase) -> Void) throws -> Transaction {
            let purchase = Sample.playPurchase("p1", "coins", change: change)
            return try Sample.require(purchase.transaction(of: Sample.playProducts).verifiedPayload)
        }
        #expect(try transaction { _ in }.acknowledgementDeadline == Sample.at(day: 3))
        #expect(try transaction { $0.acknowledged = nil }.acknowledgementDeadline == nil, "absent means acknowledged")
        #expect(try transaction { $0.acknowledged = true }.acknowledgementDeadline == nil)
        #expect(try transaction { $0.purchaseState = .cancelled }.acknowledgementDeadline == nil)
        #expect(try Sample.transaction("1", "coins").acknowledgementDeadline == nil)
        let facts = try transaction { $0.quantity = 3 }
        #expect(facts.id == "p1" && facts.quantity == 3 && facts.type == .consumable)
        #expect(facts.play?.orderID == "GPA.p1")
        #expect(facts.play?.state == .purchased)
    }

    @Test("[OTP-1.1] a Play purchase of several products grants what each unlocks, and is acknowledged once")
    func severalProducts() async throws {
        let harness = ServiceHarness()
        let purchase = Sample.playPurchase("p1", "template.b") { $0.productIds = ["template.a", "template.b"] }
        await harness.store.answer("template.a", .success(.success(harness.verifier.sign(purchase))))
        let result = await harness.service.purchase(productID: "template.a")
        #expect(PurchaseResultMapping.outcome(of: result) == .success)
        let templateA = Entitlement.template(TemplateID(rawValue: "A"))
        let entitlements = try await harness.entitlements()
        #expect(entitlements.grants(templateA) && entitlements.grants(templateB))
        #expect(entitlements.purchases.map(\.entitlements) == [[templateA, templateB]])
        #expect(await harness.store.finished == ["p1"])
        let transaction = try #require(try await harness.service.evidence().transactions.first)
        #expect(transaction.productID == "template.b" && transaction.otherProductIDs == ["template.a"])
        #expect(try #require(entitlements.grounds[templateA]).map(\.productID) == ["template.a"])

        // Neither product is sold again while the store lists the purchase.
        await harness.store.setEntitled([harness.verifier.sign(purchase)])
        for product in ["template.a", "template.b"] {
            let again = await harness.service.resultWithoutSale(productID: product, options: PurchaseOptions())
            #expect(again.map { PurchaseResultMapping.outcome(of: $0) } == .alreadyOwned, "\(product)")
        }

        // Cancelled, it grants nothing any more.
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.playPurchase("p1", "template.b") {
                    $0.productIds = ["template.a", "template.b"]
                    $0.purchaseState = .cancelled
                }))
        await harness.service.resumeUnfinishedPurchases()
        let after = try await harness.entitlements()
        #expect(!after.grants(templateA) && !after.grants(templateB))
    }

    @Test("[OTP-1.1] a Play purchase of several consumables counts for each of them, and has one order")
    func severalConsumables() async throws {
        let harness = ServiceHarness()
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.playPurchase("p1", "coins") {
                    $0.productIds = ["coins", "gems", "gems"]
                    $0.quantity = 2
                }))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().balances == ["coins": 2, "gems": 2])
        #expect(await harness.fulfiller.orders.count == 1)
        #expect(await harness.store.finished == ["p1"])
    }

    @Test("Play data that does not say what was bought is not a transaction")
    func incomplete() {
        func code(_ change: (inout PlayPurchase) -> Void) -> VerificationFailure.Code? {
            Sample.playPurchase("p1", "coins", change: change).transaction(of: Sample.playProducts).failure?.code
        }
        #expect(code { _ in } == nil)
        #expect(code { $0.productIds = ["coins"] } == nil)
        #expect(code { $0.purchaseToken = "" } == .transactionIncomplete)
        #expect(code { $0.purchaseToken = nil } == .transactionIncomplete)
        #expect(code { $0.purchaseTime = nil } == .transactionIncomplete)
        #expect(code { $0.productId = "unlisted" } == .playProductUnknown)
        #expect(code { $0.productId = nil } == .playProductUnknown)
        #expect(code { $0.productIds = ["gems"] } == .playProductUnknown)
        #expect(code { $0.productIds = ["coins", "gems"] } == nil)
        #expect(code { $0.productIds = ["coins", "unlisted"] } == .playProductUnknown)
        #expect(code { $0.productIds = ["coins", "template.a"] } == .playProductUnknown, "they are of two kinds")
        #expect(code { $0.productIds = ["coins", ""] } == .playProductUnknown)
        #expect(code { $0.purchaseState = nil } == nil)
        #expect(code { $0.purchaseState = .pending } == .purchasePending)
        #expect(code { $0.purchaseState = PlayPurchaseState(rawValue: 7) } == .purchaseStateUnknown)
    }

    @Test("the text that identifies a Play delivery differs for every data and signature, and is no JWS")
    func identity() {
        func text(_ data: String, _ signature: String) -> String {
            SignedTransaction(
                play: SignedPlayPurchase(data: data, signature: signature), purchaseToken: "t", productID: "p"
            ).signedText
        }
        let texts = [
            text("a", "b"), text("ab", ""), text("", "ab"), text("a\",\"signature\":\"b", ""), text("a", "c"),
        ]
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { $0.hasPrefix("{") })
    }
}

extension BillingPeriod {
    fileprivate static func days(_ count: Int) -> BillingPeriod { BillingPeriod(days: count) ?? .week }
}
