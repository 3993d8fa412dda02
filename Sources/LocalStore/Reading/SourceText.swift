/// The bytes of a file that is JSON already, and where things are in them.
///
/// The parser gives the values without their places, so this looks for the places in the same text. It does not judge:
/// what it is given has been accepted. Each search is a loop over the bytes and never a recursion.
struct SourceText: Sendable {
    let bytes: [UInt8]

    /// Whether the text begins with a byte order mark.
    static func hasByteOrderMark(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0xef, 0xbb, 0xbf]) }

    /// At least the number of values and names of any text, JSON or not: each ends at one of these marks, or the text.
    static func markCount(_ bytes: [UInt8]) -> Int {
        var count = 1
        forEachMark(bytes) { mark in
            if mark != UInt8(ascii: "]"), mark != UInt8(ascii: "}") { count += 1 }
        }
        return count
    }

    /// How many brackets are open where any text ends, a string that does not end counted as one.
    static func openBrackets(_ bytes: [UInt8]) -> Int {
        var depth = 0
        let endsInString = forEachMark(bytes) { mark in
            switch mark {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return endsInString ? max(depth, 0) + 1 : depth
    }

    /// Calls `body` with each mark of any text that is not within a string; tells whether it ends within one.
    @discardableResult
    private static func forEachMark(_ bytes: [UInt8], _ body: (UInt8) -> Void) -> Bool {
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "]"),
                UInt8(ascii: "}"):
                body(byte)
            default: break
            }
        }
        return isInString
    }

    // MARK: Walking

    /// The place of the whole value.
    var root: Range<Int> {
        let start = valueStart(from: 0)
        return start..<end(of: start)
    }

    /// The places of an object's names and values, in the order of the text.
    func members(of range: Range<Int>) -> [(name: Int, value: Range<Int>)] {
        var members: [(name: Int, value: Range<Int>)] = []
        var position = valueStart(from: range.lowerBound + 1)
        while position < range.upperBound, byte(at: position) == UInt8(ascii: "\"") {
            let name = position
            // Behind the name are a colon and the value, and perhaps a comma.
            let start = valueStart(from: valueStart(from: end(of: name)) + 1)
            let end = end(of: start)
            guard start < end, end <= range.upperBound else { break }
            members.append((name, start..<end))
            position = nextItem(from: end)
        }
        return members
    }

    /// The places of an array's elements, in the order of the text.
    func elements(of range: Range<Int>) -> [Range<Int>] {
        var elements: [Range<Int>] = []
        var position = valueStart(from: range.lowerBound + 1)
        while position + 1 < range.upperBound {
            let end = end(of: position)
            guard position < end, end <= range.upperBound else { break }
            elements.append(position..<end)
            position = nextItem(from: end)
        }
        return elements
    }

    /// The text of a place.
    func slice(_ range: Range<Int>) -> String {
        String(decoding: bytes[range.clamped(to: bytes.indices)], as: UTF8.self)
    }

    private func byte(at position: Int) -> UInt8? { bytes.indices.contains(position) ? bytes[position] : nil }

    /// The next byte that is no white space.
    private func valueStart(from position: Int) -> Int {
        var position = position
        while let byte = byte(at: position), [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
        return min(position, bytes.count)
    }

    /// What comes behind a value and the comma behind it.
    private func nextItem(from end: Int) -> Int {
        let mark = valueStart(from: end)
        return byte(at: mark) == UInt8(ascii: ",") ? valueStart(from: mark + 1) : mark
    }

    /// Behind the value that starts at a place.
    private func end(of start: Int) -> Int {
        var depth = 0
        var position = start
        while let byte = byte(at: position) {
            switch byte {
            case UInt8(ascii: "\""):
                position = endOfString(from: position)
                if depth == 0 { return position }
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                // A number or a word ends where the array or object around it does.
                if depth == 0 { return position }
                depth -= 1
                if depth == 0 { return position + 1 }
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0a, 0x0d:
                if depth == 0 { return position }
            default: break
            }
            position += 1
        }
        return position
    }

    private func endOfString(from start: Int) -> Int {
        var position = start + 1
        while let byte = byte(at: position), byte != UInt8(ascii: "\"") {
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, bytes.count)
    }
}
