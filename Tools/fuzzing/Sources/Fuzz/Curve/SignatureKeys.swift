@testable internal import ReceiptVerification

/// The keys under which signatures are verified: some with tables, which are costly and made once, and any others.
struct SignatureKeys {
    struct Entry {
        let point: CurvePoint
        let key: PublicKey
        /// Nil where the build has no tables.
        let table: PreparedKey?
        /// The private half, where it is known.
        let secret: Scalar?
        /// A signature that fits no other key, for keys that were computed from one.
        let own: KnownSignature?
    }

    let prepared: [Entry]

    init() throws {
        let budget = PreparedKeyBudget(capacity: 64)
        let half = must(Scalar(2).inverse, "the inverse of 2")
        // G itself, its opposite and its double meet the generator's own table in the sum.
        let secrets = [
            FixedKey("table").secret, FixedKey("other table").secret, .one, -.one, Scalar(2), -Scalar(2), half,
        ]
        var entries = try secrets.map { secret in
            let point = must(CurvePoint(generator: secret), "a key of zero")
            return try Self.entry(point, secret, nil, budget)
        }
        // Every second x or so is one of the curve's.
        let wrapping = (UInt64(0)..<40).compactMap { x in
            KnownSignature(wrapping: x, isOdd: x & 1 == 1, s: Scalar(x + 5), e: Scalar(x + 7))
        }
        for own in wrapping.prefix(2) { entries.append(try Self.entry(own.point, nil, own, budget)) }
        prepared = entries
    }

    /// The key of a point, without a table.
    static func key(_ point: CurvePoint) throws -> PublicKey {
        let key = try point.bytes.withRawSpan { (span) throws(CryptoFault) in try PublicKey(p256Point: span) }
        return must(key, "a point of the curve is refused as a key")
    }

    /// The table of a key; a place is always free, since it is given back at once.
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
