@testable internal import ReceiptVerification

/// ES256 with precomputed tables, in a batch and with plain EVP: all results agree with each other and with FIPS 186-5.
///
/// An input is a list of signatures, each a few choices: the key, the construction of r, s and the digest, and a
/// change. All signatures are verified in one batch, and each of them singly.
final class SignaturesTarget: FuzzTarget {
    static let name = "signatures"
    static let summary = "prepared, batch and plain ES256 verification of chosen signatures, which must agree"
    static let maximumLength = 640

    /// The number of signatures in an input; more would find nothing new.
    private static let maximumCount = 80

    private struct Item {
        var signature: KnownSignature
        var key: PublicKey
        var table: PreparedKey?
        var isValid: Bool
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
        // Whether the batch is filled; then for each signature: key; table; construction; numbers; change. A number is
        // the index of a special number, or a name.
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
        // A full batch is slow, so only this byte selects it.
        let isFilled = choices.byte() == 0xF2
        var items: [Item] = []
        while !choices.isAtEnd, items.count < Self.maximumCount {
            if let item = try item(&choices) { items.append(item) }
        }
        if isFilled, !items.isEmpty {
            // More than the capacity, to check that the batch refuses the rest.
            items = (0..<SignatureBatch.capacity + 2).map { items[$0 % items.count] }
        }
        let verdicts = try batch.verify(items.map { ($0.signature, $0.key, $0.table) })
        for (index, item) in items.enumerated() {
            let expected = item.signature.verdict
            require(
                !item.isValid || expected == .valid, "the fuzz target is broken: a constructed signature is invalid")
            let plain = try item.signature.bytes.withRawSpan { (span) throws(CryptoFault) in
                try item.key.verifyES256(span, digest: must(SHA256Digest(bytes: item.signature.digest), "a digest"))
            }
            requireEqual(plain, expected, "plain verification and FIPS 186-5, signature \(index)")
            guard index < SignatureBatch.capacity else { continue }
            requireEqual(verdicts[index].last, expected, "the batch and FIPS 186-5, signature \(index)")
            if let first = verdicts[index].first {
                requireEqual(first, expected, "the batch before confirming rejections, signature \(index)")
            }
        }
        requireEqual(
            verdicts.count, min(items.count, SignatureBatch.capacity), "the number of verified signatures in a batch")
    }

    // MARK: One signature

    private func item(_ choices: inout Choices) throws -> Item? {
        let selector = choices.number(below: 12)
        let isPrepared = choices.flag()
        let construction = choices.number(below: 7)
        if selector < keys.prepared.count {
            let entry = keys.prepared[selector]
            guard let made = signature(construction, entry.point, entry.secret, entry.own, &choices) else { return nil }
            return change(made, entry.key, isPrepared ? entry.table : nil, &choices)
        }
        // A key of the fuzzer's. A table costs as much as a thousand signatures, so only a rare byte selects one.
        var point: CurvePoint?
        var made: (KnownSignature, isValid: Bool)?
        switch selector {
        case 9:
            let signature = KnownSignature(
                wrapping: UInt64(choices.byte()), isOdd: isPrepared, s: scalar(&choices), e: scalar(&choices)
            )
            (point, made) = (signature?.point, signature.map { ($0, true) })
        case 10: point = CurvePoint(generator: scalar(&choices))
        default: point = CurvePoint(x: choices.bytes(32), isOdd: isPrepared)
        }
        guard let point, let made = made ?? signature(construction, point, nil, nil, &choices) else { return nil }
        let key = try SignatureKeys.key(point)
        let table = choices.byte() == 0xF1 ? try SignatureKeys.table(key) : nil
        return change(made, key, table, &choices)
    }

    /// Returns a signature, and whether its construction makes it valid.
    private func signature(
        _ construction: Int,
        _ point: CurvePoint,
        _ secret: Scalar?,
        _ own: KnownSignature?,
        _ choices: inout Choices
    ) -> (KnownSignature, isValid: Bool)? {
        switch construction {
        case 0: return KnownSignature(first: scalar(&choices), second: scalar(&choices), point).map { ($0, true) }
        case 1:
            // Both summands are the same point: the sum is a doubling.
            let second = scalar(&choices)
            return KnownSignature(first: second * (secret ?? .one), second: second, point).map { ($0, true) }
        case 2:
            // The summands cancel out: the sum is infinity, and no r is valid.
            let (second, s) = (scalar(&choices), scalar(&choices))
            let first = -(second * (secret ?? .one))
            return (KnownSignature(r: second * s, s: s, e: first * s, point), false)
        case 3:
            // The digest is zero, so that the sum has only the key's multiple.
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
        _ made: (signature: KnownSignature, isValid: Bool),
        _ key: PublicKey,
        _ table: PreparedKey?,
        _ choices: inout Choices
    ) -> Item {
        var signature = made.signature
        var isValid = made.isValid
        switch choices.number(below: 7) {
        case 1: signature.bytes = signature.bytes.prefix(32) + (-Scalar([UInt8](signature.bytes.suffix(32)))).bytes
        case 2:
            signature.bytes[choices.number(below: 64)] ^= 1 << UInt8(choices.number(below: 8))
            isValid = false
        case 3:
            signature.digest[choices.number(below: 32)] ^= 1 << UInt8(choices.number(below: 8))
            isValid = false
        case 4: signature.digest = Self.notReduced(signature.digest)
        case 5:
            signature.bytes = choices.run()
            isValid = false
        case 6:
            signature.bytes = signature.bytes.suffix(32) + signature.bytes.prefix(32)
            isValid = false
        default: break
        }
        return Item(signature: signature, key: key, table: table, isValid: isValid)
    }

    // MARK: Numbers

    /// Returns the digest plus n if that has 32 bytes: a different digest for the same residue.
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

    /// Returns 32 bytes at an end of the valid range of r and s.
    private func edge(_ choices: inout Choices) -> [UInt8] {
        let order = Scalar.order
        return choices.element(of: [
            Scalar.zero.bytes, Scalar.one.bytes, order, (-Scalar.one).bytes, KnownSignature.adding(order, 1),
            [UInt8](repeating: 0xFF, count: 32), KnownSignature.adding(order, UInt64(choices.byte())),
        ])
    }
}
