import LocalStore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing

@testable import PurchaseCore

/// Tests the platform's verdict as the verifier, with the simulator in place of StoreKit and its real JWS.
@Suite("The platform's verdict as the verifier", .timeLimit(.minutes(15)))
struct PlatformVerifierTests {
    @Test("[CARD-7] over a store that verifies, purchases and refunds work without a verifier of signatures")
    func purchaseAndRefund() async throws {
        let platform = try SimulatedPlatform()
        let service = platform.launch()
        for product in ["template.a", "pro.monthly", "coins"] {
            let result = await service.purchase(productID: product)
            #expect(PurchaseResultMapping.outcome(of: result) == .success, "\(product)")
        }
        var entitlements = try await platform.entitlements(service)
        #expect(entitlements.isPro)
        #expect(entitlements.templates == [TemplateID(rawValue: "A")])
        #expect(entitlements.balances == ["coins": 1])
        #expect(platform.simulator.engine.unfinishedTransactions(of: "customer").isEmpty)

        for transaction in platform.simulator.state.transactions {
            try platform.simulator.perform { engine in
                try engine.advance(byMilliseconds: 1000)
                try engine.refund(transaction.id)
            }
        }
        await service.resumeUnfinishedPurchases()
        entitlements = try await platform.entitlements(service)
        #expect(entitlements.grounds.isEmpty && entitlements.balances.isEmpty)
    }

    @Test("the decoded payloads are those that ReceiptVerifier returns for the same JWS")
    func samePayloads() async throws {
        let platform = try SimulatedPlatform()
        let customer = platform.simulator.customer("customer")
        try platform.simulator.perform { engine in
            _ = try engine.buy("coins", for: "customer", PurchaseOrder(quantity: 3))
            let token = UUIDText("Ünreal \u{2028}")
            _ = try engine.buy("template.a", for: "customer", PurchaseOrder(appAccountToken: token))
            _ = try engine.buy("pro.season", for: "customer")
            _ = try engine.buy("pro.monthly", for: "customer")
            try engine.advance(byMilliseconds: 40 * Sample.day)
            _ = try engine.buy("pro.yearly", for: "customer")
            try engine.refund(engine.state.transactions[1].id)
            try engine.advance(byMilliseconds: 500 * Sample.day)
        }
        let store = PlatformStore(customer)
        var transactions = try await store.history()
        let statuses = try await store.subscriptionStatuses()
        transactions += statuses.map(\.transaction)
        #expect(transactions.count >= 5 && statuses.count == 1)
        for transaction in transactions {
            let expected = try #require(platform.verifier.verifyTransaction(transaction.signedText).verifiedPayload)
            let payload = await store.verifier.verifyTransaction(transaction.signedText, at: .minimum).verifiedPayload
            #expect(payload == expected)
        }
        for status in statuses {
            let expected = try #require(platform.verifier.verifyRenewalInfo(status.renewalInfoJWS).verifiedPayload)
            let payload = await store.verifier.verifyRenewalInfo(status.renewalInfoJWS, at: .minimum).verifiedPayload
            #expect(payload == expected)
        }
    }

    @Test("[PFC-11] [PSE-10] what the platform rejects unlocks nothing and is not finished; accepted, it counts")
    func objection() async throws {
        let platform = try SimulatedPlatform { $0.simulatedErrors[.verification] = "invalidSignature" }
        let service = platform.launch()
        let answer = await service.purchase(productID: "template.a")
        guard case .failed(let error as PurchaseFlowError) = answer else {
            Issue.record("the purchase is not unverified: \(answer)")
            return
        }
        #expect(error.code == .unverified && error.verificationFailure?.code == .storeObjection)
        #expect(try await platform.entitlements(service).grounds.isEmpty)
        #expect(platform.simulator.engine.unfinishedTransactions(of: "customer").count == 1)
        try platform.simulator.perform { engine in engine.updateSettings { $0.simulatedErrors = [:] } }
        let next = platform.launch()
        await next.resumeUnfinishedPurchases()
        #expect(try await platform.entitlements(next).templates.count == 1)
        #expect(platform.simulator.engine.unfinishedTransactions(of: "customer").isEmpty)
    }

