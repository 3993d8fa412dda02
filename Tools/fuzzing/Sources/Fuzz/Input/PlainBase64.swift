/// A simple implementation of base64 (RFC 4648 4 and 5), to compare with and to write inputs.
struct PlainBase64 {
    static let url = PlainBase64(digits: "-_", isPadded: false)
    static let standard = PlainBase64(digits: "+/", isPadded: true)

    private let digits: [UInt8]
    private let isPadded: Bool

    private init(digits last: String, isPadded: Bool) {
        digits = [UInt8](("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        self.isPadded = isPadded
    }

    func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 3 * 4 + 4)
        var bits = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | Int(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[bits >> count & 63])
            }
            bits &= 63
        }
        if count > 0 { text.append(digits[bits << (6 - count) & 63]) }
        while isPadded, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// Decodes the digits of a text and ignores everything else. The text is canonical only if encoding the result
    /// returns it.
    func looselyDecode(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var bits = 0
        var count = 0
        for character in text {
            guard let value = digits.firstIndex(of: character) else { continue }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(bits >> count & 255))
            bits &= 255
        }
        return bytes
    }
}
