import ReceiptTypes

/// A list of values that is read from its start to its end; a value of another type reads as nil.
struct SQLiteValues {
    private var rest: ArraySlice<SQLiteValue>

    init(_ values: [SQLiteValue]) {
        rest = values[...]
    }

    var isEmpty: Bool { rest.isEmpty }

    mutating func text() -> String? {
        guard case .text(let text)? = rest.popFirst() else { return nil }
        return text
    }

    mutating func integer() -> Int64? {
        guard case .integer(let integer)? = rest.popFirst() else { return nil }
        return integer
    }

    mutating func blob() -> [UInt8]? {
        guard case .blob(let blob)? = rest.popFirst() else { return nil }
        return blob
    }

    /// Reads the next value if it is bytes, and otherwise leaves it.
    mutating func nextBlob() -> [UInt8]? {
        guard case .blob? = rest.first else { return nil }
        return blob()
    }

    mutating func timestamp() -> Timestamp? { integer().flatMap(Timestamp.init(milliseconds:)) }
}
