extension JSONText {
    /// Appends a string between quotation marks.
    public static func append(_ string: String, to output: inout [UInt8]) {
        let isDone: Void? = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe append(utf8: bytes, to: &output)
        }
        // Only a string bridged from Objective-C has no contiguous UTF-8 storage.
        if isDone == nil {
            unsafe Array(string.utf8).withUnsafeBufferPointer { bytes in unsafe append(utf8: bytes, to: &output) }
        }
    }

    /// Appends UTF-8 bytes as a string between quotation marks.
    public static func append(utf8 bytes: RawSpan, to output: inout [UInt8]) {
        unsafe bytes.withUnsafeBytes { raw in
            unsafe raw.withMemoryRebound(to: UInt8.self) { unsafe append(utf8: $0, to: &output) }
        }
    }

    /// Appends UTF-8 bytes as a string between quotation marks; a byte that is not valid UTF-8 becomes U+FFFD.
    private static func append(utf8 bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        // A run of bytes that need no escape is copied at once. Every index stays below `bytes.count`.
        var start = 0
        var index = 0
        while index < bytes.count {
            let byte = unsafe bytes[index]
            if byte >= 0x20, byte < 0x7f, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                index += 1
                continue
            }
            let character = unsafe UTF8Character(bytes, at: index)
            let end = index + character.byteCount
            if character.needsEscape {
                unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                appendEscape(of: character.codePoint, to: &output)
                start = end
            }
            index = end
        }
        unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<bytes.count]))
        output.append(UInt8(ascii: "\""))
    }

    /// Appends valid JSON without the white space between its tokens.
    ///
    /// Numbers and escapes stay as they are written; hidden characters in strings are escaped.
    package static func append(compacting text: RawSpan, to output: inout [UInt8]) {
        unsafe text.withUnsafeBytes { raw in
            unsafe raw.withMemoryRebound(to: UInt8.self) { unsafe append(compacting: $0, to: &output) }
        }
    }

    private static func append(compacting bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        // A run of bytes that stay as they are is copied at once. Every index stays below `bytes.count`.
        var start = 0
        var index = 0
        var isInString = false
        while index < bytes.count {
            let byte = unsafe bytes[index]
            var end = index + 1
            var replaced: UInt32?
            var isSpace = false
            if !isInString {
                isSpace = byte == 0x20 || (0x09...0x0d).contains(byte)
                isInString = byte == UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "\\") {
                end = min(index + 2, bytes.count)
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            } else if !(0x20..<0x7f).contains(byte) {
                let character = unsafe UTF8Character(bytes, at: index)
                end = index + character.byteCount
                if character.needsEscape { replaced = character.codePoint }
            }
            if isSpace || replaced != nil {
                unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                if let replaced { appendEscape(of: replaced, to: &output) }
                start = end
            }
            index = end
        }
        unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<bytes.count]))
    }

    private static func appendEscape(of codePoint: UInt32, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch codePoint {
        case 0x22: output.append(UInt8(ascii: "\""))
        case 0x5c: output.append(UInt8(ascii: "\\"))
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0a: output.append(UInt8(ascii: "n"))
        case 0x0c: output.append(UInt8(ascii: "f"))
        case 0x0d: output.append(UInt8(ascii: "r"))
        case 0x1_0000...:
            // A character beyond the basic multilingual plane is a surrogate pair (RFC 8259 section 7).
            appendCodeUnit(0xd7c0 + (codePoint >> 10), to: &output)
            output.append(UInt8(ascii: "\\"))
            appendCodeUnit(0xdc00 + (codePoint & 0x3ff), to: &output)
        default: appendCodeUnit(codePoint, to: &output)
        }
    }

    /// Appends `uXXXX` for a UTF-16 code unit.
    private static func appendCodeUnit(_ unit: UInt32, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "u"))
        for shift: UInt32 in [12, 8, 4, 0] {
            let digit = UInt8(truncatingIfNeeded: (unit >> shift) & 0xf)
            output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + (digit - 10))
        }
    }
}

/// One decoded character of UTF-8.
private struct UTF8Character {
    private(set) var codePoint: UInt32
    private(set) var byteCount: Int
    private(set) var needsEscape: Bool

    /// Decodes the character at an index below `bytes.count` (RFC 3629 section 4); an invalid byte becomes U+FFFD.
    @unsafe
    init(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
        let first = unsafe bytes[index]
        var smallest: UInt32 = 0
        switch first {
        case 0x00...0x7f: (codePoint, byteCount, smallest) = (UInt32(first), 1, 0)
        case 0xc2...0xdf: (codePoint, byteCount, smallest) = (UInt32(first & 0x1f), 2, 0x80)
        case 0xe0...0xef: (codePoint, byteCount, smallest) = (UInt32(first & 0x0f), 3, 0x800)
        case 0xf0...0xf4: (codePoint, byteCount, smallest) = (UInt32(first & 0x07), 4, 0x1_0000)
        default: (codePoint, byteCount) = (.max, 1)
        }
        if bytes.count - index < byteCount {
            codePoint = .max
        } else {
            for offset in 1..<max(byteCount, 1) {
                let next = unsafe bytes[index + offset]
                guard next & 0xc0 == 0x80 else {
                    codePoint = .max
                    break
                }
                codePoint = codePoint << 6 | UInt32(next & 0x3f)
            }
        }
        if codePoint < smallest || codePoint > 0x10_ffff || (0xd800...0xdfff).contains(codePoint) {
            (codePoint, byteCount, needsEscape) = (0xfffd, 1, true)
        } else {
            needsEscape = codePoint == 0x22 || codePoint == 0x5c || HiddenCharacters.contains(codePoint)
        }
    }
}
