/// One thing that goes wrong in a local store: where, when, and how.
public struct Fault: Codable, Sendable, Hashable {
    /// Which of the times that a place is passed.
    public struct Occurrence: Codable, Sendable, Hashable {
        /// The first one, counted from 1.
        public var first: Int
        /// How many from there; nil for all.
        public var count: Int?
        /// In how many cases of a thousand, by the plan's seed.
        public var perMille: Int

        /// Describes occurrences; without arguments, all of them.
        public init(first: Int = 1, count: Int? = nil, perMille: Int = 1000) {
            self.first = first
            self.count = count
            self.perMille = perMille
        }

        /// Every time.
        public static let always = Self()
        /// One time alone, counted from 1.
        public static func nth(_ number: Int) -> Self { Self(first: number, count: 1) }
        /// By chance.
        public static func chance(perMille: Int) -> Self { Self(perMille: perMille) }

        func includes(_ number: Int) -> Bool {
            guard number >= first else { return false }
            // Both are at least 1 here, so that their difference is no overflow.
            guard let count else { return true }
            return first >= 1 ? number - first < count : number <= count
        }
    }

    /// Where.
    public var point: FaultPoint
    /// When.
    public var occurrence: Occurrence
    /// How.
    public var action: FaultAction

    /// Describes a fault.
    public init(at point: FaultPoint, when occurrence: Occurrence = .always, do action: FaultAction) {
        self.point = point
        self.occurrence = occurrence
        self.action = action
    }
}
