/// An element of a list in a ``SimulatorState``, which keeps its identity when it changes.
protocol StateElement: Codable, Sendable, Hashable {
    associatedtype Identity: Codable, Sendable, Hashable

    /// The value that distinguishes the element from all others of its list.
    var identity: Identity { get }

    /// Returns the position of the element with an identity in a list of a state; nil if there is none.
    static func position(of identity: Identity, in list: [Self]) -> Int?
}

extension StateElement {
    static func position(of identity: Identity, in list: [Self]) -> Int? {
        list.firstIndex { $0.identity == identity }
    }
}

// Elements with numbers are in ascending order in their list.
extension StateElement where Identity == Int64 {
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

extension StoreAccount: StateElement {
    // Names are compared as bytes.
    var identity: [UInt8] { [UInt8](name.utf8) }
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

extension StoreNotification: StateElement {
    var identity: String { id }
}
