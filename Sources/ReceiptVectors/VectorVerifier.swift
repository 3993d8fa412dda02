package import ReceiptTypes
package import ReceiptVerification

/// Creates the verifiers of vectors that contain receipts, for checks of other interfaces than Swift's.
package enum VectorVerifier {
    /// Returns the verifier of a test in a group of JWS, app receipts or Google Play purchases; nil for other groups,
    /// and if it cannot be set up.
    package static func make(group: JSONObject, test: JSONObject) -> ReceiptVerifier? {
        let type = group["type"]?.text ?? ""
        guard ["jws", "app-receipt", "play"].contains(type) else { return nil }
        let policy = (test["policy"] ?? group["policy"])?.object ?? JSONObject()
        guard let policy = VerificationPolicy(vector: policy, maximumSize: group["maximumSize"]?.integer),
            let anchors = TrustAnchors(vector: group["roots"], isForAppReceipts: type == "app-receipt")
        else { return nil }
        var keys = PlayKeyring()
        for member in ((test["keys"] ?? group["keys"])?.object ?? JSONObject()).members {
            keys.add([UInt8]((member.value.text ?? "").utf8), forPackage: member.name)
        }
        guard let text = (test["clock"] ?? group["clock"])?.text else {
            return ReceiptVerifier(policy: policy, trustAnchors: anchors, playKeys: keys)
        }
        guard let clock = Timestamp(rfc3339: text) else { return nil }
        return ReceiptVerifier(policy: policy, trustAnchors: anchors, playKeys: keys, clock: { clock })
    }
}
