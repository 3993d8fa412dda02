internal import ReceiptTypes

/// The reason that a purchased product unlocks nothing.
public enum DenialReason: String, Sendable, Hashable, CaseIterable {
    /// The paid period is over.
    case expired
    /// The paid period is over, and the store is retrying to bill without a grace period, or the grace period has
    /// ended.
    case billingRetry = "billing-retry"
    /// The purchase was refunded or removed from family sharing.
    case revoked
    /// The customer has upgraded to another subscription of the group, or another purchase of Google Play replaces it.
    case upgraded
    /// The catalog has no entry for the product.
    case unknownProduct = "unknown-product"
    /// This version does not know the store's product type.
    case unknownType = "unknown-type"
    /// The store no longer lists the purchase, and the absence is confirmed.
    case notListedByStore = "not-listed-by-store"
    /// Neither the store nor the catalog says when the purchase ends.
    case unknownEnd = "unknown-end"
    /// The store has not answered through so many restarts of the device that the period may be over, although the
    /// clock shows an earlier time; an answer of the store decides.
    case unconfirmed
}

extension Transaction {
    /// Whether a purchase is in force at an instant, with the end or the reason.
    enum Standing: Sendable, Hashable {
        /// The purchase is in force up to and including its end; nil if it has no end of its own.
        case inForce(until: Timestamp?)
        /// The paid period is over, and the store grants a billing grace period.
        case inGracePeriod(until: Timestamp)
        /// The paid period is over, the subscription was set to renew, and the store cannot be reached.
        case inOfflineGrace(until: Timestamp)
        /// The purchase is not in force.
        case denied(DenialReason)

        /// Whether the purchase is in force, in a grace period or not.
        var isInForce: Bool {
            if case .denied = self { false } else { true }
        }

        /// The last instant at which the purchase is in force; nil if it has no end of its own or is not in force.
        private var end: Timestamp? {
            switch self {
            case .inForce(let end): end
            case .inGracePeriod(let end), .inOfflineGrace(let end): end
            case .denied: nil
            }
        }

        /// Returns the standing, denied as unconfirmed if it ends before an instant.
        func confirmed(from earliestEnd: Timestamp?) -> Self {
            guard let earliestEnd, let end, end < earliestEnd else { return self }
            return .denied(.unconfirmed)
        }

        /// Returns the standing of a period; its last instant is included.
        static func period(until end: Timestamp, at now: Timestamp) -> Self {
            now <= end ? .inForce(until: end) : .denied(.expired)
        }
    }

    /// Returns whether the purchase is in force at an instant, and why, as far as the transaction alone shows.
    ///
    /// A non-renewing subscription has no end here, because only the catalog says how long it lasts.
    // Inlined, so that a projection of very many transactions copies none of them.
    @inline(__always)
    func standing(at now: Timestamp) -> Standing {
        if kind == .other { return .denied(.unknownType) }
        if isRevoked { return .denied(.revoked) }
        guard kind == .autoRenewable else { return .inForce(until: nil) }
        if isUpgraded { return .denied(.upgraded) }
        guard let end = expiresDate else { return .denied(.unknownEnd) }
        return .period(until: end, at: now)
    }

    /// Returns whether the purchase is in force at an instant, and why.
    ///
    /// - Parameters:
    ///   - renewal: The latest renewal info of the subscription, if this transaction is its latest period.
    ///   - extraTime: The milliseconds for which a subscription set to renew stays in force after its end while the
    ///     store cannot be reached; zero if it can be reached.
    func standing(at now: Timestamp, renewal: RenewalInfo?, extraTime: Int64 = 0) -> Standing {
        let standing = standing(at: now)
        guard standing == .denied(.expired), let renewal, let end = expiresDate else { return standing }

        if renewal.isInGracePeriod(at: now), let graceEnd = renewal.gracePeriodExpiresDate {
            return .inGracePeriod(until: graceEnd)
        }
        if renewal.isInBillingRetry { return .denied(.billingRetry) }
        // A renewal info that was signed after the end would have mentioned the renewal.
        let offlineEnd = end.adding(milliseconds: max(0, extraTime))
        if renewal.willAutoRenew, renewal.signedDate <= end, now <= offlineEnd {
            return .inOfflineGrace(until: offlineEnd)
        }
        return standing
    }

    /// Returns whether a store lists the transaction as a current entitlement, as far as the transaction alone shows.
    ///
    /// Stores never list consumables.
    ///
    /// - Parameter earliestEnd: The instant before which an end counts as passed; nil if there is none.
    func isCurrentEntitlement(at now: Timestamp, earliestEnd: Timestamp? = nil) -> Bool {
        kind != .consumable && standing(at: now).confirmed(from: earliestEnd).isInForce
    }
}
