/// Decodes the escapes of addresses, and rejects what is not one.
enum PercentDecoding {
    /// Returns the text that the bytes stand for; nil if an escape is incomplete, or if the text is not UTF-8 or has a
    /// control character.
    ///
    /// - Parameter plusIsSpace: Whether a plus sign is a space, as in queries.
    static func text(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else { return nil }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            default: decoded.append(byte)
            }
        }
        guard let text = String(validating: decoded, as: UTF8.self) else { return nil }
        return text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : text
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let byte) where (0x30...0x39).contains(byte): byte - 0x30
        case .some(let byte) where (0x41...0x46).contains(byte): byte - 0x41 + 10
        case .some(let byte) where (0x61...0x66).contains(byte): byte - 0x61 + 10
        default: nil
        }
    }
}
