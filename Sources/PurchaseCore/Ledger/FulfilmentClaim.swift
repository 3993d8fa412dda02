public import ReceiptTypes

/// The exclusive right of one service to hand a purchase over, for a limited time.
///
/// Two services can share a ledger, for example an app and its extension. The one with the claim calls its fulfiller;
/// the other one leaves the purchase alone. The service renews its claim while the fulfiller carries out the order; a
/// service that is killed keeps its claim only until ``end``.
///
/// No claim is longer than a minute, ``PurchaseService/claimDurationMilliseconds``, also one that was stored with other
/// times, for example by another program: nothing can keep a purchase from being handed over for longer.
public struct FulfilmentClaim: Sendable, Hashable {
    /// The purchase to hand over.
    public let key: PurchaseKey
    /// A number that the ledger gives to one claim only.
    public let number: Int
    /// The time at which the claim was made, by the device's clock.
    public let start: Timestamp
    /// The last instant at which the claim excludes others, by the device's clock; at most a minute after ``start``.
    public let end: Timestamp

    /// Whether an earlier claim of the purchase ended without a release and without a fulfilment.
    ///
    /// The service that had it may have been killed after its fulfiller carried out an order.
    public let followsUnanswered: Bool

    /// The time, in milliseconds, of the longest claim.
    package static let longestMilliseconds: Int64 = 60_000

    /// Creates a claim, which ends a minute after its start at the latest.
    public init(
        key: PurchaseKey, number: Int, start: Timestamp, end: Timestamp, followsUnanswered: Bool = false
    ) {
        self.key = key
        self.number = number
        self.start = start
        self.end = min(end, start.adding(milliseconds: Self.longestMilliseconds))
        self.followsUnanswered = followsUnanswered
    }

    /// What stays of the claim after its release: nil, unless an earlier claim is still unanswered.
    ///
    /// A repeated order that has failed says nothing about the first one. What stays excludes no other claim.
    public var afterRelease: FulfilmentClaim? {
        guard followsUnanswered else { return nil }
        return FulfilmentClaim(key: key, number: number, start: .maximum, end: .minimum, followsUnanswered: true)
    }

    /// Whether the claim was released, so that it can be neither renewed nor fulfilled.
    public var isReleased: Bool { end < start }

    /// Returns the same claim with other times.
    public func renewed(from start: Timestamp, until end: Timestamp) -> FulfilmentClaim {
        FulfilmentClaim(key: key, number: number, start: start, end: end, followsUnanswered: followsUnanswered)
    }

    /// Returns whether the claim excludes others at an instant.
    ///
    /// It also does before its start, up to its own length: another service can have read the clock a moment earlier. A
    /// clock that was set back further ends the claim.
    public func isInForce(at now: Timestamp) -> Bool {
        // Both instants are within ten thousand years, so the difference cannot overflow.
        let length = end.millisecondsSince1970 - start.millisecondsSince1970
        return start.adding(milliseconds: -length) <= now && now <= end
    }
}
