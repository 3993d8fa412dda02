internal import ReceiptTypes

/// Finds JSON objects in a text.
///
/// Braces only tell where an object can end; the JSON parser decides whether it is one. An object that is not closed, or
/// that the parser rejects, is entered: the objects in it are found, as in JSON that was cut.
struct JSONScan {
    /// A JSON object and its place in the text.
    struct Found {
        let range: Range<Int>
        let value: JSONValue
    }

    /// The largest object that is parsed, since its tree takes up to thirty times as much memory.
    private static let maximumSize = 4_194_304
    /// The bytes of rejected objects that are visited for each byte of the text: without a limit, the cost of a text of
    /// opening braces would grow with its square.
    private static let maximumRejections = 16

    /// The number of bytes that were visited.
    private(set) var steps = 0
    private let maximumSteps: Int

    init(maximumSteps: Int) {
        self.maximumSteps = maximumSteps
    }

    /// Returns the outermost objects of a text, in order.
    mutating func values(in text: [UInt8]) -> [Found] {
        var found: [Found] = []
        var rejected = 0
        var index = 0
        while let start = text.firstIndex(of: "{", from: index) {
            let end = Self.end(of: start, in: text)
            let length = (end ?? text.count) - start
            steps += length
            if let end, length <= Self.maximumSize, let value = try? JSONDocument.value(of: Array(text[start..<end])) {
                found.append(Found(range: start..<end, value: value))
                index = end
                continue
            }
            rejected += length
            guard rejected / Self.maximumRejections <= text.count, steps < maximumSteps else { break }
            index = start + 1
        }
        return found
    }

    private static let notMarks = ByteSet("\\\"{}").inverted
    private static let notMarksInString = ByteSet("\\\"").inverted

    /// Returns the index after the brace that closes an object; nil if there is none.
    private static func end(of start: Int, in text: [UInt8]) -> Int? {
        var depth = 0
        var index = start
        var isInString = false
        while true {
            index = (isInString ? notMarksInString : notMarks).end(in: text, from: index)
            guard index < text.count else { return nil }
            switch text[index] {
            case UInt8(ascii: "\\"): index += isInString ? 1 : 0
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "{"): depth += 1
            default:
                depth -= 1
                if depth == 0 { return index + 1 }
            }
            index += 1
        }
    }
}
