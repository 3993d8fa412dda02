extension SourceText {
    /// A place as a person counts it.
    struct Place: Hashable, Sendable {
        /// From 1.
        var line: Int
        /// Code points, from 1.
        var column: Int
    }

    /// The lines and columns of places that are sorted already, found in one pass over the bytes.
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