    @Test("a JWS that the platform has rejected in this run is not verified, although its entry says recorded")
    func rejectedInThisRun() async throws {
        let platform = try SimulatedPlatform { $0.simulatedErrors[.verification] = "invalidSignature" }
        let store = PlatformStore(platform.simulator.customer("customer"))
        _ = try await store.purchase("template.a", options: PurchaseOptions())
        let delivered = try await store.unfinishedTransactions()
        let jws = try #require(delivered.first?.signedText)
        #expect(await store.verifier.verifyTransaction(jws, at: .minimum).failure?.code == .storeObjection)
    }

    @Test("[PSE-9] after a restart without a connection the ledger's purchases stay, unless it is not trusted")
    func offlineRestart() async throws {
        let platform = try SimulatedPlatform()
        for product in ["template.a", "pro.monthly", "coins"] {
            _ = await platform.launch().purchase(productID: product)
        }
        _ = try await platform.launch().evidence()
        let offline = try await platform.entitlements(platform.launch(isOnline: false))
        #expect(offline.isPro && offline.balances == ["coins": 1] && offline.templates.count == 1)

        let strict = platform.launch(trustsLedger: false, isOnline: false)
        #expect(try await platform.entitlements(strict).grounds.isEmpty)
        let entry = try #require(try await platform.ledger.entries().first)
        let store = PlatformStore(UnreachableStore(), trustsLedger: false)
        let failure = await store.verifier.verifyTransaction(entry.transaction.signedText, at: .minimum).failure
        #expect(failure?.code == .platformVerdictMissing)
        #expect(failure?.isRetryable == true && failure?.verdict == .undecided)
        // Online again, everything that the platform lists counts; a finished consumable is not listed.
        let online = try await platform.entitlements(platform.launch(trustsLedger: false))
        #expect(online.isPro && online.templates.count == 1)
    }

    @Test("[defect 8] an edited ledger does not extend a purchase that the platform lists")
    func editedLedger() async throws {
        let platform = try SimulatedPlatform()
        _ = await platform.launch().purchase(productID: "pro.monthly")
        let genuine = try #require(try await platform.ledger.entries().first?.transaction)
        var payload = try #require(platform.verifier.verifyTransaction(genuine.signedText).verifiedPayload)
        payload.expiresDate = Sample.at(day: 9999)
        payload.signedDate = Sample.at(day: 1)
        let forged = Self.unsigned(payload)
        let store = PlatformStore(platform.simulator.customer("customer"))
        _ = try await store.history()
        #expect(await store.verifier.verifyTransaction(forged, at: .minimum).failure?.code == .platformVersionDiffers)
        // Nor does an earlier signing date hide it, or another identity of the purchase.
        for change: (inout JWSTransactionDecodedPayload) -> Void in [
            { _ in }, { $0.expiresDate = nil }, { ($0.expiresDate, $0.webOrderLineItemId) = (.minimum, "1") },
            { ($0.expiresDate, $0.type) = (.minimum, .nonConsumable) },
            { ($0.expiresDate, $0.productId) = (.minimum, "pro.yearly") },
        ] {
            var earlier = payload
            earlier.signedDate = .minimum
            change(&earlier)
            let result = await store.verifier.verifyTransaction(Self.unsigned(earlier), at: .minimum)
            #expect(result.failure?.code == .platformVersionDiffers)
        }
        // A revocation in the ledger counts, even if the platform still lists the purchase.
        payload.revocationDate = Sample.at(day: 1)
        let revoked = await store.verifier.verifyTransaction(Self.unsigned(payload), at: .minimum).verifiedPayload
        #expect(revoked?.isRevoked == true)
    }

