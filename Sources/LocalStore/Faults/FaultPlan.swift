/// The faults to inject into a store simulator; the same plan and the same calls give the same faults.
///
/// ```swift
/// let plan = FaultPlan(
///     seed: 7,
///     faults: [
///         Fault(at: .purchase, when: .nth(1), do: .fail(code: "network")),
///         Fault(at: .delivery, when: .chance(perMille: 100), do: .duplicate(times: 1)),
///     ])
/// ```
public struct FaultPlan: Codable, Sendable, Hashable {
    /// The seed of random occurrences.
    public var seed: UInt64
    /// The faults; where several apply to one visit of a point, the first is used.
    public var faults: [Fault]

    /// The plan without faults.
    public static let none = FaultPlan()

    /// Creates a plan.
    public init(seed: UInt64 = 0, faults: [Fault] = []) {
        self.seed = seed
        self.faults = faults
    }
}

/// A fault of a store simulator: a point, the visits of the point that it applies to, and an action.
public struct Fault: Codable, Sendable, Hashable {
    /// The visits of a point that a fault applies to.
    public struct Occurrence: Codable, Sendable, Hashable {
        /// The first visit, counted from 1.
        public var first: Int
        /// The number of visits; nil for all from the first on.
        public var count: Int?
        /// The probability in thousandths, drawn with the seed of the plan.
        public var perMille: Int

        /// Creates an occurrence; the defaults include every visit.
        public init(first: Int = 1, count: Int? = nil, perMille: Int = 1000) {
            self.first = first
            self.count = count
            self.perMille = perMille
        }

        /// Every visit.
        public static let always = Self()
        /// Returns the occurrence at one visit, counted from 1.
        public static func nth(_ number: Int) -> Self { Self(first: number, count: 1) }
        /// Returns the occurrence at random visits, with a probability in thousandths.
        public static func chance(perMille: Int) -> Self { Self(perMille: perMille) }

        func includes(_ number: Int) -> Bool {
            guard number >= first else { return false }
            guard let count else { return true }
            // `number` is at least 1, so the difference overflows only for a `first` below 1.
            return first >= 1 ? number - first < count : number <= count
        }
    }

    /// The point of the fault.
    public var point: FaultPoint
    /// The visits of the point that the fault applies to.
    public var occurrence: Occurrence
    /// The action at these visits.
    public var action: FaultAction

    /// Creates a fault.
    public init(at point: FaultPoint, when occurrence: Occurrence = .always, do action: FaultAction) {
        self.point = point
        self.occurrence = occurrence
        self.action = action
    }
}

/// A point in a store simulator at which a fault can occur.
public enum FaultPoint: String, Codable, Sendable, Hashable, CaseIterable {
    /// A device loads products.
    case products
    /// A device buys a product.
    case purchase
    /// A device reads the unfinished transactions.
    case unfinishedTransactions
    /// A device reads the current entitlements.
    case currentEntitlements
    /// A device reads the status of subscriptions.
    case subscriptionStatuses
    /// A device reads the transaction history.
    case history
    /// A device finishes a transaction.
    case finish
    /// A device synchronizes with the store.
    case synchronize
    /// The simulator signs a transaction or a renewal info for a device.
    case signing
    /// The simulator delivers an update to a customer's devices.
    case delivery
    /// A step is complete in memory and not saved.
    case beforeSaving
    /// A step is saved, and its updates are not delivered.
    case afterSaving
    /// A step is saved and its updates are delivered, and the caller has no answer.
    case beforeAnswering
}

/// The effect of a fault.
public enum FaultAction: Codable, Sendable, Hashable {
    /// The call fails with the store error of a code, such as `network`, and has no effect.
    case fail(code: String)
    /// The simulated process crashes: everything that was not saved is lost, and every later call fails.
    case crash
    /// The update is lost; an unfinished transaction is delivered again at the next launch.
    case drop
    /// The update is delivered a number of additional times.
    case duplicate(times: Int)
    /// The update is delivered after a number of later ones.
    case holdBack(updates: Int)
    /// The update is delivered when a number of milliseconds has passed on the simulated clock.
    case delay(milliseconds: Int64)
    /// The data is signed under an untrusted root.
    case signUnderUnknownRoot
    /// One bit of the signature is inverted.
    case flipBit
}
