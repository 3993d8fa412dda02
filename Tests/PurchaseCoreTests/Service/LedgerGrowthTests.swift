import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Growth of the ledger")
struct LedgerGrowthTests {
    /// The number of launches; LAUNCH_COUNT raises it.
    private static let launchCount = ProcessInfo.processInfo.environment["LAUNCH_COUNT"].flatMap { Int($0) } ?? 100
    /// The number of purchases; LAUNCH_PURCHASES raises it.
    private static let purchaseCount = ProcessInfo.processInfo.environment["LAUNCH_PURCHASES"].flatMap { Int($0) } ?? 3

    private struct Work: Equatable {
        let entries: Int
        let verifications: Int
        let renewalVerifications: Int
        let requests: [ScriptedStore.Call: Int]
    }

    @Test("a hundred launches over three purchases that the store signs again each time keep three entries")
    func launches() async throws {
        let harness = ServiceHarness()
        let products = ["template.a", "pro.monthly", "pro.lifetime"]
        func signed(_ number: Int, launch: Int) -> SignedTransaction {
            let product = number < 3 ? products[number] : "template.\(number)"
            return harness.verifier.sign(
                Sample.payload("\(number)", product, expires: Sample.at(day: 4000), signed: Sample.at(Int64(launch))))
        }
        var work: [Work] = []
        for launch in 0..<Self.launchCount {
            let current = (0..<Self.purchaseCount).map { signed($0, launch: launch) }
            await harness.store.setEntitled(current)
            for transaction in current { await harness.store.remember(transaction) }
            // The subscription is the second purchase.
            let info = harness.verifier.sign(Sample.renewal("1", signed: Sample.at(Int64(launch))))
            await harness.store.setStatuses(
                current.dropFirst().prefix(1).map { SignedSubscriptionStatus(transaction: $0, renewalInfoJWS: info) })
            let verifications = harness.verifier.verificationCount
            let renewalVerifications = harness.verifier.renewalVerificationCount
            let requests = await harness.store.requests
            let service = harness.restarted()
            await service.resumeUnfinishedPurchases()
            #expect(try await harness.entitlements(service).isPro)
            _ = try await service.evidence()
            work.append(
                Work(
                    entries: try await harness.ledger.entries().count,
                    verifications: harness.verifier.verificationCount - verifications,
                    renewalVerifications: harness.verifier.renewalVerificationCount - renewalVerifications,
                    requests: await harness.store.requests.merging(requests, uniquingKeysWith: -).filter {
                        $0.value > 0
                    }
                ))
        }
        #expect(work.last?.entries == Self.purchaseCount)
        #expect(work.last?.verifications == Self.purchaseCount, "each signature is verified once")
        #expect(work.last?.renewalVerifications == 1, "each renewal info is verified once in a run")
        #expect(work.last?.requests == [.unfinished: 1, .entitlements: 2, .statuses: 2])
        // Equal from the tenth launch on.
        #expect(work.dropFirst(9).allSatisfy { $0 == work.last }, "\(work.suffix(3))")
        print("launches: \(work.count), each of the last ones: \(work.last.map { "\($0)" } ?? "none")")
    }

    @Test("a newer signature of the same facts replaces the older one, keeps stage and source, and is not news")
    func newerSignature() async throws {
        let harness = ServiceHarness()
        let first = harness.verifier.sign(Sample.payload("1", "template.a"))
        let second = harness.verifier.sign(Sample.payload("1", "template.a", signed: Sample.at(day: 1)))
        await harness.store.deliver(first)
        await harness.service.resumeUnfinishedPurchases()
        let results = await harness.listening { harness.store.send(.transaction(second)) }
        #expect(results.isEmpty)
        let entries = try await harness.ledger.entries()
        #expect(entries.map(\.transaction.signedText) == [second.signedText])
        #expect(entries.map(\.stage) == [.finished])
        #expect(entries.map(\.source) == [.unfinished])
        // A redelivered older signature does not replace the newer one.
        harness.store.send(.transaction(first))
        await harness.store.remember(first)
        _ = try await harness.service.requestAllPurchaseHistory()
        #expect(try await harness.ledger.entries().map(\.transaction.signedText) == [second.signedText])
        #expect(await harness.fulfiller.orders.count == 1)
    }

