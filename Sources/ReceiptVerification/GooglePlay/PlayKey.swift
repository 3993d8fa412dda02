/// The key of a Google Play app as the caller configured it, usable or not.
enum PlayKey: Sendable {
    case valid(PublicKey)
    /// An unusable key, with the reason in words.
    case invalid(String)

    init(_ text: [UInt8]) {
        guard text.count <= Budget.trustFileSize else {
            self = .invalid("too large for a key")
            return
        }
        guard let der = Self.der(in: text) else {
            self = .invalid("not base64; copy the complete key from the Play Console, and nothing else")
            return
        }
        guard
            let key = try? der.withRawSpan({ (span) throws(CryptoFault) in try PublicKey(subjectPublicKeyInfo: span) })
        else {
            self = .invalid("not a SubjectPublicKeyInfo in DER")
            return
        }
        guard key.kind == .rsa else {
            self = .invalid("not an RSA key")
            return
        }
        guard Budget.playKeyBits.contains(key.bits) else {
            self = .invalid("an RSA key of \(key.bits) bits; required is \(Self.requirement)")
            return
        }
        guard let exponent = try? key.rsaExponent(), Self.isSound(exponent: exponent) else {
            self = .invalid("an RSA key whose public exponent is even or 1; required is \(Self.requirement)")
            return
        }
        self = .valid(key)
    }

    /// The keys that are usable, in words.
    static let requirement =
        "an RSA key of \(Budget.playKeyBits.lowerBound) to \(Budget.playKeyBits.upperBound) bits with an odd exponent "
        + "of at least 3"

    /// Returns whether a public exponent, in big-endian bytes, is odd and at least 3 (RFC 8017 3.1).
    ///
    /// With the exponent 1, every padded digest is its own signature.
    private static func isSound(exponent: [UInt8]) -> Bool {
        guard let last = exponent.last, last % 2 == 1 else { return false }
        return exponent.count > 1 || last >= 3
    }

    var usable: PublicKey? {
        if case .valid(let key) = self { key } else { nil }
    }

    var problem: String? {
        if case .invalid(let why) = self { why } else { nil }
    }

    private static func der(in text: [UInt8]) -> [UInt8]? {
        if text.first == 0x30, text.count > 1, text[1] >= 0x80 { return text }
        if text.starts(with: [UInt8]("-----BEGIN".utf8)) {
            return try? PEM.blocks(in: text).first { $0.label == "PUBLIC KEY" }?.bytes
        }
        // Consoles and mail programs break the base64 into lines.
        let digits = text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return digits.withRawSpan { Base64.standard.decode($0) }
    }
}
