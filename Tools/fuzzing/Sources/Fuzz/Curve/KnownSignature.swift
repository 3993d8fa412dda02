@testable internal import ReceiptVerification

/// A signature with its digest and public key, and its verdict by independent arithmetic.
struct KnownSignature {
    var point: CurvePoint
    var digest: [UInt8]
    /// r || s, or any bytes that the fuzzer replaced it with.
    var bytes: [UInt8]

    /// Creates a valid signature under a key whose private key need not be known.
    ///
    /// With R = u1 G + u2 Q, r = x(R), s = r / u2 and e = u1 s, the verification computes R again. So both factors can
    /// be chosen for any key: zero, one, equal, opposite. Returns nil if R is infinity or if u2 or r is zero.
    init?(first: Scalar, second: Scalar, _ point: CurvePoint) {
        guard let sum = CurvePoint(generator: first, second, point), let inverse = second.inverse, !sum.r.isZero
        else { return nil }
        let s = sum.r * inverse
        self.init(r: sum.r, s: s, e: first * s, point)
    }

    /// Creates a signature whose point R has the coordinate n + x, so that r is x, and computes the key for it.
    ///
    /// Q = (s R - e G) / r. Returns nil if the curve has no such point, or if r or s is zero.
    init?(wrapping x: UInt64, isOdd: Bool, s: Scalar, e: Scalar) {
        guard let sum = CurvePoint(x: Self.adding(Scalar.order, x), isOdd: isOdd), let inverse = sum.r.inverse,
            let point = CurvePoint(generator: -(e * inverse), s * inverse, sum), !s.isZero
        else { return nil }
        self.init(r: sum.r, s: s, e: e, point)
    }

    init(r: Scalar, s: Scalar, e: Scalar, _ point: CurvePoint) {
        self.point = point
        digest = e.bytes
        bytes = r.bytes + s.bytes
    }

    /// Returns the sum of 32 big-endian bytes and a small number, truncated to 32 bytes.
    static func adding(_ bytes: [UInt8], _ number: UInt64) -> [UInt8] {
        var result = bytes
        var carry = number
        for index in result.indices.reversed() {
            let (low, isOverflow) = (carry & 255).addingReportingOverflow(UInt64(result[index]))
            precondition(!isOverflow)
            result[index] = UInt8(low & 255)
            carry = carry >> 8 + low >> 8
        }
        return result
    }

    /// The verdict according to FIPS 186-5 6.4.2, computed with independent arithmetic.
    var verdict: PublicKey.SignatureVerdict {
        guard bytes.count == 64 else { return .malformed }
        let (rBytes, sBytes) = ([UInt8](bytes[..<32]), [UInt8](bytes[32...]))
        let (r, s) = (Scalar(rBytes), Scalar(sBytes))
        // A number that reduction changes is not below n.
        guard r.bytes == rBytes, s.bytes == sBytes, !r.isZero, let inverse = s.inverse else { return .malformed }
        let sum = CurvePoint(generator: Scalar(digest) * inverse, r * inverse, point)
        return sum?.r == r ? .valid : .invalid
    }
}
