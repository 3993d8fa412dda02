/// An element of a list in a ``SimulatorState``, which keeps its number when it changes. Lists are in ascending order.
protocol StateElement: Codable, Sendable, Hashable {
    /// The number that distinguishes the element from all others of its list.
    var identity: Int64 { get }
}

extension StateElement {
    /// Returns the position of the element with a number in a list; nil if there is none.
    static func position(of identity: Int64, in list: [Self]) -> Int? {
        let position = insertionPosition(of: identity, in: list)
        return position < list.endIndex && list[position].identity == identity ? position : nil
    }

    /// Returns the position of the first element whose number is not below a number.
    static func insertionPosition(of identity: Int64, in list: [Self]) -> Int {
        var range = list.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = list[middle].identity < identity ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

extension StoredTransaction: StateElement {
    var identity: Int64 { number }
}

extension StoredSubscription: StateElement {
    var identity: Int64 { originalNumber }
}

extension PendingOrder: StateElement {
    var identity: Int64 { number }
}
