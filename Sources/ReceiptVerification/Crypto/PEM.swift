internal import CReceiptCrypto

/// The textual encoding of keys and certificates (RFC 7468).
package enum PEM {
    package struct Block {
        package var label: String
        package var bytes: [UInt8]
    }

    /// A block begins but cannot be decoded.
    struct Malformed: Error {}

    /// Returns all blocks.
    ///
    /// Other text around them is skipped.
    package static func blocks(in text: [UInt8]) throws -> [Block] {
        var blocks: [Block] = []
        var offset = 0
        while let block = try next(in: text, from: &offset) { blocks.append(block) }
        return blocks
    }

    /// Returns whether something beside the blocks with a label can be a block that is not read: one with another label
    /// or a damaged first line, base64 without one, or bytes in DER.
    static func hasOtherBlocks(than label: String, in text: [UInt8]) -> Bool {
        let (beginning, end) = ([UInt8]("-----BEGIN \(label)-----".utf8), [UInt8]("-----END \(label)-----".utf8))
        var isInside = false
        for line in text.split(whereSeparator: \.isLineBreak) {
            if line.starts(with: beginning) {
                isInside = true
            } else if isInside, line.starts(with: end) {
                isInside = false
            } else if !isInside, canBeBlock(line) {
                return true
            }
        }
        return false
    }

    /// The length of base64 that text around blocks does not have; the lines of blocks have 64 or 76 characters.
    private static let longestDigits = 40

    private static func canBeBlock(_ line: ArraySlice<UInt8>) -> Bool {
        let digits = line.split { !ByteSet.base64Digits.contains($0) }
        return digits.contains { $0.count > longestDigits } || line.contains { $0 < 0x20 && $0 != 0x09 }
    }

    /// Returns one block, with lines of 64 characters.
    package static func encode(_ bytes: [UInt8], label: String) -> String {
        let digits = [UInt8](Base64.standard.encode(bytes).utf8)
        var text = "-----BEGIN \(label)-----\n"
        for start in stride(from: 0, to: digits.count, by: 64) {
            text += String(decoding: digits[start..<min(start + 64, digits.count)], as: UTF8.self) + "\n"
        }
        return text + "-----END \(label)-----\n"
    }

    private static func next(in text: [UInt8], from offset: inout Int) throws -> Block? {
        let labelCapacity = 64
        var label = [CChar](repeating: 0, count: labelCapacity)
        var status = rc_status.RC_FAULT
        var position = offset
        let bytes = try unsafe OwnedBytes { out in
            status = text.withRawSpan { span in
                unsafe span.withPointer { (pointer, count) in
                    unsafe label.withUnsafeMutableBufferPointer { buffer in
                        guard let base = buffer.baseAddress else { return .RC_FAULT }
                        return unsafe rc_pem_next(pointer, count, &position, base, labelCapacity, &out)
                    }
                }
            }
            return status
        }
        guard let bytes else {
            if status == .RC_NO { return nil }
            throw Malformed()
        }
        offset = position
        let name = label.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return Block(label: String(decoding: name, as: UTF8.self), bytes: bytes.array)
    }
}
