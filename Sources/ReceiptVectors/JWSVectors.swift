internal import ReceiptTypes
internal import ReceiptVerification

/// Vectors of compact JWS: roots, clock and policy belong to the group, and a test may replace clock and policy.
enum JWSVectors {
    static func judge(_ group: JSONObject) -> ((JSONObject) -> VectorRunner.Outcome)? {
        var anchors = TrustAnchors()
        for root in group["roots"]?.texts ?? [] {
            guard let der = Base64.standard.decode(root), (try? anchors.add(der)) != nil else {
                return nil
            }
        }
        // One cache for the group: a key that an earlier test has earned must never help a later one that is flawed.
        let cache = VerificationKeyCache()
        // And one whose keys get their tables with the first good signature, so that these judge too.
        let preparing = VerificationKeyCache(preparationThreshold: 1)
        return { test in
            guard let verifier = verifier(for: test, in: group, anchors, cache), let jws = jws(of: test),
                let other = Self.verifier(for: test, in: group, anchors, preparing)
            else {
                return .init(expected: test.expectedVerdict, actual: "a test that cannot be set up")
            }
            let first = verifier.verify(.jws(jws)).outcome(for: test)
            // Again, now that the key may be known, and once more with every step in the open: all three must agree.
            let second = verifier.verify(.jws(jws)).outcome(for: test)
            let explained = verifier.explain(.jws(jws)).outcome(for: test)
            guard first.actual == second.actual, first.actual == explained.actual else {
                return .init(
                    expected: first.expected,
                    actual: "\(first.actual), then \(second.actual), explained as \(explained.actual)"
                )
            }
            // Three of it together, twice: the second time with the key's table.
            var together: Set<String> = []
            for _ in 0..<2 {
                other.verify([.jws(jws), .jws(jws), .jws(jws)]) { together.insert($0.outcome(for: test).actual) }
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

    /// The text, or its parts put together where it would be too long to write down.
    private static func jws(of test: JSONObject) -> [UInt8]? {
        if let text = test["jws"]?.text { return [UInt8](text.utf8) }
        // Bytes that no JSON text can hold.
        if let bytes = test["jwsBase64"]?.text { return Base64.standard.decode(bytes) }
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
        return jws
    }
}
