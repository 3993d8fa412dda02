import Foundation
import PurchaseCore

/// Signed texts in the forms of the stores. No verifier accepts their signatures.
enum SampleReceipt {
    /// Returns a JWS of the App Store.
    ///
    /// - Parameters:
    ///   - transactionID: The id of the transaction.
    ///   - originalID: The id of the first transaction of the subscription; by default the transaction itself.
    ///   - account: The account that the transaction names.
    static func jws(_ transactionID: String, original originalID: String? = nil, of account: String) -> String {
        let payload = """
            {"transactionId":"\(transactionID)","originalTransactionId":"\(originalID ?? transactionID)",\
            "bundleId":"com.example.app","appAccountToken":"\(account)"}
            """
        let parts = [Data("{\"alg\":\"ES256\"}".utf8), Data(payload.utf8), signature(of: payload)]
        return parts.map { part in
            String(part.base64EncodedString().filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
        }.joined(separator: ".")
    }

    /// Returns a purchase of Google Play.
    ///
    /// - Parameter token: A token that is shorter than the parts of a receipt that a search looks for: the database has
    ///   it in a readable column.
    static func play(_ token: String, of account: String) -> SignedPlayPurchase {
        let data = """
            {"purchaseToken":"\(token)","obfuscatedAccountId":"\(account)","purchaseState":0,"acknowledged":false}
            """
        return SignedPlayPurchase(data: data, signature: signature(of: data).base64EncodedString())
    }

    /// Returns an app receipt.
    static func appReceipt(of account: String) -> SignedAppReceipt {
        SignedAppReceipt([0x30] + Array(signature(of: "app receipt of \(account)")))
    }

    /// Returns 64 bytes that follow from a text and not from its beginning alone.
    private static func signature(of text: String) -> Data {
        var state: UInt64 = 14_695_981_039_346_656_037
        for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 1_099_511_628_211 }
        var bytes = Data()
        for _ in 0..<64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes.append(UInt8(truncatingIfNeeded: state >> 56))
        }
        return bytes
    }
}