    @Test("[defect 8] an edited ledger that was read offline does not count after the platform has answered")
    func editedLedgerReadOffline() async throws {
        let expired = Sample.payload("1", "pro.monthly") { $0.expiresDate = Sample.at(day: 30) }
        var edited = expired
        edited.expiresDate = Sample.at(day: 9999)
        edited.signedDate = Sample.at(day: 1)
        let scripted = ScriptedStore()
        await scripted.remember(
            SignedTransaction(jws: Self.unsigned(expired), transactionID: "1", productID: "pro.monthly"))
        let ledger = InMemoryLedger()
        let forged = SignedTransaction(jws: Self.unsigned(edited), transactionID: "1", productID: "pro.monthly")
        let transaction = try #require(Transaction(edited))
        _ = try await ledger.observe(forged, from: .update, at: Sample.at(0))
        _ = try await ledger.markVerified(transaction, signedText: forged.signedText)
        _ = try await ledger.record(transaction, signedText: forged.signedText, for: nil)
        let store = PlatformStore(scripted)
        let service = PurchaseService(
            store: store, ledger: ledger, verifier: store.verifier,
            environment: PurchaseEnvironment(timer: ManualTimer(), clock: { Sample.at(day: 60) }))
        func isPro() async throws -> Bool {
            EntitlementProjection(catalog: Sample.catalog)
                .entitlements(from: try await service.evidence(), clock: Sample.at(day: 60)).isPro
        }
        await scripted.fail(StoreError(.network, "flight mode"))
        #expect(try await isPro(), "offline, the ledger alone says what is owned")
        await scripted.fail(nil)
        #expect(try await !isPro())
    }

    @Test("a consumable that the platform does not deliver again leaves the answer of the store complete")
    func finishedConsumable() async throws {
        let platform = try SimulatedPlatform()
        _ = await platform.launch(trustsLedger: false).purchase(productID: "coins")
        let evidence = try await platform.launch(trustsLedger: false).evidence()
        #expect(evidence.transactions.isEmpty && evidence.isStoreReachable)
    }

    @Test("a version that only the ledger has keeps its own content after the platform has delivered a refund")
    func ownContent() async throws {
        for trustsLedger in [true, false] {
            let scripted = ScriptedStore()
            let store = PlatformStore(scripted, trustsLedger: trustsLedger)
            let bought = Sample.payload("1", "template.a", signed: Sample.at(1))
            let revoked = Sample.payload("1", "template.a", signed: Sample.at(2)) { $0.revocationDate = Sample.at(2) }
            await scripted.setEntitled([SignedTransaction(unsigned: revoked)])
            #expect(try await store.currentEntitlements().count == 1)
            #expect(await store.verifier.verifyTransaction(Self.unsigned(bought), at: .minimum) == .verified(bought))
            // A version from before does not take the place of the refund.
            let earlier = Sample.payload("1", "template.a") { $0.price = Milliunits(1) }
            await scripted.setEntitled([SignedTransaction(unsigned: earlier)])
            #expect(try await store.currentEntitlements().count == 1)
            #expect(await store.verifier.verifyTransaction(Self.unsigned(bought), at: .minimum) == .verified(bought))
            let later = Sample.payload("1", "template.a", signed: Sample.at(3))
            let result = await store.verifier.verifyTransaction(Self.unsigned(later), at: .minimum)
            #expect(result.failure?.code == .platformVersionDiffers)
        }
    }

    @Test("[defect 8] [defect 20] an edited version is not verified for another account or for more items")
    func editedForAnotherAccount() async throws {
        let own = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
        let other = UUIDText("7e3fb204-0000-4b54-8e51-3b0e5a0b1c2d")
        let scripted = ScriptedStore()
        let store = PlatformStore(scripted)
        let listed = Sample.payload("1", "coins", signed: Sample.at(2)) { $0.appAccountToken = own }
        await scripted.setEntitled([SignedTransaction(unsigned: listed)])
        #expect(try await store.currentEntitlements().count == 1)
        func failure(
            _ change: (inout JWSTransactionDecodedPayload) -> Void
        ) async -> VerificationFailure.Code? {
            var edited = listed
            edited.signedDate = Sample.at(1)
            change(&edited)
            return await store.verifier.verifyTransaction(Self.unsigned(edited), at: .minimum).failure?.code
        }
        #expect(await failure { $0.appAccountToken = nil } == nil)
        #expect(await failure { $0.appAccountToken = other } == .platformVersionDiffers)
        #expect(await failure { $0.quantity = 100 } == .platformVersionDiffers)
        #expect(await failure { $0.inAppOwnershipType = .familyShared } == .platformVersionDiffers)
    }

