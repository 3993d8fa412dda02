@testable internal import ReceiptVerification

/// Base64 in both alphabets: a text decodes if and only if it is the canonical encoding of the decoded bytes.
final class Base64Target: FuzzTarget {
    static let name = "base64url"
    static let summary = "base64 in both alphabets, hexadecimal, PEM"
    static let maximumLength = 512

    private var decoder = ReusedDecoder()

    init() throws {}

    var seeds: [(name: String, bytes: [UInt8])] {
        [
            ("url", [UInt8]("-_8A".utf8)), ("url-rest-1", [UInt8]("-w".utf8)), ("url-rest-2", [UInt8]("-_8".utf8)),
            ("standard", [UInt8]("+/8A".utf8)), ("standard-1", [UInt8]("+w==".utf8)),
            ("spare-bits", [UInt8]("+x==".utf8)),
            ("padded-url", [UInt8]("-_8=".utf8)), ("white-space", [UInt8]("-_8A\n".utf8)),
            ("pem", [UInt8](PEM.encode([1, 2, 3], label: "CERTIFICATE").utf8)),
        ]
    }

    func run(_ input: [UInt8]) throws {
        check(input, Base64.url, PlainBase64.url)
        check(input, Base64.standard, PlainBase64.standard)
        checkHexadecimal(input)
        checkPEM(input)
    }

    private func check(_ text: [UInt8], _ base64: Base64, _ plain: PlainBase64) {
        let expected = plain.looselyDecode(text)
        let isCanonical = plain.encode(expected) == text
        let decoded = text.withRawSpan { base64.decode($0) }
        requireEqual(decoded, isCanonical ? expected : nil, "decoding")
        // One buffer for all texts, as in a batch: no bytes of an earlier text may remain.
        let reused = decoder.decode(text, base64)
        requireEqual(reused.isDecoded, isCanonical, "decoding into a buffer")
        requireEqual(reused.bytes, isCanonical ? expected : [], "the bytes in the buffer")
        requireEqual([UInt8](base64.encode(text).utf8), plain.encode(text), "encoding")
    }

    private func checkHexadecimal(_ input: [UInt8]) {
        let text = Hexadecimal.encode(input)
        requireEqual(Hexadecimal.decode(text), input, "hexadecimal digits, decoded")
        requireEqual(Hexadecimal.decode(text.uppercased()), input, "upper-case hexadecimal digits, decoded")
        if let bytes = Hexadecimal.decode(String(decoding: input, as: UTF8.self)) {
            requireEqual(bytes.count * 2, input.count, "the number of hexadecimal digits")
        }
    }

    private func checkPEM(_ input: [UInt8]) {
        for block in (try? PEM.blocks(in: input)) ?? [] {
            require(block.bytes.count <= input.count, "a PEM block is larger than its text")
            let again = try? PEM.blocks(in: [UInt8](PEM.encode(block.bytes, label: "X").utf8))
            requireEqual(
                again?.map(\.bytes), block.bytes.isEmpty ? nil : [block.bytes], "a PEM block, written and read back")
        }
    }
}

/// A decoder with one buffer for all texts, as in a batch.
private struct ReusedDecoder: ~Copyable {
    private var buffer = ReusableBytes()

    mutating func decode(_ text: [UInt8], _ base64: Base64) -> (isDecoded: Bool, bytes: [UInt8]) {
        let isDecoded = text.withRawSpan { base64.decode($0, into: &buffer) }
        return (isDecoded, buffer.bytes.array)
    }
}
