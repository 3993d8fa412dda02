internal import ReceiptTypes
internal import ReceiptVerification

/// Vectors of Google Play purchases, in the JSON that clients send.
enum PlayVectors {
    static func evaluator(for group: JSONObject) -> ((JSONObject) -> VectorRunner.Outcome)? {
        { test in
            var keys = PlayKeyring()
            for member in ((test["keys"] ?? group["keys"])?.object ?? JSONObject()).members {
                keys.add([UInt8]((member.value.text ?? "").utf8), forPackage: member.name)
            }
            let policy = (test["policy"] ?? group["policy"])?.object ?? JSONObject()
            guard let policy = VerificationPolicy(vector: policy, maximumSize: group["maximumSize"]?.integer),
                let input = test["input"]?.text,
                let receipt = ReceiptInput.detect([UInt8](input.utf8)).first
            else { return .init(expected: test.expectedVerdict, actual: "a test that cannot be set up") }
            let verifier = ReceiptVerifier(policy: policy, trustAnchors: TrustAnchors(), playKeys: keys)
            return verifier.verify(receipt).outcome(for: test)
        }
    }
}