    @Test("[defect 8] a refund of a part that only the ledger has does not count if the ledger is not trusted")
    func editedRefundOfPart() async {
        let store = PlatformStore(ScriptedStore(), trustsLedger: false)
        var edited = Sample.payload("1", "coins") { ($0.quantity, $0.revocationDate) = (1_000, Sample.at(1)) }
        let whole = await store.verifier.verifyTransaction(Self.unsigned(edited), at: .minimum)
        #expect(whole.verifiedPayload?.isRevoked == true)
        edited.revocationPercentage = 1
        let part = await store.verifier.verifyTransaction(Self.unsigned(edited), at: .minimum)
        #expect(part.failure?.code == .platformVerdictMissing)
    }

    @Test("a stored version that the platform has replaced blocks no purchase, has no retry and reaches no handler")
    func replacedVersion() async throws {
        let platform = try SimulatedPlatform()
        let bought = try platform.simulator.perform { try $0.buy("pro.monthly", for: "customer") }.transaction
        let first = try #require(try await platform.simulator.customer("customer").unfinishedTransactions().first)
        // The process is killed before the purchase is recorded, and its period is cut short on another device.
        _ = try await platform.ledger.observe(first, from: .purchase, at: Sample.at(0))
        try platform.simulator.perform { engine in
            try engine.advance(byMilliseconds: Sample.day)
            try engine.expire(try #require(bought).id)
        }
        let service = platform.launch()
        let reported = Locked<[VerificationFailure]>([])
        let listener = service.listenForTransactions { update in
            if case .unverified(let failure) = update { reported.withLock { $0.append(failure) } }
        }
        for _ in 1...2 { await service.resumeUnfinishedPurchases() }
        #expect(reported.withLock { $0 }.isEmpty)
        #expect(await service.handOvers.retries.isEmpty)
        let entry = try await platform.ledger.entries().first { $0.transaction.signedText == first.signedText }
        #expect(entry?.quarantineReason == .platformVersionDiffers)
        let result = await service.purchase(productID: "pro.monthly")
        #expect(PurchaseResultMapping.outcome(of: result) == .success)
        listener.cancel()
    }

    @Test("a purchase is still verified after Xcode has used its id again for another one")
    func reusedID() async throws {
        func payload(_ bought: Int64) -> JWSTransactionDecodedPayload {
            Sample.payload("0", "coins", bought: Sample.at(bought)) { $0.environment = .xcode }
        }
        let scripted = ScriptedStore()
        let store = PlatformStore(scripted)
        await scripted.setEntitled([SignedTransaction(unsigned: payload(1000))])
        #expect(try await store.currentEntitlements().count == 1)
        let earlier = payload(0)
        #expect(await store.verifier.verifyTransaction(Self.unsigned(earlier), at: .minimum) == .verified(earlier))
    }

    @Test("the number of remembered verdicts does not grow with the number of deliveries")
    func boundedVerdicts() async {
        let verdicts = PlatformVerdicts()
        func count() async -> Int { await verdicts.transactions.count }
        for number: Int64 in 0..<3000 {
            let payload = Sample.payload("1", "template.a", signed: Sample.at(number)) {
                if number > 1500 { $0.revocationDate = Sample.at(1500) }
            }
            await verdicts.record(SignedTransaction(unsigned: payload))
            await verdicts.record(SignedTransaction(jws: "\(number)", transactionID: "1", productID: "template.a"))
        }
        #expect(await count() == 2)
        for number: Int64 in 0..<5000 {
            let payload = Sample.payload("2", "template.a", signed: Sample.at(number))
            await verdicts.record(SignedTransaction(unsigned: payload, objection: "not for this device"))
        }
        #expect(await count() <= 2 + 2 * PlatformVerdicts.rejectionCapacity)
        let last = Self.unsigned(Sample.payload("2", "template.a", signed: Sample.at(4500)))
        #expect(await verdicts.transactions.result(of: last)?.failure?.code == .storeObjection)
    }

    @Test("without trust in the ledger the platform's verdicts on updates and statuses count")
    func verdictsOnUpdates() async throws {
        func status(_ id: String) -> SignedSubscriptionStatus {
            SignedSubscriptionStatus(
                transaction: SignedTransaction(
                    jws: Self.unsigned(Sample.payload(id, "pro.monthly")), transactionID: id, productID: "pro.monthly"),
                renewalInfoJWS: UnsignedJWS.text(Sample.renewal(id, signed: Sample.at(0)).members))
        }
        let scripted = ScriptedStore()
        let store = PlatformStore(scripted, trustsLedger: false)
        let updates = store.updates()
        scripted.send(.subscriptionStatus(status("1")))
        scripted.send(.transaction(status("2").transaction))
        scripted.endUpdates()
        for await _ in updates {}
        await scripted.setStatuses([status("3")])
        #expect(try await store.subscriptionStatuses().count == 1)
        let verified = ["1", "2", "3", "4"].map(status)
        var transactions: [Bool] = []
        var renewalInfos: [Bool] = []
        for status in verified {
            let transaction = await store.verifier.verifyTransaction(status.transaction.signedText, at: .minimum)
            let info = await store.verifier.verifyRenewalInfo(status.renewalInfoJWS, at: .minimum)
            transactions.append(transaction.verifiedPayload != nil)
            renewalInfos.append(info.verifiedPayload != nil)
        }
        #expect(transactions == [true, true, true, false])
        #expect(renewalInfos == [true, false, true, false])
    }

    @Test("of several verdicts of the platform on one JWS the latest counts")
    func latestVerdict() async throws {
        let jws = Self.unsigned(Sample.payload("1", "template.a"))
        let scripted = ScriptedStore()
        let store = PlatformStore(scripted)
        for objection in ["not trusted yet", nil, "revoked certificate"] {
            await scripted.setEntitled([
                SignedTransaction(jws: jws, transactionID: "1", productID: "template.a", objection: objection)
            ])
            #expect(try await store.currentEntitlements().count == 1)
            let result = await store.verifier.verifyTransaction(jws, at: .minimum)
            #expect(result.failure?.code == (objection == nil ? nil : .storeObjection))
        }
    }

    @Test("hostile JWS get the codes of a verifier of signatures")
    func hostile() async throws {
        let verifier = PlatformStore(UnreachableStore()).verifier
        func code(_ jws: String) async -> VerificationFailure.Code? {
            await verifier.verifyTransaction(jws, at: .minimum).failure?.code
        }
        func jws(_ payload: String) -> String { "e30.\(UnsignedJWS.base64URL(payload)).c2ln" }
        #expect(await code("") == .segmentCount)
        #expect(await code("a.b") == .segmentCount)
        #expect(await code("..") == .segmentCount)
        #expect(await code("e30.e30.c2ln.c2ln") == .segmentCount)
        for text in ["e30=", "e3+0", "e3/0", "e", "e31", "é30", "e 30"] {
            #expect(await code("e30.\(text).c2ln") == .encoding, "\(text)")
        }
        for text in ["{", "\u{0}", "{\"a\":}", "{\"a\":\"\\ud800\"}", "{} {}"] {
            #expect(await code(jws(text)) == .payloadMalformed, "\(text)")
        }
        for text in ["null", "1", "[]", "\"text\"", "true"] {
            #expect(await code(jws(text)) == .payloadNotAnObject, "\(text)")
        }
        for text in [
            "{\"price\":\"1\"}", "{\"quantity\":4294967296}", "{\"purchaseDate\":1e300}", "{\"isUpgraded\":1}",
        ] {
            #expect(await code(jws(text)) == .claimType, "\(text)")
        }
        #expect(await code(jws(String(repeating: "[", count: 100_000))) == .payloadMalformed)
        #expect(await code(String(repeating: "a", count: 262_145)) == .tooLarge)
        #expect(await code(jws("{\"unknown\":[{\"a\":null,\"b\":1.5}]}")) == nil)
        #expect(await verifier.verifyRenewalInfo(jws("null"), at: .minimum).failure?.code == .payloadNotAnObject)
    }

    private static func unsigned(_ payload: JWSTransactionDecodedPayload) -> String {
        UnsignedJWS.text(payload.members)
    }
}
