internal import ReceiptTypes
internal import ReceiptVerification

/// Vectors of App Store receipts: compact JWS, and app receipts.
///
/// A group has roots, clock and policy; a test can replace clock and policy.
enum AppStoreVectors {
    /// Returns the function that verifies the receipt of a test in each way, and requires that all ways agree.
    static func evaluator(
        for group: JSONObject,
        isForAppReceipts: Bool = false,
        reading input: @escaping (JSONObject) -> ReceiptInput?
    ) -> ((JSONObject) -> VectorRunner.Outcome)? {
        guard let anchors = TrustAnchors(vector: group["roots"], isForAppReceipts: isForAppReceipts) else { return nil }
        // All tests of a group share a cache, so that a cached key that wrongly helped a later, flawed receipt would
        // show.
        let cache = VerificationKeyCache()
        // In the second cache, keys get their tables with the first valid signature, so that prepared keys are tested.
        let preparing = VerificationKeyCache(preparationThreshold: 1)
        return { test in
            guard let verifier = verifier(for: test, in: group, anchors, cache), let input = input(test),
                let other = Self.verifier(for: test, in: group, anchors, preparing)
            else {
                return .init(expected: test.expectedVerdict, actual: "a test that cannot be set up")
            }
            let first = verifier.verify(input).outcome(for: test)
            // The second run may find the key in the cache, and the third is traced. All three must agree.
            let second = verifier.verify(input).outcome(for: test)
            let explained = verifier.explain(input).outcome(for: test)
            guard first.actual == second.actual, first.actual == explained.actual else {
                return .init(
                    expected: first.expected,
                    actual: "\(first.actual), then \(second.actual), explained as \(explained.actual)"
                )
            }
            // Three copies in one batch, twice: the second batch has the key's table.
            var together: Set<String> = []
            for _ in 0..<2 {
                other.verify([input, input, input]) { together.insert($0.outcome(for: test).actual) }
            }
            guard together == [first.actual] else {
                return .init(expected: first.expected, actual: "\(first.actual), in a batch \(together.sorted())")
            }
            return first
        }
    }

    private static func verifier(
        for test: JSONObject,
        in group: JSONObject,
        _ anchors: TrustAnchors,
        _ cache: VerificationKeyCache
    ) -> ReceiptVerifier? {
        let policy = (test["policy"] ?? group["policy"])?.object ?? JSONObject()
        guard let clock = (test["clock"] ?? group["clock"])?.text.flatMap(Timestamp.init(rfc3339:)),
            let policy = VerificationPolicy(vector: policy, maximumSize: group["maximumSize"]?.integer)
        else { return nil }
        return ReceiptVerifier(policy: policy, trustAnchors: anchors, keyCache: cache, clock: { clock })
    }

    // MARK: Input

    /// Returns the JWS of a test, which a vector file stores as text, as base64, or as parts to repeat and concatenate.
    static func jws(of test: JSONObject) -> ReceiptInput? {
        if let text = test["jws"]?.text { return .jws([UInt8](text.utf8)) }
        // Bytes that a JSON string cannot express.
        if let bytes = test["jwsBase64"]?.text { return Base64.standard.decode(bytes).map(ReceiptInput.jws) }
        guard let parts = test["jwsParts"]?.elements else { return nil }
        var jws: [UInt8] = []
        for part in parts.compactMap(\.object) {
            if let text = part["text"]?.text {
                jws += [UInt8](text.utf8)
            } else if let text = part["repeat"]?.text, let count = part["count"]?.integer {
                for _ in 0..<count { jws += [UInt8](text.utf8) }
            } else {
                return nil
            }
        }
        return .jws(jws)
    }

    /// Returns the app receipt of a test, which a vector file stores as the text in which it was sent, as base64, or as
    /// parts to concatenate: base64, the place of bytes that the group shares, and bytes to repeat.
    static func appReceipt(of test: JSONObject, in group: JSONObject) -> ReceiptInput? {
        if let text = test["text"]?.text {
            let found = ReceiptInput.detect([UInt8](text.utf8))
            return found.count == 1 ? found[0] : nil
        }
        guard let receipt = test["receipt"] else { return nil }
        let shared = group["shared"]?.texts ?? []
        var bytes: [UInt8] = []
        for part in receipt.elements ?? [receipt] {
            let place = part.integer.flatMap { Int(exactly: $0) }.flatMap { shared.indices.contains($0) ? $0 : nil }
            let text = part.text ?? part.object?["repeat"]?.text ?? place.map { shared[$0] }
            guard let octets = text.flatMap(Base64.standard.decode) else { return nil }
            for _ in 0..<max(part.object?["count"]?.integer ?? 1, 0) { bytes += octets }
        }
        return .appReceipt(bytes)
    }
}
