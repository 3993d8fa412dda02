internal import CommandLineInterface
internal import ReceiptTypes

/// The sums of prices by currency and environment.
struct Revenue {
    /// Amounts of one currency in one environment.
    struct Row {
        let currency: String?
        let environment: String?
        var kept = Sum()
        var revoked = Sum()
    }

    /// The prices of some receipts, with exact decimals.
    struct Sum {
        var count = 0
        /// The sum; nil if it is too large to be represented.
        private(set) var amount: Int64? = 0

        mutating func add(_ price: Int64, times factor: Int64, of receipts: Int) {
            count += receipts
            guard let amount, let number = Int64(exactly: receipts) else { return }
            let (total, isTooLarge) = price.multipliedReportingOverflow(by: factor)
            let (product, isTooLargeAgain) = total.multipliedReportingOverflow(by: number)
            let (sum, isOverflow) = amount.addingReportingOverflow(product)
            self.amount = isTooLarge || isTooLargeAgain || isOverflow ? nil : sum
        }

        func text(_ currency: String?) -> String {
            guard let amount else { return "too large" }
            let text = Milliunits(amount).text(decimals: CurrencyDecimals.count(of: currency))
            let parts = text.split(separator: ".", maxSplits: 1)
            guard let units = parts.first.flatMap({ Int($0) }) else { return text }
            // A sum of less than one unit has its sign only in front of the 0.
            let sign = units == 0 && amount < 0 ? "-" : ""
            return sign + "\(GroupedNumber(units))" + (parts.count == 2 ? ".\(parts[1])" : "")
        }
    }

    /// The rows: real purchases first, and those with more receipts first.
    let rows: [Row]
    /// The receipts whose prices are not added, because a notification repeats that of a transaction.
    private(set) var notificationCount = 0
    /// The receipts whose prices are not added, because a family member has paid.
    private(set) var familyCount = 0
    /// The receipts whose price or quantity is no amount.
    private(set) var unreadableCount = 0

    init(_ prices: CountedResults) {
        var rows: [String: Row] = [:]
        for group in prices.groups where group.has(.verified) {
            guard let price = group["price"] else { continue }
            guard group["kind"] != ReceiptKind.notification.rawValue else {
                notificationCount += group.count
                continue
            }
            guard group["inAppOwnershipType"] != InAppOwnershipType.familyShared.rawValue else {
                familyCount += group.count
                continue
            }
            guard let amount = Self.amount(price), let quantity = group["quantity"].map({ Int64($0) }) ?? 1,
                quantity >= 0
            else {
                unreadableCount += group.count
                continue
            }
            let (currency, environment) = (group["currency"], group["environment"])
            let key = "\(currency ?? "") \(environment ?? "")"
            var row = rows[key] ?? Row(currency: currency, environment: environment)
            if group.isRevoked {
                row.revoked.add(amount, times: quantity, of: group.count)
            } else {
                row.kept.add(amount, times: quantity, of: group.count)
            }
            rows[key] = row
        }
        self.rows = rows.sorted { left, right in
            let (leftReal, rightReal) = (left.value.isReal, right.value.isReal)
            if leftReal != rightReal { return leftReal }
            let (leftCount, rightCount) = (left.value.count, right.value.count)
            return leftCount != rightCount ? leftCount > rightCount : left.key < right.key
        }.map(\.value)
    }

    /// Returns a decimal with at most three decimals in thousandths; nil for any other text.
    static func amount(_ text: String) -> Int64? {
        let isNegative = text.hasPrefix("-")
        let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""
        guard (1...2).contains(parts.count), !parts[0].isEmpty, decimals.count <= 3,
            (parts[0] + decimals).allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        let digits = parts[0] + decimals + String(repeating: "0", count: 3 - decimals.count)
        return Int64((isNegative ? "-" : "") + digits)
    }
}

extension Revenue.Row {
    var count: Int { kept.count + revoked.count }
    /// Whether the purchases are real ones; an unknown environment can be one of them.
    var isReal: Bool { environment.map { $0 == StoreEnvironment.production.rawValue } ?? true }

    /// The part of the amount that is revoked.
    var revokedRatio: Double {
        let (kept, revoked) = (Double(kept.amount ?? 0), Double(revoked.amount ?? 0))
        return kept + revoked > 0 ? revoked / (kept + revoked) : 0
    }
}
