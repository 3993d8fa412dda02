internal import ReceiptTypes

/// Finds receipts in large inputs without a tree of the complete JSON text, which takes up to thirty times its memory.
///
/// A large array is split at its commas into pieces of some hundred kilobytes. Only the JSON parser decides what is
/// JSON: each piece is an array for it, and a piece that it rejects is an unrecognized input. Objects are never split,
/// because their members belong together, such as the data and the signature of a purchase, or a key and its duplicate.
package struct LargeInput {
    /// The length up to which an input is searched at once, and from which a piece ends at the next comma.
    private static let pieceSize = 262_144
    /// The length of the largest JSON value that is parsed.
    private static let maximumValueSize = 4_194_304

    /// Receives a receipt, its number from 1, and whether it is the only one.
    package typealias Body = (_ input: ReceiptInput, _ number: Int, _ isOnly: Bool) throws -> Void

    private let text: [UInt8]
    private let trials: SignatureTrials?
    /// The last receipt that was found: whether it is the only one is known when the next one is found.
    private var held: ReceiptInput?
    private var count = 0

    /// Calls `body` with each receipt of an input, in order; with an unrecognized input if there is none.
    ///
    /// A JSON text of more than 4 MiB is searched only if it is an array, and only in its elements up to that size.
    ///
    /// - Parameter trials: Decides between several signatures of a Google Play purchase; nil if no key is known.
    static func forEachReceipt(in text: [UInt8], _ trials: SignatureTrials? = nil, _ body: Body) throws {
        let start = text.firstIndex { !$0.isWhiteSpace } ?? text.endIndex
        let first = text[start...].first
        if text.count > pieceSize, first == UInt8(ascii: "[") {
            var input = LargeInput(text: text, trials: trials)
            return try input.search(from: start, body)
        }
        guard text.count <= maximumValueSize || first != UInt8(ascii: "{") else {
            return try body(.unrecognized(text), 1, true)
        }
        var detector = InputDetector(trials: trials)
        let found = detector.detect(text) ?? [.unrecognized(text)]
        for (index, input) in found.enumerated() { try body(input, index + 1, found.count == 1) }
    }

    private init(text: [UInt8], trials: SignatureTrials?) {
        (self.text, self.trials) = (text, trials)
    }

    /// Searches the array that begins at an index.
    private mutating func search(from start: Int, _ body: Body) throws {
        var pieceStart = start + 1
        var index = pieceStart
        var isClosed = false
        while index < text.count, !isClosed {
            moveToEnd(of: &index)
            guard index < text.count, text[index] != UInt8(ascii: "}") else { break }
            isClosed = text[index] == UInt8(ascii: "]")
            if isClosed || index - pieceStart > Self.pieceSize {
                try search(pieceStart..<index, isWhole: isClosed && pieceStart == start + 1, body)
                pieceStart = index + 1
            }
            index += 1
        }
        let rest = text[min(pieceStart, text.count)...]
        if !isClosed || !rest.allSatisfy(\.isWhiteSpace) { try give(.unrecognized([UInt8](rest)), body) }
        try body(held ?? .unrecognized(text), max(count, 1), count < 2)
    }

    /// Moves to the comma after an element, or to the bracket that closes the array.
    private func moveToEnd(of index: inout Int) {
        var depth = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""): moveToEndOfString(&index)
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return }
                depth -= 1
            case UInt8(ascii: ","): if depth == 0 { return }
            default: break
            }
            index += 1
        }
    }

    private func moveToEndOfString(_ index: inout Int) {
        index += 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
    }

    /// Searches elements that follow each other.
    ///
    /// - Parameter isWhole: Whether they are all elements of the array, which can then be empty.
    private mutating func search(_ elements: Range<Int>, isWhole: Bool, _ body: Body) throws {
        let piece = [UInt8(ascii: "[")] + text[elements] + [UInt8(ascii: "]")]
        guard elements.count <= Self.maximumValueSize, isWhole || !text[elements].allSatisfy(\.isWhiteSpace) else {
            return try give(.unrecognized(piece), body)
        }
        var detector = InputDetector(trials: trials)
        if let found = detector.detect(piece) {
            for input in found { try give(input, body) }
        } else if (try? JSONDocument.value(of: piece)) == nil {
            try give(.unrecognized(piece), body)
        }
    }

    private mutating func give(_ input: ReceiptInput, _ body: Body) throws {
        if let held { try body(held, count, false) }
        held = input
        count += 1
    }
}
