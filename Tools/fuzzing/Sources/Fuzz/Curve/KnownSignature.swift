@testable internal import ReceiptVerification

/// A signature with the digest and the key that it belongs to, and what is known about it.
struct KnownSignature {
    var point: CurvePoint
    var digest: [UInt8]
    /// r || s, and whatever else a fuzzer has made of it.
    var bytes: [UInt8]

    /// A signature that fits, under a key whose private half nobody needs to know.
    ///
    /// With R = u1 G + u2 Q, r = x(R), s = r / u2 and e = u1 s, the verification computes R again. So both factors can be
    /// chosen, whatever the key: zero, one, equal, opposite. Nil where R is infinity or a number would be zero.
    init?(first: Scalar, second: Scalar, _ point: CurvePoint) {
        guard let sum = CurvePoint(generator: first, second, point), let inverse = second.inverse, !sum.r.isZero
        else { return nil }
        let s = sum.r * inverse
        self.init(r: sum.r, s: s, e: first * s, point)
    }

    /// A signature whose point R has an x of n or more, so that r is x - n: keys for it are computed from R.
    ///
    /// Q = (s R - e G) / r. Nil where the curve has no point with that x.
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

    /// The sum of 32 bytes, big endian, and a small number; cut to 32 bytes.
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

    /// The verdict by the book (FIPS 186-5 6.4.2), with arithmetic of its own.
    var verdict: PublicKey.SignatureVerdict {
        guard bytes.count == 64 else { return .malformed }
        let (rBytes, sBytes) = ([UInt8](bytes[..<32]), [UInt8](bytes[32...]))
        let (r, s) = (Scalar(rBytes), Scalar(sBytes))
        // What reduction changes was not below n.
        guard r.bytes == rBytes, s.bytes == sBytes, !r.isZero, let inverse = s.inverse else { return .malformed }
        let sum = CurvePoint(generator: Scalar(digest) * inverse, r * inverse, point)
        return sum?.r == r ? .valid : .invalid
    }
}
