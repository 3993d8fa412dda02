internal import ReceiptTypes
internal import ReceiptVerification

/// Vectors of Google Play purchases, in the JSON that clients send; the verdict is the worst of all receipts in it.
enum PlayVectors {
    static func evaluator(for group: JSONObject) -> ((JSONObject) -> VectorRunner.Outcome)? {
        { test in
            var keys = PlayKeyring()
            for member in ((test["keys"] ?? group["keys"])?.object ?? JSONObject()).members {
                keys.add([UInt8]((member.value.text ?? "").utf8), forPackage: member.name)
            }
            let policy = (test["policy"] ?? group["policy"])?.object ?? JSONObject()
            guard let policy = VerificationPolicy(vector: policy, maximumSize: group["maximumSize"]?.integer),
                let input = test["input"]?.text, let anchors = TrustAnchors(vector: group["roots"])
            else { return .init(expected: test.expectedVerdict, actual: "a test that cannot be set up") }
            let clock = group["clock"]?.text.flatMap(Timestamp.init(rfc3339:))
            let verifier = ReceiptVerifier(
                policy: policy, trustAnchors: anchors, playKeys: keys, clock: { clock ?? SystemClock.now() }
            )
            let report = verifier.verifyInput([UInt8](input.utf8))
            let worst = report.reports.first { $0.verdict == report.verdict }
            return worst?.outcome(for: test) ?? .init(expected: test.expectedVerdict, actual: "no report")
        }
    }
}
