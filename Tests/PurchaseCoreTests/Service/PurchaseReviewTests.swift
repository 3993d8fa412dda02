import PurchaseCore
import ReceiptTypes
import Testing

/// What a service records for its user, and what becomes of it when the verifier judges again.
@Suite("The recorded purchases of a user")
struct PurchaseReviewTests {
    private static let alice = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
    private static let bob = UUIDText("6b29fc40-ca47-1067-b31d-00dd010662da")

    private func records(_ harness: ServiceHarness, _ user: AppUser = .noAccounts) -> PurchaseRecords {
        PurchaseRecords(
            harness.ledger, user: user, catalog: Sample.catalog,
            environment: PurchaseEnvironment(clock: harness.clock.now))
    }

    @Test("a purchase is recorded with its signed content, in the commit of its delivery and only for its account")
    func account() async throws {
        let harness = ServiceHarness(account: Self.alice)
        _ = await harness.service.purchase(productID: "template.a")
        let signed = await harness.store.past["sale-1"]?.content
        let upperCase = UUIDText("0E984725-C51C-4BF4-9960-E1C80E27ABA0")
        for user in [Self.alice, upperCase] {
            let purchases = try await records(harness, .signedIn(user)).getAllPurchases()
            #expect(purchases.map(\.productID) == ["template.a"])
            let content = try await records(harness, .signedIn(user)).signedContent(
                of: try #require(purchases.first).id)
            #expect(content == signed && content != nil)
        }
        #expect(try await records(harness, .signedIn(Self.bob)).getAllPurchases().isEmpty)
        #expect(try await records(harness, .signedOut).getAllPurchases().isEmpty)
        #expect(try await harness.service.reviewPurchases(of: .signedIn(upperCase))?.isEmpty == true)
        #expect(try await harness.service.reviewPurchases(of: .signedIn(Self.bob)) == nil)
        await harness.service.signOut()
        #expect(try await harness.service.reviewPurchases(of: .signedIn(Self.alice)) == nil)
    }

    @Test("a Play subscription whose planned change took effect has its new product, also after a review")
    func changedPlan() async throws {
        let harness = ServiceHarness()
        for product in ["pro.yearly", "pro.monthly"] {
            await harness.store.setEntitled([harness.verifier.sign(Sample.playPurchase("p1", product))])
            _ = try await harness.service.evidence()
        }
        #expect(try await harness.ledger.entries().count == 2)
        for service in [harness.service, harness.restarted()] {
            _ = try await service.reviewPurchases(of: .noAccounts)
            #expect(try await records(harness).getAllPurchases().map(\.productID) == ["pro.monthly"])
        }
    }

    @Test("a purchase from before the app had accounts is an account's only after the store has listed it there")
    func unowned() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.fail(StoreError(.network, "down"))
        let service = harness.restarted(account: Self.alice)
        _ = try await service.evidence()
        #expect(try await records(harness, .signedIn(Self.alice)).getAllPurchases().isEmpty)
        #expect(try await records(harness, .signedOut).getAllPurchases().count == 1)
        await harness.store.fail(nil)
        _ = try await service.evidence()
        #expect(try await records(harness, .signedIn(Self.alice)).getAllPurchases().count == 1)
        #expect(try await records(harness, .signedOut).getAllPurchases().isEmpty)
        #expect(try await records(harness, .signedIn(Self.bob)).getAllPurchases().isEmpty)
    }

    @Test("a purchase and its refund are one purchase with the events of both, and what does not verify has none")
    func versions() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        await harness.store.deliver(harness.verifier.forge(Sample.payload("2", "template.b")))
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("sale-1", "template.a", signed: Sample.at(9)) { $0.revocationDate = Sample.at(9) }))
        await harness.service.resumeUnfinishedPurchases()
        #expect(try await records(harness).getAllPurchases().map(\.isRevoked) == [true])
        #expect(try await records(harness).events(since: nil).map(\.kind) == [.completed, .verified, .revoked])
    }

    @Test("[OTP-2.3] a purchase that the ledger could not record is recorded with the next attempt, with its events")
    func retried() async throws {
        let harness = ServiceHarness()
        let isFull = Locked(true)
        var ledger = HookedLedger(base: harness.ledger)
        ledger.before = { step throws(LedgerError) in
            if step == .record, isFull.withLock({ $0 }) { throw LedgerError(.notWritten, "the disk is full") }
        }
        let service = harness.restarted(user: .noAccounts, ledger: ledger)
        _ = await service.purchase(productID: "template.a")
        #expect(try await records(harness).getAllPurchases().isEmpty)
        isFull.withLock { $0 = false }
        await service.resumeUnfinishedPurchases()
        #expect(try await records(harness).getAllPurchases().map(\.productID) == ["template.a"])
        #expect(try await records(harness).events(since: nil).map(\.kind) == [.completed, .verified])
    }

    @Test("[OTP-7.5] a purchase that no longer verifies is recorded as unverified until it verifies again")
    func invalidated() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        let jws = try #require(try await harness.ledger.entries().last).transaction.signedText
        func reviewed() async throws -> (Purchase?, [UnverifiedPurchase]?) {
            let open = try await harness.restarted().reviewPurchases(of: .noAccounts)
            return (try await records(harness).getAllPurchases().first, open)
        }
        #expect(try await reviewed().0?.isVerified == true)
        harness.verifier.fail(jws, with: VerificationFailure(code: .verificationTimedOut))
        let undecided = try await reviewed()
        #expect(undecided.0?.isVerified == true, "nothing is decided")
        #expect(undecided.1?.map(\.failure.code) == [.verificationTimedOut])
        harness.verifier.fail(jws, with: VerificationFailure(code: .bundleIDMismatch))
        let rejected = try await reviewed()
        #expect(rejected.0?.verification == .unverified(.bundleIDMismatch) && rejected.1?.isEmpty == true)
        harness.verifier.fail(jws, with: nil)
        #expect(try await reviewed().0?.isVerified == true)
        let kinds = try await records(harness).events(since: nil).map(\.kind)
        #expect(kinds == [.completed, .verified, .invalidated, .verified])
    }

    @Test("[OTP-7.5] a purchase with one version that verifies stays verified")
    func oneVersion() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        let jws = try #require(try await harness.ledger.entries().last).transaction.signedText
        await harness.store.deliver(
            harness.verifier.sign(
                Sample.payload("sale-1", "template.a", signed: Sample.at(9)) { $0.revocationDate = Sample.at(9) }))
        await harness.service.resumeUnfinishedPurchases()
        harness.verifier.fail(jws, with: VerificationFailure(code: .signatureInvalid))
        _ = try await harness.restarted().reviewPurchases(of: .noAccounts)
        #expect(try await records(harness).getAllPurchases().map(\.isVerified) == [true])
    }

    @Test("a review verifies no text twice in a run, and makes no commit if nothing has changed")
    func unchanged() async throws {
        let harness = ServiceHarness()
        _ = await harness.service.purchase(productID: "template.a")
        let before = try await records(harness).events(since: nil)
        let verifications = harness.verifier.verificationCount
        _ = try await harness.service.reviewPurchases(of: .noAccounts)
        #expect(harness.verifier.verificationCount == verifications)
        #expect(try await records(harness).events(since: nil) == before)
    }

    @Test("a service without a ledger has nothing to review")
    func noLedger() async throws {
        #expect(try await DocumentedService().reviewPurchases(of: .noAccounts) == [])
    }
}
