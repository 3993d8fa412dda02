@testable internal import ReceiptVerification

/// ES256 in all its ways: with a table, in a batch, and plainly; all of them agree with each other and with the book.
///
/// An input is a row of signatures, each a few choices: the key, how r, s and the digest come about, and what is changed
/// afterwards. All of them are judged in one batch, and each by itself.
final class SignaturesTarget: FuzzTarget {
    static let name = "signatures"
    static let summary = "prepared, batch and plain verification of chosen signatures, which must agree"
    static let maximumLength = 640

    /// More signatures than these say nothing new.
    private static let maximumCount = 80

    private struct Item {
        var signature: KnownSignature
        var key: PublicKey
        var table: PreparedKey?
        var isMadeToFit: Bool
    }

    private let keys: SignatureKeys
    private let batch: ReusedBatch

    init() throws {
        keys = try SignatureKeys()
        batch = try ReusedBatch()
        for entry in keys.prepared {
            if let own = entry.own {
                requireEqual(own.verdict, .valid, "the fuzz target is broken: a wrapping signature")
            }
        }
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        // Whether the batch is filled; then for each signature key; table; way; numbers; change. A number is the place of
        // a special one, or a name.
        let numbers: [UInt8] = [200, 7, 201, 9]
        let ways = (UInt8(0)..<7).map { [0, 1, $0] + numbers + [0] }
        let changes = (UInt8(1)..<6).map { [1, 1, 0] + numbers + [$0, 3, 5] }
        let edges: [[UInt8]] = [
            [2, 1, 0, 2, 2, 0], [3, 1, 0, 2, 3, 0], [4, 1, 1, 2, 2, 0], [7, 1, 4, 0], [8, 1, 4, 0],
        ]
        let rows = [
            ("ways", ways), ("changes", changes), ("edges", edges), ("same-key", Array(repeating: ways[0], count: 40)),
            ("mixed", (UInt8(0)..<12).map { [$0, $0 & 1, 0, 200, $0, 201, $0, 0] }),
            ("wrapping", [[9, 0, 3, 1, 200, 1, 200, 2, 0], [9, 0, 3, 3, 200, 1, 200, 2, 0]]),
            ("own-key", [[10, 0, 0, 200, 1, 200, 2, 0], [11, 0, 5, 0, 1, 2, 3]]),
        ]
        return rows.map { ($0.0, [0] + [UInt8]($0.1.joined())) } + [
            ("one", [0] + ways[0]), ("raw", [0, 0, 1, 5] + [UInt8](0..<96)), ("full", [0xF2] + ways[0] + changes[1]),
        ]
    }

    func run(_ input: [UInt8]) throws {
        var choices = Choices(input)
        // A full batch takes long, so a rare byte leads there.
        let isFilled = choices.byte() == 0xF2
        var items: [Item] = []
        while !choices.isAtEnd, items.count < Self.maximumCount {
            if let item = try item(&choices) { items.append(item) }
        }
        if isFilled, !items.isEmpty {
            // Some more than there is room for show that a batch says so.
            items = (0..<SignatureBatch.capacity + 2).map { items[$0 % items.count] }
        }
        let verdicts = try batch.judge(items.map { ($0.signature, $0.key, $0.table) })
        for (index, item) in items.enumerated() {
            let expected = item.signature.verdict
            require(!item.isMadeToFit || expected == .valid, "the fuzz target is broken: a signature that should fit")
            let plain = try item.signature.bytes.withRawSpan { (span) throws(CryptoFault) in
                try item.key.verifyES256(span, digest: must(SHA256Digest(bytes: item.signature.digest), "a digest"))
            }
            requireEqual(plain, expected, "plain verification and the book, signature \(index)")
            guard index < SignatureBatch.capacity else { continue }
            requireEqual(verdicts[index].last, expected, "the batch and the book, signature \(index)")
            if let first = verdicts[index].first {
                requireEqual(first, expected, "the batch before it asked again, signature \(index)")
            }
        }
        requireEqual(verdicts.count, min(items.count, SignatureBatch.capacity), "the signatures that a batch took")
    }

    // MARK: One signature

    private func item(_ choices: inout Choices) throws -> Item? {
        let selector = choices.number(below: 12)
        let isPrepared = choices.flag()
        let way = choices.number(below: 7)
        if selector < keys.prepared.count {
            let entry = keys.prepared[selector]
            guard let made = signature(way, entry.point, entry.secret, entry.own, &choices) else { return nil }
            return change(made, entry.key, isPrepared ? entry.table : nil, &choices)
        }
        // A key of the fuzzer's: the table of one costs as much as a thousand signatures, so only rare bytes lead to it.
        var point: CurvePoint?
        var made: (KnownSignature, isMadeToFit: Bool)?
        switch selector {
        case 9:
            let signature = KnownSignature(
                wrapping: UInt64(choices.byte()), isOdd: isPrepared, s: scalar(&choices), e: scalar(&choices)
            )
            (point, made) = (signature?.point, signature.map { ($0, true) })
        case 10: point = CurvePoint(generator: scalar(&choices))
        default: point = CurvePoint(x: choices.bytes(32), isOdd: isPrepared)
        }
        guard let point, let made = made ?? signature(way, point, nil, nil, &choices) else { return nil }
        let key = try SignatureKeys.key(point)
        let table = choices.byte() == 0xF1 ? try SignatureKeys.table(key) : nil
        return change(made, key, table, &choices)
    }

