/// A certificate in DER that a test takes apart, to write it in another way.
struct EncodedCertificate {
    let tbs: [UInt8]
    let algorithm: [UInt8]
    /// The contents of the signature's BIT STRING, without the number of unused bits.
    let signature: [UInt8]

    init(_ der: [UInt8]) {
        let parts = Self.elements(in: Self.contents(of: der))
        tbs = parts[0]
        algorithm = parts[1]
        signature = [UInt8](Self.contents(of: parts[2]).dropFirst())
    }

    /// Returns the certificate with other parts.
    func der(algorithm: [UInt8]? = nil, bits: [UInt8]? = nil) -> [UInt8] {
        Self.element(0x30, tbs + (algorithm ?? self.algorithm) + (bits ?? Self.element(0x03, [0] + signature)))
    }

    /// The BIT STRING of the signature with n - s in place of s.
    var otherForm: [UInt8] {
        let integers = Self.elements(in: Self.contents(of: signature)).map(Self.contents)
        let s = Self.difference(Self.order(atLeast: integers[1]), integers[1])
        let other = Self.element(0x02, integers[0]) + Self.element(0x02, Self.unsigned(s))
        return Self.element(0x03, [0] + Self.element(0x30, other))
    }

    // MARK: Keys

    /// Returns the SubjectPublicKeyInfo of a certificate; nil if it has none.
    static func key(of der: [UInt8]) -> [UInt8]? {
        let parts = elements(in: contents(of: EncodedCertificate(der).tbs))
        return parts.count > keyPlace ? parts[keyPlace] : nil
    }

    /// Returns a certificate with another key, by the contents of its AlgorithmIdentifier and of its BIT STRING; nil if
    /// it has none. The signature stays.
    static func replacingKey(
        of der: [UInt8], _ change: (_ algorithm: [UInt8], _ bits: [UInt8]) -> ([UInt8], [UInt8])
    ) -> [UInt8]? {
        let certificate = EncodedCertificate(der)
        var parts = elements(in: contents(of: certificate.tbs))
        guard parts.count > keyPlace else { return nil }
        let key = elements(in: contents(of: parts[keyPlace])).map(contents)
        guard key.count == 2 else { return nil }
        let (algorithm, bits) = change(key[0], key[1])
        parts[keyPlace] = element(0x30, element(0x30, algorithm) + element(0x03, bits))
        let rest = certificate.algorithm + element(0x03, [0] + certificate.signature)
        return element(0x30, element(0x30, parts.flatMap(\.self)) + rest)
    }

    /// The place of the SubjectPublicKeyInfo in a TBSCertificate with a version.
    private static let keyPlace = 6

    // MARK: Numbers

    private static let p256: [UInt8] = bytes("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
    private static let p384: [UInt8] = bytes(
        "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973")
    private static let p521: [UInt8] = bytes(
        "01FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"
            + "FA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409")

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        stride(from: 0, to: hexadecimal.count, by: 2).compactMap { offset in
            UInt8(hexadecimal.dropFirst(offset).prefix(2), radix: 16)
        }
    }

    /// Returns the order of the curve to which a signature's integer belongs, by its length.
    private static func order(atLeast s: [UInt8]) -> [UInt8] { s.count > 49 ? p521 : s.count > 33 ? p384 : p256 }

    private static func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        let right = Array(repeating: 0, count: max(0, left.count - right.count)) + right.suffix(left.count)
        var borrow = 0
        var result: [UInt8] = []
        for (left, right) in zip(left, right).reversed() {
            let digit = Int(left) - Int(right) - borrow
            borrow = digit < 0 ? 1 : 0
            result.append(UInt8(truncatingIfNeeded: digit))
        }
        return result.reversed()
    }

    /// Returns the contents of an INTEGER in DER.
    private static func unsigned(_ number: [UInt8]) -> [UInt8] {
        let digits = [UInt8](number.drop { $0 == 0 })
        return (digits.first ?? 0) > 127 ? [0] + digits : digits
    }

    // MARK: Elements

    static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [tag] + length(contents.count) + contents
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 128 { return [UInt8(count)] }
        return count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]
    }

    /// Returns the offset and the number of the contents of the first element.
    private static func place(in bytes: [UInt8]) -> (offset: Int, count: Int) {
        switch bytes[1] {
        case 0x81: (3, Int(bytes[2]))
        case 0x82: (4, Int(bytes[2]) << 8 | Int(bytes[3]))
        default: (2, Int(bytes[1]))
        }
    }

    static func contents(of element: [UInt8]) -> [UInt8] {
        let place = place(in: element)
        return [UInt8](element[place.offset..<place.offset + place.count])
    }

    static func elements(in bytes: [UInt8]) -> [[UInt8]] {
        var rest = bytes
        var elements: [[UInt8]] = []
        while !rest.isEmpty {
            let place = place(in: rest)
            elements.append([UInt8](rest.prefix(place.offset + place.count)))
            rest = [UInt8](rest.dropFirst(place.offset + place.count))
        }
        return elements
    }
}