    @Test("a text that is no longer verified gives way to another one of the same date and facts, once")
    func sameDate() async throws {
        let harness = ServiceHarness()
        let (first, second) = (
            harness.verifier.sign(Sample.payload("1", "template.a")),
            harness.verifier.sign(Sample.payload("1", "template.a"))
        )
        await harness.store.deliver(first)
        await harness.service.resumeUnfinishedPurchases()
        // For example because its root is no longer trusted.
        harness.verifier.fail(first.signedText, with: VerificationFailure(code: .signatureInvalid))
        await harness.store.remember(second)
        await harness.store.setEntitled([second])
        for launch in 1...3 {
            let verifications = harness.verifier.verificationCount
            let service = harness.restarted()
            await service.resumeUnfinishedPurchases()
            #expect(try await harness.entitlements(service).templates.count == 1)
            let result = await service.purchase(productID: "template.a")
            #expect(PurchaseResultMapping.outcome(of: result) == .alreadyOwned)
            #expect(try await service.requestAllPurchaseHistory().known.map(\.id) == ["1"])
            #expect(harness.verifier.verificationCount - verifications <= 2, "launch \(launch)")
            #expect(try await harness.stages() == [second.signedText: .finished])
        }
        #expect(await harness.fulfiller.orders.count == 1)
        #expect(await harness.store.sales.isEmpty)
    }

    @Test("the version of a reversed refund merges with its purchase and is granted again")
    func reversal() async throws {
        let harness = ServiceHarness()
        for (day, isRevoked) in [(0, false), (1, true), (2, false), (3, true), (4, false)] {
            await harness.store.deliver(
                harness.verifier.sign(
                    Sample.payload("1", "coins", signed: Sample.at(day: day)) {
                        if isRevoked { $0.revocationDate = Sample.at(day: 1) }
                    }))
            await harness.service.resumeUnfinishedPurchases()
            #expect(await harness.fulfiller.balance == (isRevoked ? 0 : 1), "day \(day)")
            #expect(try await harness.entitlements().balances == (isRevoked ? [:] : ["coins": 1]), "day \(day)")
        }
        #expect(try await harness.ledger.entries().count == 2)
        #expect(try await harness.stages().values.allSatisfy { $0 == .finished })
    }

    @Test("a purchase of another account has one entry, however often the store signs it")
    func conflicts() async throws {
        let bert = UUIDText("00000000-2a51-4b54-8e51-3b0e5a0b1c2d")
        let harness = ServiceHarness(account: bert)
        for day in 0..<20 {
            await harness.store.setEntitled([
                harness.verifier.sign(
                    Sample.payload("1", "template.a", signed: Sample.at(day: day)) {
                        $0.appAccountToken = UUIDText("7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
                    })
            ])
            #expect(try await harness.entitlements(harness.restarted(account: bert)).grounds.isEmpty)
        }
        #expect(try await harness.ledger.entries().map(\.stage) == [.verified])
    }

    @Test("of the forged versions of a transaction the latest is kept for support")
    func quarantine() async throws {
        let harness = ServiceHarness()
        var last = ""
        for _ in 0..<20 {
            let forged = harness.verifier.forge(Sample.payload("1", "template.a"))
            last = forged.signedText
            await harness.store.setEntitled([forged, harness.verifier.forge(Sample.payload("2", "template.b"))])
            let service = harness.restarted()
            _ = try await service.evidence()
        }
        _ = try await harness.restarted().evidence()
        let entries = try await harness.ledger.entries()
        #expect(entries.count == 2)
        #expect(entries.allSatisfy { $0.quarantineReason == .signatureInvalid })
        #expect(entries.contains { $0.transaction.signedText == last })
    }

    @Test("forged deliveries that differ at each refresh stay few in one run")
    func quarantineInOneRun() async throws {
        let harness = ServiceHarness()
        for _ in 0..<300 {
            await harness.store.setEntitled([harness.verifier.forge(Sample.payload("1", "template.a"))])
            _ = try await harness.service.evidence()
        }
        #expect(try await harness.ledger.entries().count <= 101)
    }

    @Test("undecided deliveries that the store signs again each time stay few, in one run and over many launches")
    func undecided() async throws {
        let harness = ServiceHarness()
        func deliver() async {
            let signed = harness.verifier.sign(Sample.payload("1", "template.a", signed: harness.clock.now()))
            harness.verifier.fail(signed.signedText, with: VerificationFailure(code: .verificationTimedOut))
            await harness.store.setEntitled([signed])
            await harness.store.deliver(signed)
        }
        for _ in 0..<300 {
            await deliver()
            _ = try await harness.service.evidence()
        }
        #expect(try await harness.ledger.entries().count <= 102)
        for _ in 0..<20 {
            await deliver()
            let service = harness.restarted()
            await service.resumeUnfinishedPurchases()
            _ = try await service.evidence()
        }
        #expect(try await harness.ledger.entries().count <= 3)
        // Once the verifier answers, the latest signature counts.
        let latest = try #require(await harness.store.entitled["template.a"])
        harness.verifier.fail(latest.signedText, with: nil)
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await harness.entitlements().templates.count == 1)
        #expect(await harness.store.finished == ["1"])
    }

