import Foundation
import LocalStore
import PurchaseCore
import ReceiptTypes
import ReceiptVerification
import Testing

@Suite("Signed data of a store simulator")
struct SignedDataTests {
    @Test("every kind of notification is verified, with its transaction and renewal info")
    func notifications() throws {
        let store = try SampleStore.simulator(accounts: ["anna", "berta"])
        try store.perform { engine in
            try engine.setFamily("home", of: "anna")
            try engine.setFamily("home", of: "berta")
            _ = try engine.purchase("coins")
            try engine.requestRefund(try engine.purchase("coins").id)
            let bought = try engine.purchase("pro.plus")
            try engine.advance(days: 8)
            try engine.setBillingIssue(true, bought.id)
            engine.updateSettings { $0.isGracePeriodEnabled = true }
            try engine.advance(days: 50)
            try engine.setBillingIssue(false, bought.id)
            _ = try engine.changePlan(bought.id, to: "pro.weekly")
            try engine.requestPriceIncrease(bought.id, to: Milliunits(20_000))
            try engine.cancelRenewal(bought.id)
            try engine.advance(days: 40)
            try engine.refund(try engine.latestTransaction().id)
        }
        let verifier = try SampleStore.verifier()
        var seen: Set<String> = []
        for notification in store.state.notifications {
            let verified = try #require(
                verifier.verifyNotification(try store.signedNotification(notification)).verifiedPayload)
            let payload = verified.payload
            seen.insert(notification.type.rawValue)
            #expect(payload.notificationType == notification.type)
            #expect(payload.subtype == notification.subtype)
            #expect(payload.notificationUUID == notification.id)
            #expect(UUIDText(notification.id).isUUID)
            #expect(payload.version == "2.0")
            #expect(payload.data?.bundleId == SampleStore.bundleID)
            #expect(payload.data?.status == notification.subscription?.status)
            #expect(verified.transaction?.verifiedPayload?.transactionId == notification.transaction.id)
            #expect((verified.renewalInfo == nil) == (notification.subscription == nil))
        }
        #expect(
            seen.isSuperset(of: [
                "ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "SUBSCRIBED", "DID_RENEW", "DID_FAIL_TO_RENEW",
                "GRACE_PERIOD_EXPIRED", "DID_CHANGE_RENEWAL_PREF", "PRICE_INCREASE", "DID_CHANGE_RENEWAL_STATUS",
                "EXPIRED", "REFUND", "REVOKE",
            ]), "\(seen)")
    }

    @Test("a notification contains the transaction and renewal info of its time")
    func notificationsAreSnapshots() throws {
        let store = try SampleStore.simulator()
        try store.perform { engine in
            let bought = try engine.purchase("pro.other")
            try engine.cancelRenewal(bought.id)
            try engine.refund(bought.id)
        }
        let verifier = try SampleStore.verifier()
        let first = try #require(store.state.notifications.first)
        let verified = try #require(verifier.verifyNotification(try store.signedNotification(first)).verifiedPayload)
        #expect(verified.transaction?.verifiedPayload?.revocationDate == nil)
        #expect(verified.renewalInfo?.verifiedPayload?.autoRenewStatus == .on)
        let last = try #require(store.state.notifications.last)
        let refund = try #require(verifier.verifyNotification(try store.signedNotification(last)).verifiedPayload)
        #expect(refund.transaction?.verifiedPayload?.revocationDate == SampleStore.start)
        #expect(refund.transaction?.verifiedPayload?.revocationType == .refundFull)
        #expect(refund.renewalInfo?.verifiedPayload?.autoRenewStatus == .off)
    }

    @Test("renewal info announces the next renewal")
    func renewalInfo() throws {
        let store = try SampleStore.simulator { $0.isGracePeriodEnabled = true }
        func info() throws -> JWSRenewalInfoDecodedPayload {
            let id = try #require(store.state.subscriptions.first).id
            return try #require(
                try SampleStore.verifier().verifyRenewalInfo(try store.signedRenewalInfo(id)).verifiedPayload)
        }
        let bought = try store.perform { try $0.purchase("pro.basic") }
        var renewal = try info()
        #expect(renewal.originalTransactionId == bought.id)
        #expect(renewal.autoRenewStatus == .on)
        #expect(renewal.renewalPrice == Milliunits(4990))
        #expect(renewal.currency == "USD")
        #expect(renewal.renewalDate == bought.expiresDate)
        #expect(renewal.isInBillingRetryPeriod == nil)

        try store.perform { engine in
            _ = try engine.buy("pro.basic", for: "anna", PurchaseOrder(offer: .promotional(id: "half")))
            try engine.requestPriceIncrease(bought.id, to: Milliunits(5990))
        }
        renewal = try info()
        #expect(renewal.offerType == .promotional)
        #expect(renewal.offerIdentifier == "half")
        #expect(renewal.renewalPrice == Milliunits(2490))
        #expect(renewal.priceIncreaseStatus == .pending)
        try store.perform { engine in
            try engine.consentToPriceIncrease(bought.id)
            try engine.setBillingIssue(true, bought.id)
            try engine.advance(days: 7)
        }
        renewal = try info()
        #expect(renewal.priceIncreaseStatus == .accepted)
        #expect(renewal.isInBillingRetryPeriod == true)
        #expect(renewal.gracePeriodExpiresDate == bought.expiresDate?.adding(try #require(BillingPeriod(days: 16))))
        #expect(renewal.expirationIntent == .billingError)
        try store.perform { engine in try engine.advance(days: 90) }
        renewal = try info()
        #expect(renewal.isInBillingRetryPeriod == false)
        #expect(renewal.autoRenewStatus == .off)
        #expect(renewal.eligibleWinBackOfferIds == ["back"])
    }

    @Test("the app receipt of a customer is verified, with the customer's own purchases but no finished consumable")
    func appReceipts() throws {
        let store = try SampleStore.simulator(accounts: ["anna", "ben"])
        var anchors = TrustAnchors()
        try anchors.add(try store.signer.appReceiptRootCertificate)
        let verifier = ReceiptVerifier(
            policy: .init(apps: [.init(bundleID: SampleStore.bundleID)], environments: [.sandbox]),
            trustAnchors: anchors, clock: { .maximum })
        func receipt(of account: String) throws -> AppReceipt {
            let text = try store.appReceipt(for: account)
            return try #require(verifier.verifyAppReceipt([UInt8](text.utf8)).verifiedPayload)
        }
        let lifetime = try store.perform { try $0.purchase("pro.lifetime") }
        let coins = try store.perform { try $0.purchase("coins") }
        let first = try receipt(of: "anna")
        // DER sorts the purchases by their bytes.
        #expect(Set(first.inApp?.map(\.transactionId) ?? []) == [lifetime.id, coins.id])
        #expect(Set(first.inApp?.map(\.productType) ?? []) == [.nonConsumable, .consumable])
        #expect(first.receiptCreationDate == SampleStore.start)
        #expect(try receipt(of: "ben").inApp?.isEmpty == true)

        try store.perform { engine in
            engine.finish(coins.id)
            try engine.refund(lifetime.id)
        }
        let second = try receipt(of: "anna")
        #expect(second.inApp?.map(\.transactionId) == [lifetime.id])
        #expect(second.inApp?.first?.cancellationDate == SampleStore.start)
        #expect(throws: StoreSimulatorError(.unknownAccount, "")) { try store.appReceipt(for: "missing") }
    }

    @Test("app transactions and Google Play purchases are verified")
    func others() throws {
        let store = try SampleStore.simulator()
        let verifier = try SampleStore.verifier()
        let app = try #require(
            verifier.verifyAppTransaction(try store.signedAppTransaction(for: "anna")).verifiedPayload)
        #expect(app.bundleId == SampleStore.bundleID)
        #expect(app.receiptType == .sandbox)
        #expect(app.appTransactionId == store.state.accounts[0].appTransactionID)
        #expect(throws: StoreSimulatorError(.unknownAccount, "")) { try store.signedAppTransaction(for: "missing") }

        let bought = try store.perform { try $0.purchase("pro.other") }
        let play = try store.playPurchase(bought.id)
        let purchase = try #require(
            verifier.verifyPurchase(data: play.data, signature: play.signature).verifiedPayload)
        #expect(purchase.productId == "pro.other")
        #expect(purchase.packageName == SampleStore.bundleID)
        #expect(purchase.autoRenewing == true)
        #expect(purchase.acknowledged == false)
        #expect(purchase.purchaseTime == SampleStore.start)
        #expect(play.data.contains("GPA."))
        try store.perform { try $0.refund(bought.id) }
        let refunded = try store.playPurchase(bought.id)
        #expect(
            verifier.verifyPurchase(data: refunded.data, signature: refunded.signature).failure?.code
                == .purchaseCancelled)
    }

    @Test("signed data is verified at any simulated time from 1970 to 9999")
    func anyTime() throws {
        for seconds in [0, 1_000_000_000, 4_000_000_000, 250_000_000_000] as [Int64] {
            let now = try #require(Timestamp(milliseconds: seconds * 1000))
            let state = SimulatorState(
                seed: 1, now: now, app: SimulatedApp(bundleID: SampleStore.bundleID), accounts: ["anna"])
            let store = try SampleStore.simulator(over: state)
            let bought = try store.perform { try $0.purchase("pro.lifetime") }
            let result = try SampleStore.verifier().verifyTransaction(try store.signedTransaction(bought.id))
            #expect(result.verifiedPayload?.purchaseDate == now, "\(now): \(String(describing: result.failure))")
        }
    }

    @Test("another root, another app and another environment are rejected")
    func rejectsOtherRoots() throws {
        let store = try SampleStore.simulator()
        let bought = try store.perform { try $0.purchase("pro.lifetime") }
        let jws = try store.signedTransaction(bought.id)
        let stranger = try SimulatorSigner()
        #expect(
            ReceiptVerifier(trustAnchors: stranger.trustAnchors).verifyTransaction(jws).verifiedPayload == nil)
        #expect(ReceiptVerifier().verifyTransaction(jws).verifiedPayload == nil)
        var policy = VerificationPolicy(apps: [.init(bundleID: "com.example.other")])
        let anchors = store.signer.trustAnchors
        #expect(
            ReceiptVerifier(policy: policy, trustAnchors: anchors).verifyTransaction(jws).failure?.code
                == .bundleIDMismatch)
        policy = VerificationPolicy(environments: [.production])
        #expect(
            ReceiptVerifier(policy: policy, trustAnchors: anchors).verifyTransaction(jws).failure?.code
                == .environmentMismatch)
    }

    @Test("keys are created on first use, readable only by their owner, and used again")
    func keysAreKept() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "local-store-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try SimulatorSigner(folder: folder)
        let playKeyPath = "\(folder)/play-key.pem"
        #expect(
            !FileManager.default.fileExists(atPath: playKeyPath), "an RSA key takes long, so its first use makes it")
        let playKey = try first.playPublicKey
        for name in ["root-key.pem", "intermediate-key.pem", "leaf-key.pem", "play-key.pem"] {
            let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        let store = StoreSimulator(configuration: SampleStore.configuration, signer: first, state: SampleStore.state())
        let bought = try store.perform { try $0.purchase("pro.lifetime") }
        let jws = try store.signedTransaction(bought.id)
        let second = try SimulatorSigner(folder: folder)
        #expect(second.rootCertificate == first.rootCertificate)
        #expect(try second.playPublicKey == playKey)
        #expect(ReceiptVerifier(trustAnchors: second.trustAnchors).verifyTransaction(jws).verifiedPayload != nil)
        try Data("no key".utf8).write(to: URL(filePath: playKeyPath))
        #expect(throws: StoreSimulatorError.self) { try SimulatorSigner(folder: folder) }
        try FileManager.default.removeItem(atPath: "\(folder)/root-key.pem")
        let error = #expect(throws: StoreSimulatorError.self) { try SimulatorSigner(folder: folder) }
        #expect(error?.code == .unusableKeys)
        #expect(error?.message.contains("exists") == true)
    }

    @Test("signers of a new folder that start at once have the root that is stored, and verify each other's purchases")
    func rootIsMadeOnce() async throws {
        try await withTemporaryFolder { folder in
            for round in 0..<8 {
                let keys = "\(folder)/\(round)"
                let signers = try await withThrowingTaskGroup(of: SimulatorSigner.self) { group in
                    for _ in 0..<8 { group.addTask { try SimulatorSigner(folder: keys) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let stored = try SimulatorSigner(folder: keys)
                #expect(signers.allSatisfy { $0.rootCertificate == stored.rootCertificate })
                let names = try FileManager.default.contentsOfDirectory(atPath: keys)
                #expect(names.allSatisfy { !$0.hasSuffix(".tmp") })
            }
        }
    }

    @Test("concurrent first uses get one Google Play key, also those of another process")
    func playKeyIsMadeOnce() async throws {
        try await withTemporaryFolder { folder in
            let signers = [
                try SimulatorSigner(folder: "\(folder)/keys"), try SimulatorSigner(folder: "\(folder)/keys"),
            ]
            let keys = try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<4 { group.addTask { try signers[index % 2].playPublicKey } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(keys.count == 1)
            try FileManager.default.removeItem(atPath: "\(folder)/keys")
            #expect(try signers[0].playPublicKey == keys.first)
        }
    }

    @Test("a Google Play key that cannot be stored is an error, and nothing is signed with it")
    func playKeyIsStored() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "local-store-\(UUID())").path()
        let signer = try SimulatorSigner(folder: folder)
        try FileManager.default.removeItem(atPath: folder)
        let error = #expect(throws: StoreSimulatorError.self) { try signer.playPublicKey }
        #expect(error?.code == .unusableKeys)
    }
}
