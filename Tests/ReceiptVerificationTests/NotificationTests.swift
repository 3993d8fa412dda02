import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Notifications")
struct NotificationTests {
    private func notification(
        transaction: String?, renewal: String?, bundleID: String = Fixture.bundleID
    ) throws -> String {
        var data = NotificationData()
        data.bundleId = bundleID
        data.environment = .sandbox
        data.signedTransactionInfo = transaction
        data.signedRenewalInfo = renewal
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .didRenew
        notification.data = data
        notification.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        return try #require(Fixture.authority).signer.sign(notification)
    }

    private func renewal(original: String? = Fixture.transaction().originalTransactionId) throws -> String {
        var renewal = JWSRenewalInfoDecodedPayload()
        renewal.originalTransactionId = original
        renewal.autoRenewStatus = .on
        renewal.environment = .sandbox
        renewal.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        return try #require(Fixture.authority).signer.sign(renewal)
    }

    @Test("[CARD-4] a notification is verified together with its nested receipts")
    func nestedReceiptsVerify() throws {
        let jws = try notification(transaction: try Fixture.jws(), renewal: try renewal())
        let verified = try #require(try Fixture.verifier().verifyNotification(jws).verifiedPayload)
        #expect(verified.notificationType == .didRenew)
        #expect(verified.transaction?.verifiedPayload?.productId == "com.example.app.pro")
        #expect(verified.renewalInfo?.verifiedPayload?.autoRenewStatus == .on)
        #expect(verified.appTransaction == nil)
    }

    @Test("[CARD-4] a notification with a forged nested receipt is unverified")
    func forgedNestedReceiptIsRejected() throws {
        let stranger = try TestAuthority()
        let jws = try notification(transaction: try Fixture.jws(by: stranger.signer), renewal: nil)
        let failure = try #require(try Fixture.verifier().verifyNotification(jws).failure)
        #expect(failure.code == .nestedUnverified)
        #expect(failure.actual?.contains("untrusted-root") == true)
    }

    @Test("[CARD-4] a notification whose receipts name another app or subscription is unverified")
    func contradictionsAreRejected() throws {
        let otherApp = try notification(transaction: try Fixture.jws(), renewal: nil, bundleID: "com.example.other")
        #expect(try Fixture.verifier().verifyNotification(otherApp).failure?.code == .nestedMismatch)
        let otherPurchase = try notification(transaction: try Fixture.jws(), renewal: try renewal(original: "1"))
        #expect(try Fixture.verifier().verifyNotification(otherPurchase).failure?.code == .nestedMismatch)
    }

    @Test("[CARD-4] a renewal info with the payload null is reported and does not make the notification unverified")
    func nullRenewalInfoIsReported() throws {
        let null = try #require(Fixture.authority).signer.sign(payload: [UInt8]("null".utf8))
        let jws = try notification(transaction: try Fixture.jws(), renewal: String(decoding: null, as: UTF8.self))
        let verified = try #require(try Fixture.verifier().verifyNotification(jws).verifiedPayload)
        #expect(verified.renewalInfo?.failure?.code == .payloadNotAnObject)
    }
}
