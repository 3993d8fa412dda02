/// The words of a Swift file that mean something: without comments and without the text of string literals.
///
/// This is no parser. It knows enough of the language to find declarations and uses by name.
struct SwiftWords {
    /// An identifier, a keyword or one punctuation character.
    struct Word {
        let text: String
        let line: Int

        var isIdentifier: Bool { text.first.map { $0.isLetter || $0 == "_" } ?? false }
    }

    let words: [Word]

    init(_ text: String) {
        var scanner = Scanner(Array(text.utf8))
        words = scanner.words()
    }
}

private struct Scanner {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var found: [SwiftWords.Word] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func words() -> [SwiftWords.Word] {
        scan(untilClosingParenthesis: false)
        return found
    }

    private func starts(with text: String) -> Bool {
        bytes[position...].starts(with: text.utf8)
    }

    /// Scans code; inside the interpolation of a string it ends at the parenthesis that closes it.
    private mutating func scan(untilClosingParenthesis isInterpolation: Bool) {
        var depth = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\n") {
                line += 1
                position += 1
            } else if starts(with: "//") {
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
            } else if byte == UInt8(ascii: "\"") || starts(with: "#\"") {
                skipString()
            } else if byte.isWordByte {
                let start = position
                while position < bytes.count, bytes[position].isWordByte { position += 1 }
                found.append(.init(text: String(decoding: bytes[start..<position], as: UTF8.self), line: line))
            } else {
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") { depth -= 1 }
                position += 1
                if isInterpolation, depth < 0 { return }
                if byte > UInt8(ascii: " "), byte != UInt8(ascii: "`") {
                    found.append(.init(text: String(UnicodeScalar(byte)), line: line))
                }
            }
        }
    }

    private mutating func skipString() {
        let isRaw = bytes[position] == UInt8(ascii: "#")
        if isRaw { position += 1 }
        let isLong = starts(with: "\"\"\"")
        position += isLong ? 3 : 1
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            if !isRaw, starts(with: "\\(") {
                position += 2
                scan(untilClosingParenthesis: true)
            } else if !isRaw, bytes[position] == UInt8(ascii: "\\") {
                position += 2
            } else if isLong ? starts(with: "\"\"\"") : bytes[position] == UInt8(ascii: "\"") {
                position += isLong ? 3 : 1
                return
            } else {
                position += 1
            }
        }
    }
}

extension UInt8 {
    fileprivate var isWordByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...:
            true
        default: false
        }
    }
}
