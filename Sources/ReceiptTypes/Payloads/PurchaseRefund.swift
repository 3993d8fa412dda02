/// What the store has taken back of a purchase, by a refund or by the end of family sharing.
public enum PurchaseRefund: Sendable, Hashable {
    /// Nothing was taken back.
    case none
    /// A part of the price of a consumable was refunded, and items of it remain.
    case part(Part)
    /// Items of an Advanced Commerce purchase were refunded, or parts of them; the other items remain.
    case items([Item])
    /// The complete purchase was taken back: it is revoked.
    case complete

    /// The refund of a part of a consumable.
    public struct Part: Sendable, Hashable {
        /// The refunded share of the price in thousandths of a percent: 50000 is 50 %.
        public let share: Int32
        /// The number of items that were bought.
        public let quantity: Int
        /// The number of items that were not refunded completely, at least one.
        public let remaining: Int

        package init(share: Int32, quantity: Int, remaining: Int) {
            (self.share, self.quantity, self.remaining) = (share, quantity, remaining)
        }

        /// Whether the share is that of a number of complete items, rounded down or to the nearest.
        ///
        /// Otherwise a part of an item was refunded too, so the remaining items do not say what was.
        public var isOfCompleteItems: Bool {
            let (exact, overflow) = (quantity - remaining).multipliedReportingOverflow(by: Int(wholeShare))
            guard !overflow, quantity > 0 else { return false }
            let (down, rest) = exact.quotientAndRemainder(dividingBy: quantity)
            return Int(share) == down || Int(share) == down + 1 && rest >= quantity - rest
        }
    }

    /// A refunded item of an Advanced Commerce purchase.
    public struct Item: Sendable, Hashable {
        /// The number of the item in the purchase, from 1.
        public let number: Int
        /// The ID of the item.
        public let sku: String?
        /// The price of the item.
        public let price: Milliunits?
        /// The sum of the refunds; nil if the payload names no amount.
        public let amount: Milliunits?
        /// Whether nothing of the item remains.
        public let isComplete: Bool
    }

    /// Whether nothing of the purchase remains.
    public var isComplete: Bool { self == .complete }
}

// MARK: - Consumables

extension PurchaseRefund {
    /// The share of a complete refund in thousandths of a percent.
    public static let wholeShare: Int32 = 100_000

    /// Returns the share of a partial refund; nil for a complete one, and for a value that is not a share.
    ///
    /// Only a prorated refund leaves something: a full refund, the end of family sharing and a type that this version
    /// does not know do not, whatever the percentage.
    package static func share(of percentage: Int32?, _ type: RevocationType?) -> Int32? {
        guard type == nil || type == .refundProrated, let percentage, percentage > 0, percentage < wholeShare
        else { return nil }
        return percentage
    }

    /// Returns the number of items that remain of a consumable after the refund of a share of its price.
    ///
    /// Only whole items are refunded: after a refund of half the price, the customer keeps a single item, and three of
    /// five.
    package static func remaining(of quantity: Int, afterRefundOf share: Int32) -> Int {
        // The store rounds the share of a number of items down, so up to a thousandth of a percent an item is missing.
        // Of more than 100,000 items, several numbers have one share: the smallest takes nothing that was not refunded.
        let whole = Int(wholeShare)
        let (exact, overflow) = quantity.multipliedReportingOverflow(by: Int(share))
        let (sum, isTooLarge) = exact.addingReportingOverflow(quantity)
        guard quantity > 0, !overflow, !isTooLarge else { return 0 }
        let smallest = exact / whole + (exact % whole > 0 ? 1 : 0)
        return quantity - min(smallest, (sum - 1) / whole)
    }

    /// Returns the share of a price, rounded to a thousandth of a currency unit, a half away from zero.
    package static func amount(of share: Int32, of price: Milliunits) -> Milliunits {
        let whole = Int64(wholeShare)
        let share = Int64(min(max(share, 0), wholeShare))
        // The quotient and the remainder apart, so that no product overflows.
        let (units, rest) = price.rawValue.quotientAndRemainder(dividingBy: whole)
        let part = rest * share
        let half = part < 0 ? -whole / 2 : whole / 2
        return Milliunits(units * share + (part + half) / whole)
    }
}

// MARK: - Items of Advanced Commerce

extension PurchaseRefund {
    /// Returns the items of which something was refunded.
    ///
    /// An item is refunded in full by a refund of that type, by refunds of at least its price, and if it is revoked
    /// without a refund that says less.
    package static func refundedItems(among items: [AdvancedCommerceTransactionItem]) -> [Item] {
        items.enumerated().compactMap { Item($1, number: $0 + 1) }
    }

    /// Returns what was refunded of a purchase with items.
    fileprivate static func refund(of items: [AdvancedCommerceTransactionItem]) -> PurchaseRefund {
        let refunded = refundedItems(among: items)
        guard !refunded.isEmpty else { return .none }
        return refunded.count == items.count && refunded.allSatisfy(\.isComplete) ? .complete : .items(refunded)
    }
}

