internal import CFuzzCurve

@testable internal import ReceiptVerification

/// A number modulo the order n of P-256.
struct Scalar: Hashable {
    let bytes: [UInt8]

    static let zero = Scalar(0)
    static let one = Scalar(1)
    /// n, big-endian, not reduced (FIPS 186-4 D.1.2.3).
    static let order: [UInt8] = must(
        Hexadecimal.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"), "the order of P-256"
    )

    /// Creates the residue modulo n of up to 32 big-endian bytes.
    init(_ bytes: [UInt8]) {
        let padded = [UInt8](repeating: 0, count: max(32 - bytes.count, 0)) + bytes.suffix(32)
        self.bytes = Scalar.compute { fz_scalar_multiply_add(padded, Scalar.unit, Scalar.nothing, $0) }
    }

    init(_ number: UInt64) {
        bytes = [UInt8](repeating: 0, count: 24) + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private init(reduced bytes: [UInt8]) {
        self.bytes = bytes
    }

    private static let unit = [UInt8](repeating: 0, count: 31) + [1]
    private static let nothing = [UInt8](repeating: 0, count: 32)

    var isZero: Bool { bytes.allSatisfy { $0 == 0 } }

    static func * (left: Scalar, right: Scalar) -> Scalar { left.times(right, plus: .zero) }
    static func + (left: Scalar, right: Scalar) -> Scalar { left.times(.one, plus: right) }
    static func - (left: Scalar, right: Scalar) -> Scalar { left + -right }

    static prefix func - (scalar: Scalar) -> Scalar {
        Scalar(reduced: compute { fz_scalar_negate(scalar.bytes, $0) })
    }

    /// The inverse modulo n; nil for zero.
    var inverse: Scalar? {
        var exists = false
        let inverted = Scalar.compute { exists = fz_scalar_invert(bytes, $0) }
        return exists ? Scalar(reduced: inverted) : nil
    }

    private func times(_ other: Scalar, plus addend: Scalar) -> Scalar {
        Scalar(reduced: Scalar.compute { fz_scalar_multiply_add(bytes, other.bytes, addend.bytes, $0) })
    }

    private static func compute(_ body: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            if let base = buffer.baseAddress { body(base) }
            count = 32
        }
    }
}

/// A point on P-256 other than infinity.
struct CurvePoint: Hashable {
    /// The uncompressed form, 04 || x || y.
    let bytes: [UInt8]

    /// Creates generator * G + factor * point; nil for infinity.
    init?(generator: Scalar, _ factor: Scalar = .zero, _ point: CurvePoint? = nil) {
        var isFinite = false
        bytes = [UInt8](unsafeUninitializedCapacity: 65) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            base.initialize(repeating: 0, count: 65)
            isFinite = fz_point_combine(generator.bytes, factor.bytes, point?.bytes, base)
            count = 65
        }
        if !isFinite { return nil }
    }

    /// Creates the point with this x of 32 bytes; nil if the curve has none.
    init?(x: [UInt8], isOdd: Bool) {
        var exists = false
        bytes = [UInt8](unsafeUninitializedCapacity: 65) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            base.initialize(repeating: 0, count: 65)
            exists = fz_point_with_x(x, isOdd, base)
            count = 65
        }
        if !exists { return nil }
    }

    /// x modulo n, the r of a signature with this point as R.
    var r: Scalar { Scalar([UInt8](bytes[1..<33])) }
}