    /// A signature, and whether it was made to fit.
    private func signature(
        _ way: Int,
        _ point: CurvePoint,
        _ secret: Scalar?,
        _ own: KnownSignature?,
        _ choices: inout Choices
    ) -> (KnownSignature, isMadeToFit: Bool)? {
        switch way {
        case 0: return KnownSignature(first: scalar(&choices), second: scalar(&choices), point).map { ($0, true) }
        case 1:
            // Both summands are the same point: the sum is a doubling.
            let second = scalar(&choices)
            return KnownSignature(first: second * (secret ?? .one), second: second, point).map { ($0, true) }
        case 2:
            // The summands cancel out: the sum is infinity, and nothing fits.
            let (second, s) = (scalar(&choices), scalar(&choices))
            let first = -(second * (secret ?? .one))
            return (KnownSignature(r: second * s, s: s, e: first * s, point), false)
        case 3:
            // The digest is zero, so that only the key counts.
            return KnownSignature(first: .zero, second: scalar(&choices), point).map { ($0, true) }
        case 4: return own.map { ($0, true) } ?? KnownSignature(first: .one, second: .one, point).map { ($0, true) }
        case 5:
            var signature = KnownSignature(r: .one, s: .one, e: .one, point)
            signature.bytes = choices.bytes(64)
            signature.digest = choices.bytes(32)
            return (signature, false)
        default:
            var signature = KnownSignature(r: scalar(&choices), s: scalar(&choices), e: scalar(&choices), point)
            if choices.flag() { signature.bytes = edge(&choices) + edge(&choices) }
            return (signature, false)
        }
    }

    private func change(
        _ made: (signature: KnownSignature, isMadeToFit: Bool),
        _ key: PublicKey,
        _ table: PreparedKey?,
        _ choices: inout Choices
    ) -> Item {
        var signature = made.signature
        var isMadeToFit = made.isMadeToFit
        switch choices.number(below: 7) {
        case 1: signature.bytes = signature.bytes.prefix(32) + (-Scalar([UInt8](signature.bytes.suffix(32)))).bytes
        case 2:
            signature.bytes[choices.number(below: 64)] ^= 1 << UInt8(choices.number(below: 8))
            isMadeToFit = false
        case 3:
            signature.digest[choices.number(below: 32)] ^= 1 << UInt8(choices.number(below: 8))
            isMadeToFit = false
        case 4: signature.digest = Self.notReduced(signature.digest)
        case 5:
            signature.bytes = choices.run()
            isMadeToFit = false
        case 6:
            signature.bytes = signature.bytes.suffix(32) + signature.bytes.prefix(32)
            isMadeToFit = false
        default: break
        }
        return Item(signature: signature, key: key, table: table, isMadeToFit: isMadeToFit)
    }

    // MARK: Numbers

    /// The digest plus n, where that still has 32 bytes: another digest for the same number.
    private static func notReduced(_ digest: [UInt8]) -> [UInt8] {
        guard digest.prefix(24).allSatisfy({ $0 == 0 }) else { return digest }
        return KnownSignature.adding(Scalar.order, digest.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    private func scalar(_ choices: inout Choices) -> Scalar {
        let byte = choices.byte()
        switch byte {
        case 0..<192: return Self.special[Int(byte) % Self.special.count]
        case 192..<240: return Scalar(SHA256Digest(of: [byte, choices.byte()]).bytes)
        default: return Scalar(choices.bytes(32))
        }
    }

    private static let special: [Scalar] = {
        let small = (UInt64(0)...4).map { Scalar($0) } + [Scalar(.max)]
        let powers = [64, 128, 192, 224, 255].map { bit -> Scalar in
            var bytes = [UInt8](repeating: 0, count: 32)
            bytes[31 - bit / 8] = 1 << UInt8(bit % 8)
            return Scalar(bytes)
        }
        let inverses = [Scalar(2), Scalar(3)].compactMap(\.inverse)
        let positive = small + powers + inverses
        return positive + positive.map { -$0 }
    }()

    /// 32 bytes at one of the ends of the range that r and s may have.
    private func edge(_ choices: inout Choices) -> [UInt8] {
        let order = Scalar.order
        return choices.element(of: [
            Scalar.zero.bytes, Scalar.one.bytes, order, (-Scalar.one).bytes, KnownSignature.adding(order, 1),
            [UInt8](repeating: 0xFF, count: 32), KnownSignature.adding(order, UInt64(choices.byte())),
        ])
    }
}
