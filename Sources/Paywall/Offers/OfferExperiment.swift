internal import ReceiptTypes

/// An experiment that shows different offers to different customers, and none to a holdout group.
///
/// A customer always gets the same answer, on every device and in every version, because it is computed from the ids of
/// the experiment and of the customer alone. Another experiment divides the customers differently.
public struct OfferExperiment: Sendable, Hashable {
    /// One of the offers that are compared.
    public struct Arm: Sendable, Hashable {
        /// The offer.
        public let offerID: OfferID
        /// The share of the customers outside of the holdout group, relative to the weights of the other arms.
        public let weight: Int

        /// Creates an arm; a weight below 0 counts as 0, and one above 1,000,000 as 1,000,000.
        public init(_ offerID: OfferID, weight: Int = 1) {
            self.offerID = offerID
            self.weight = min(max(0, weight), OfferExperiment.maximumWeight)
        }
    }

    /// The group of a customer.
    public enum Group: Sendable, Hashable {
        /// The customer sees no paywall.
        case holdout
        /// The customer sees this offer, unless a rule applies.
        case arm(OfferID)
        /// The customer sees what customers outside of the experiment see, because no arm has a weight.
        case shown

        /// The stable name: `holdout`, the letter of the offer, or `shown`.
        public var name: String {
            switch self {
            case .holdout: "holdout"
            case .arm(let offer): offer.rawValue
            case .shown: "shown"
            }
        }
    }

    /// The largest weight of an arm.
    public static let maximumWeight = 1_000_000

    /// The id, such as `offer-2026-11`.
    public let id: String
    /// The thousandths of the customers that see no paywall, within 0 to 1000.
    public let holdoutPerMille: Int
    /// The offers that are compared; without any, only the holdout group differs.
    public let arms: [Arm]

    /// Creates an experiment.
    public init(id: String, holdoutPerMille: Int = 0, arms: [Arm] = []) {
        self.id = id
        self.holdoutPerMille = min(max(0, holdoutPerMille), 1000)
        self.arms = arms
    }

    /// Returns the group of a customer.
    ///
    /// - Parameter userID: The stable id of the customer. It is used for this computation only.
    public func group(of userID: String) -> Group {
        var numbers = SplitMix64(seed: Self.hash(of: id, userID))
        if numbers.below(1000) < UInt64(holdoutPerMille) { return .holdout }
        // At most a million each, so a sum of arms that fit into memory cannot overflow.
        let total = arms.reduce(UInt64(0)) { $0 + UInt64($1.weight) }
        guard total > 0 else { return .shown }
        var place = numbers.below(total)
        for arm in arms {
            if place < UInt64(arm.weight) { return .arm(arm.offerID) }
            place -= UInt64(arm.weight)
        }
        return .shown
    }

    /// Returns the FNV-1a hash of two texts. Swift's own hashes differ in each run.
    private static func hash(of experiment: String, _ user: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        // No UTF-8 text has the byte 0xff, so two pairs of texts never have the same bytes.
        for byte in Array(experiment.utf8) + [0xff] + Array(user.utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        return hash
    }
}