extension PurchaseRefund.Item {
    /// Returns nil if nothing of the item was refunded.
    fileprivate init?(_ item: AdvancedCommerceTransactionItem, number: Int) {
        let refunds = item.refunds ?? []
        let isRevoked = item.members["revocationDate"].map { $0 != .null } ?? false
        guard isRevoked || !refunds.isEmpty else { return nil }
        self.number = number
        sku = item.sku
        price = item.price
        let amounts = refunds.compactMap { $0.refundAmount.map { max($0.rawValue, 0) } }
        let sum = amounts.reduce(Int64(0)) { sum, amount in
            let (sum, isTooLarge) = sum.addingReportingOverflow(amount)
            return isTooLarge ? .max : sum
        }
        amount = amounts.isEmpty ? nil : Milliunits(sum)
        let isPaidBack = item.price.map { !amounts.isEmpty && sum >= $0.rawValue } ?? false
        let saysLess =
            refunds.contains { $0.refundType == .prorated || $0.refundType == .custom }
            || !refunds.isEmpty && amounts.count == refunds.count && item.price != nil
        isComplete = refunds.contains { $0.refundType == .full } || isPaidBack || isRevoked && !saysLess
    }
}

// MARK: - Transactions

extension JWSTransactionDecodedPayload {
    /// What the store has taken back of the purchase.
    ///
    /// Only a consumable and the items of an Advanced Commerce purchase are refunded in part. Every other product with
    /// a `revocationDate` is revoked, whatever the percentage: that of a subscription is a share of its time.
    public var refund: PurchaseRefund {
        guard members["revocationDate"].map({ $0 != .null }) ?? false else {
            return PurchaseRefund.refund(of: self.advancedCommerceInfo?.items ?? [])
        }
        guard self.type == .consumable,
            let share = PurchaseRefund.share(of: self.revocationPercentage, self.revocationType)
        else { return .complete }
        let quantity = max(1, Int(self.quantity ?? 1))
        let remaining = PurchaseRefund.remaining(of: quantity, afterRefundOf: share)
        return remaining > 0 ? .part(.init(share: share, quantity: quantity, remaining: remaining)) : .complete
    }

    /// Whether the purchase was refunded in full or is no longer shared with the family; see ``refund``.
    public var isRevoked: Bool { refund.isComplete }

    /// The time at which the purchase was revoked: `revocationDate`, or the last time in the refunds of its items; nil
    /// if it is not revoked.
    public var revokedAt: Timestamp? {
        guard isRevoked else { return nil }
        if let date = self.revocationDate { return date }
        let items = self.advancedCommerceInfo?.items ?? []
        let dates = items.flatMap { item in [item.revocationDate] + (item.refunds ?? []).map(\.refundDate) }
        return dates.compactMap(\.self).max() ?? self.signedDate ?? self.purchaseDate
    }

    /// The refunded part of the price; nil without a price.
    ///
    /// It is the complete price of a revoked purchase, the refunded share of a consumable's price, rounded to a
    /// thousandth of a currency unit, or the sum of the refunds of Advanced Commerce items, at most the price.
    public var refundedAmount: Milliunits? {
        guard let price = self.price else { return nil }
        switch refund {
        case .none: return Milliunits(0)
        case .complete: return price
        case .part(let part): return PurchaseRefund.amount(of: part.share, of: price)
        case .items(let items):
            let amounts = items.map { max(0, ($0.amount ?? ($0.isComplete ? $0.price : nil))?.rawValue ?? 0) }
            let sum = amounts.reduce(Int64(0)) { sum, amount in
                let (sum, isTooLarge) = sum.addingReportingOverflow(amount)
                return isTooLarge ? .max : sum
            }
            return Milliunits(max(0, min(sum, price.rawValue)))
        }
    }
}

// MARK: - Words

extension PurchaseRefund {
    /// The refund in words: `refunded in part: 33.333 %, 2 of 3 remain`, or `refunded in part: 30 %` if that is no
    /// number of complete items.
    ///
    /// - Parameter currency: The code of the currency of the amounts of items, which decides their decimals.
    package func text(currency: String? = nil) -> String {
        switch self {
        case .none: return "not refunded"
        case .complete: return "revoked"
        case .part(let part): return "refunded in part: \(part.text)"
        case .items(let items):
            let listed = items.prefix(Self.listedItems).map { $0.text(currency: currency) }
            let rest = items.count - listed.count
            return "refunded in part: "
                + (listed + (rest > 0 ? ["and \(rest) more items"] : [])).joined(separator: "; ")
        }
    }

    /// The most items that the words name.
    private static let listedItems = 10
}

extension PurchaseRefund.Part {
    fileprivate var text: String {
        let percentage = "\(Milliunits(Int64(share)).text(decimals: 0)) %"
        return percentage + (isOfCompleteItems ? ", \(remaining) of \(quantity) remain" : "")
    }
}

extension PurchaseRefund.Item {
    fileprivate func text(currency: String?) -> String {
        "\(sku.map { "item \($0)" } ?? "item number \(number)"), \(extent(currency: currency))"
    }

    /// Returns how much of the item was refunded, such as `0.50 of 1.00`.
    package func extent(currency: String?) -> String {
        func text(_ amount: Milliunits) -> String { amount.text(decimals: CurrencyDecimals.count(of: currency)) }
        guard !isComplete else { return "all of it" }
        guard let amount else { return "a part of it" }
        return text(amount) + (price.map { " of \(text($0))" } ?? "")
    }
}
