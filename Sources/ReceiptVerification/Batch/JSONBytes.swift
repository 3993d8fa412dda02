/// Finds values in JSON that the parser has accepted, as ranges of its bytes.
///
/// The parser keeps neither the place of a value nor the digits of a number as they were written.
enum JSONBytes {
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// Returns the offset of the next token.
    static func start(ofTokenFrom offset: Int, in text: RawSpan) -> Int {
        var offset = offset
        while offset < text.byteCount, isSpace(text.byte(at: offset)) { offset += 1 }
        return offset
    }

    /// Calls `body` with the ranges of each member of the object at an offset, until it returns false.
    ///
    /// A name includes its quotation marks. A value of another type has no members.
    static func forEachMember(
        ofObjectAt offset: Int,
        in text: RawSpan,
        _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Bool
    ) {
        forEachItem(at: offset, opening: UInt8(ascii: "{"), in: text) { start in
            let nameEnd = end(ofValueAt: start, in: text)
            let colon = self.start(ofTokenFrom: nameEnd, in: text)
            let value = self.start(ofTokenFrom: min(colon + 1, text.byteCount), in: text)
            let valueEnd = end(ofValueAt: value, in: text)
            return body(start..<nameEnd, value..<valueEnd) ? valueEnd : nil
        }
    }

    /// Calls `body` with the range of each element of the array at an offset.
    static func forEachElement(ofArrayAt offset: Int, in text: RawSpan, _ body: (Range<Int>) -> Void) {
        forEachItem(at: offset, opening: UInt8(ascii: "["), in: text) { start in
            let end = end(ofValueAt: start, in: text)
            body(start..<end)
            return end
        }
    }

    /// Calls `body` with the start of each item; it returns the item's end, or nil to stop.
    private static func forEachItem(
        at offset: Int, opening: UInt8, in text: RawSpan, _ body: (_ start: Int) -> Int?
    ) {
        guard offset < text.byteCount, text.byte(at: offset) == opening else { return }
        var start = start(ofTokenFrom: offset + 1, in: text)
        while start < text.byteCount, !isClosing(text.byte(at: start)) {
            guard let end = body(start) else { return }
            let next = self.start(ofTokenFrom: end, in: text)
            guard next < text.byteCount, text.byte(at: next) == UInt8(ascii: ",") else { return }
            start = self.start(ofTokenFrom: next + 1, in: text)
        }
    }

    /// Returns the end of the value that begins at an offset.
    static func end(ofValueAt offset: Int, in text: RawSpan) -> Int {
        guard offset < text.byteCount else { return text.byteCount }
        switch text.byte(at: offset) {
        case quote: return end(ofStringAt: offset, in: text)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return end(ofNestAt: offset, in: text)
        default:
            var end = offset
            while end < text.byteCount, case let byte = text.byte(at: end),
                byte != UInt8(ascii: ","), !isClosing(byte), !isSpace(byte)
            { end += 1 }
            return end
        }
    }

    private static func end(ofNestAt offset: Int, in text: RawSpan) -> Int {
        var depth = 0
        var index = offset
        while index < text.byteCount {
            let byte = text.byte(at: index)
            if byte == quote {
                index = end(ofStringAt: index, in: text)
                continue
            }
            index += 1
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
            if isClosing(byte) {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return text.byteCount
    }

    private static func end(ofStringAt offset: Int, in text: RawSpan) -> Int {
        var index = offset + 1
        while let mark = text.firstOffset(of: quote, from: index) {
            var first = mark
            while first > index, text.byte(at: first - 1) == backslash { first -= 1 }
            // An even number of backslashes escapes itself.
            if (mark - first) % 2 == 0 { return mark + 1 }
            index = mark + 1
        }
        return text.byteCount
    }

    private static func isClosing(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}

extension RawSpan {
    /// The value of a JSON string with its quotation marks; nil if the bytes are no JSON string.
    var unescapedJSON: [UInt8]? {
        guard byteCount >= 2, byte(at: 0) == UInt8(ascii: "\"") else { return nil }
        if firstOffset(of: UInt8(ascii: "\\")) == nil { return extracting(1..<byteCount - 1).array }
        guard let document = try? JSONDocument(parsing: self, maximumDepth: 1) else { return nil }
        return document.root.string?.array
    }
}
