internal import ReceiptTypes

/// The bytes of a valid JSON file, with searches for the positions of its values.
///
/// The JSON parser returns values without positions; these searches find them in the text that the parser has accepted.
/// They check nothing, and they are loops without recursion.
struct SourceText: Sendable {
    let bytes: [UInt8]

    /// Returns whether the file begins with a UTF-8 byte order mark.
    static func hasByteOrderMark(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0xef, 0xbb, 0xbf]) }

    /// Returns an upper bound of the number of values and names in a file, JSON or not, by counting delimiters.
    static func delimiterCount(_ bytes: [UInt8]) -> Int {
        var count = 1
        JSONDelimiters.forEach(in: bytes[...]) { _, mark in
            if mark != UInt8(ascii: "]"), mark != UInt8(ascii: "}") { count += 1 }
        }
        return count
    }

    /// Returns the number of open brackets at the end of a file, JSON or not; an unterminated string counts as one.
    static func openBrackets(_ bytes: [UInt8]) -> Int {
        var depth = 0
        let endsInString = JSONDelimiters.forEach(in: bytes[...]) { _, mark in
            switch mark {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return endsInString ? max(depth, 0) + 1 : depth
    }

    // MARK: Positions

    /// The range of the outermost value.
    var root: Range<Int> {
        let start = valueStart(from: 0)
        return start..<end(of: start)
    }

    /// Returns the positions of an object's names and the ranges of its values, in file order.
    func members(of range: Range<Int>) -> [(name: Int, value: Range<Int>)] {
        var members: [(name: Int, value: Range<Int>)] = []
        var position = valueStart(from: range.lowerBound + 1)
        while position < range.upperBound, byte(at: position) == UInt8(ascii: "\"") {
            let name = position
            // A colon and the value follow the name, and possibly a comma.
            let start = valueStart(from: valueStart(from: end(of: name)) + 1)
            let end = end(of: start)
            guard start < end, end <= range.upperBound else { break }
            members.append((name, start..<end))
            position = nextItem(from: end)
        }
        return members
    }

    /// Returns the ranges of an array's elements, in file order.
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

    /// Returns the text of a range.
    func slice(_ range: Range<Int>) -> String {
        String(decoding: bytes[range.clamped(to: bytes.indices)], as: UTF8.self)
    }

    private func byte(at position: Int) -> UInt8? { bytes.indices.contains(position) ? bytes[position] : nil }

    /// Returns the position of the next byte that is not white space.
    private func valueStart(from position: Int) -> Int {
        var position = position
        while let byte = byte(at: position), [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
        return min(position, bytes.count)
    }

    /// Returns the position after a value and the comma that follows it.
    private func nextItem(from end: Int) -> Int {
        let mark = valueStart(from: end)
        return byte(at: mark) == UInt8(ascii: ",") ? valueStart(from: mark + 1) : mark
    }

    /// Returns the end of the value that starts at a position.
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
                // A number or a literal ends at the closing bracket of its array or object.
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

extension SourceText {
    /// A line and a column.
    struct Place: Hashable, Sendable {
        /// The line, counted from 1.
        var line: Int
        /// The column in code points, counted from 1.
        var column: Int
    }

    /// Returns the lines and columns of sorted byte offsets, in one pass over the file.
    static func places(of sorted: [Int], in bytes: [UInt8]) -> [Place] {
        var places: [Place] = []
        var place = Place(line: 1, column: 1)
        var position = hasByteOrderMark(bytes) ? 3 : 0
        for offset in sorted {
            while position < min(offset, bytes.count) {
                let byte = bytes[position]
                let isBeforeLineFeed =
                    byte == 0x0d && position + 1 < bytes.count && bytes[position + 1] == 0x0a
                position += 1
                if byte == 0x0a || (byte == 0x0d && !isBeforeLineFeed) {
                    place = Place(line: place.line + 1, column: 1)
                } else if byte & 0xc0 != 0x80, !isBeforeLineFeed {
                    place.column += 1
                }
            }
            places.append(place)
        }
        return places
    }
}
