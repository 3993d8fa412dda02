public import ReceiptTypes

/// The customer's commitment to pay for all months of a subscription period, one month at a time.
public struct Commitment: Codable, Sendable, Hashable {
    /// The number of the current month, from 1.
    public internal(set) var month: Int
    /// The number of months.
    public let monthCount: Int
    /// The price of all months together.
    public let price: Milliunits
    /// The end of the last month.
    public internal(set) var endDate: Timestamp

    /// The maximum of ``monthCount``, far above that of any real commitment.
    static let maximumCount = 120

    /// Whether the next renewal is another month of this commitment.
    var hasMonthsLeft: Bool { month < monthCount }
    /// Whether an engine can have produced the commitment.
    var isPossible: Bool { (1...Self.maximumCount).contains(monthCount) && (1...monthCount).contains(month) }
}
