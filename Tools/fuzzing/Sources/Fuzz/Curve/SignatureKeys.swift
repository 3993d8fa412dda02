@testable internal import ReceiptVerification

/// The public keys that signatures are verified with; their precomputed tables are costly and created once.
struct SignatureKeys {
    struct Entry {
        let point: CurvePoint
        let key: PublicKey
        /// The precomputed table; nil in a build without tables.
        let table: PreparedKey?
        /// The private key, if it is known.
        let secret: Scalar?
        /// The signature from which the key was computed, if it was.
        let own: KnownSignature?
    }

    let prepared: [Entry]

    init() throws {
        let budget = PreparedKeyBudget(capacity: 64)
        let half = must(Scalar(2).inverse, "the inverse of 2")
        // With G, its opposite and its double as keys, both summands come from the same multiples of G.
        let secrets = [
            FixedKey("table").secret, FixedKey("other table").secret, .one, -.one, Scalar(2), -Scalar(2), half,
        ]
        var entries = try secrets.map { secret in
            let point = must(CurvePoint(generator: secret), "a key of zero")
            return try Self.entry(point, secret, nil, budget)
        }
        // About half of all x belong to a point on the curve.
        let wrapping = (UInt64(0)..<40).compactMap { x in
            KnownSignature(wrapping: x, isOdd: x & 1 == 1, s: Scalar(x + 5), e: Scalar(x + 7))
        }
        for own in wrapping.prefix(2) { entries.append(try Self.entry(own.point, nil, own, budget)) }
        prepared = entries
    }

    /// Returns the public key of a point, without a table.
    static func key(_ point: CurvePoint) throws -> PublicKey {
        let key = try point.bytes.withRawSpan { (span) throws(CryptoFault) in try PublicKey(p256Point: span) }
        return must(key, "a point on the curve is rejected as a key")
    }

    /// Returns the table of a key, from a budget of its own that never runs out.
    static func table(_ key: PublicKey) throws -> PreparedKey? {
        try PreparedKey(key, in: must(PreparedKeyBudget(capacity: 1).take(), "a place for a table"))
    }

    private static func entry(
        _ point: CurvePoint,
        _ secret: Scalar?,
        _ own: KnownSignature?,
        _ budget: PreparedKeyBudget
    ) throws -> Entry {
        let key = try key(point)
        return Entry(point: point, key: key, table: try table(key), secret: secret, own: own)
    }
}