    @Test("every field but the signing date is part of a transaction's facts")
    func facts() throws {
        let base = Sample.payload("1", "pro.monthly")
        let changes: [(inout JWSTransactionDecodedPayload) -> Void] = [
            { $0.transactionId = "2" }, { $0.originalTransactionId = "2" }, { $0.webOrderLineItemId = "2" },
            { $0.productId = "2" }, { $0.type = .nonConsumable }, { $0.subscriptionGroupIdentifier = "2" },
            { $0.purchaseDate = Sample.at(1) }, { $0.expiresDate = Sample.at(1) }, { $0.quantity = 2 },
            { $0.inAppOwnershipType = .familyShared }, { $0.revocationDate = Sample.at(1) }, { $0.isUpgraded = true },
            { $0.offerType = .introductory }, { $0.offerDiscountType = .freeTrial },
            { $0.appAccountToken = UUIDText("2") }, { $0.price = Milliunits(2) }, { $0.currency = "EUR" },
            { $0.environment = .production }, { $0.originalPurchaseDate = Sample.at(1) },
            { ($0.revocationDate, $0.revocationPercentage) = (Sample.at(1), 40_000) },
        ]
        var all: Set = [try #require(Transaction(base)).facts]
        for change in changes {
            var payload = base
            change(&payload)
            all.insert(try #require(Transaction(payload)).facts)
        }
        #expect(all.count == changes.count + 1)
        var signedLater = base
        signedLater.signedDate = Sample.at(day: 5)
        #expect(all.contains(try #require(Transaction(signedLater)).facts))
        // All stored properties: the facts, the signing date, the kind, which follows from the type, the mark of a test
        // store, which follows from the environment, the mark of an end that is not signed, the mark of a renewal, which
        // never changes and which older signatures lack, and the origin, whose facts have the next test.
        let fields = Mirror(reflecting: try #require(Transaction(base))).children.compactMap(\.label)
        #expect(fields.count == changes.count + 6, "add the new field to the facts and to this test")
    }

    @Test("every signed fact of a Google Play purchase is part of a transaction's facts")
    func playFacts() throws {
        let changes: [(inout PlayPurchase) -> Void] = [
            { $0.orderId = "GPA.2" }, { $0.purchaseState = .cancelled }, { $0.acknowledged = true },
            { $0.autoRenewing = false }, { $0.obfuscatedAccountId = "a" }, { $0.obfuscatedProfileId = "a" },
            { $0.productIds = ["pro.monthly", "pro.yearly"] },
        ]
        func transaction(_ change: (inout PlayPurchase) -> Void) throws -> Transaction {
            let purchase = Sample.playPurchase("p1", "pro.monthly", change: change)
            return try Sample.require(purchase.transaction(of: Sample.playProducts).verifiedPayload)
        }
        var all: Set = [try transaction { _ in }.facts]
        for change in changes { all.insert(try transaction(change).facts) }
        #expect(all.count == changes.count + 1)
        // The period is not signed: it comes from the app's list of products.
        let play = try #require(try transaction { _ in }.play)
        #expect(Mirror(reflecting: play).children.count == changes.count + 1, "add the new field to the facts")
    }
}
