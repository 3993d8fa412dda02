internal import ReceiptTypes

/// Finds receipts in large inputs without a tree of the complete JSON text, which takes up to thirty times its memory.
///
/// A large array or object is split at its commas into pieces of some hundred kilobytes, and each piece is an array or an
/// object that the JSON parser reads. Nothing is dropped: a piece that is not JSON is an unrecognized input.
package struct LargeInput {
    /// The length up to which an input is searched at once.
    private static let pieceSize = 262_144
    /// The depth of arrays and objects that are split.
    private static let maximumDepth = 16

    /// Receives a receipt, its number from 1, and whether it is the only one.
    package typealias Body = (_ input: ReceiptInput, _ number: Int, _ isOnly: Bool) throws -> Void

    private let text: [UInt8]
    private let body: Body
    /// The last receipt that was found: whether it is the only one is known when the next one is found.
    private var held: ReceiptInput?
    private var count = 0

    /// Calls `body` with each receipt of an input, in order; with an unrecognized input if there is none.
    package static func forEachReceipt(in text: [UInt8], _ body: Body) throws {
        guard text.count > pieceSize, let first = InputDetector.trimmed([UInt8](text.prefix(64))).first,
            first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
        else {
            let found = ReceiptInput.detect(text)
            for (index, input) in found.enumerated() { try body(input, index + 1, found.count == 1) }
            return
        }
        try withoutActuallyEscaping(body) { body in
            var input = LargeInput(text: text, body: body)
            try input.search()
        }
    }

    private init(text: [UInt8], body: @escaping Body) {
        self.text = text
        self.body = body
    }

    private mutating func search() throws {
        let start = text.firstIndex { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") } ?? 0
        let end = try split(from: start, depth: 1)
        if text[end...].contains(where: { !Self.isSpace($0) }) { try give(.unrecognized([UInt8](text[end...]))) }
        try body(held ?? .unrecognized(text), max(count, 1), count < 2)
    }

    /// Searches the elements of the array or object that begins at an index; returns the index after it.
    private mutating func split(from start: Int, depth: Int) throws -> Int {
        var pieceStart = start + 1
        var index = start + 1
        while index < text.count {
            let element = index
            let isClosed = moveToEnd(of: &index)
            if index - element > Self.pieceSize, depth < Self.maximumDepth, let inner = container(in: element..<index) {
                try searchPiece(pieceStart..<element, of: start)
                let innerEnd = try split(from: inner, depth: depth + 1)
                let rest = text[min(innerEnd, index)..<index]
                if rest.contains(where: { !Self.isSpace($0) }) { try give(.unrecognized([UInt8](rest))) }
                pieceStart = index + 1
            } else if index - pieceStart > Self.pieceSize || isClosed {
                try searchPiece(pieceStart..<index, of: start)
                pieceStart = index + 1
            }
            index += 1
            if isClosed { return min(index, text.count) }
        }
        try give(.unrecognized([UInt8](text[min(pieceStart, text.count)...])))
        return text.count
    }

    /// Moves to the comma after an element, or to the bracket that closes its array or object; returns whether it is a
    /// bracket, or the end of the text.
    private func moveToEnd(of index: inout Int) -> Bool {
        var depth = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""): moveToEndOfString(&index)
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return true }
                depth -= 1
            case UInt8(ascii: ","): if depth == 0 { return false }
            default: break
            }
            index += 1
        }
        return false
    }

    private func moveToEndOfString(_ index: inout Int) {
        index += 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
    }

    /// Returns the index of the array or object in an element, after its name if it has one; nil for other elements.
    private func container(in element: Range<Int>) -> Int? {
        var index = element.lowerBound
        while index < element.upperBound {
            switch text[index] {
            case UInt8(ascii: "["), UInt8(ascii: "{"): return index
            case UInt8(ascii: "\""): moveToEndOfString(&index)
            case UInt8(ascii: ":"): break
            case let byte where Self.isSpace(byte): break
            default: return nil
            }
            index += 1
        }
        return nil
    }

    /// Searches elements that follow each other in the array or object that begins at `start`.
    private mutating func searchPiece(_ range: Range<Int>, of start: Int) throws {
        var elements = text[range]
        while let last = elements.last, Self.isSpace(last) { elements.removeLast() }
        if elements.last == UInt8(ascii: ","), elements.startIndex < elements.endIndex { elements.removeLast() }
        guard elements.contains(where: { !Self.isSpace($0) }) else { return }
        let isArray = text[start] == UInt8(ascii: "[")
        let piece = [text[start]] + elements + [UInt8(ascii: isArray ? "]" : "}")]
        var detector = InputDetector()
        if let found = detector.detect(piece) {
            for input in found { try give(input) }
        } else if (try? JSONDocument.value(of: piece)) == nil {
            try give(.unrecognized(piece))
        }
    }

    private mutating func give(_ input: ReceiptInput) throws {
        if let held { try body(held, count, false) }
        held = input
        count += 1
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}
