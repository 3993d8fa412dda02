internal import ReceiptTypes
internal import ReceiptVerification

/// The choices of fields by which the page counts results, with the names that `--count-by` takes.
enum ReportGrouping: Int, CaseIterable {
    case outcomes, days, products, storefronts, environments, signers

    var names: [String] {
        switch self {
        case .outcomes: ["verdict", "code", "kind", "revoked"]
        case .days: ["day", "verdict", "revoked"]
        case .products: ["productId", "verdict", "revoked"]
        case .storefronts: ["storefront", "verdict"]
        case .environments: ["environment", "verdict"]
        case .signers:
            [
                "leafSha256", "leafSerialNumber", "leafSubject", "anchorSubject", "anchorBuiltIn",
                "signerNotBefore", "signerNotAfter", "verdict",
            ]
        }
    }
}

/// The counts of one grouping, whose values are read by the names of their fields.
struct CountedResults {
    struct Group {
        fileprivate let values: [String?]
        fileprivate let indices: [String: Int]
        let count: Int

        /// The value of a field; nil if the results do not have it.
        subscript(name: String) -> String? { indices[name].flatMap { values.indices.contains($0) ? values[$0] : nil } }

        func has(_ verdict: Verdict) -> Bool { self["verdict"] == verdict.rawValue }
        var isRevoked: Bool { self["revoked"] == "true" }
    }

    let groups: [Group]
    /// The number of results beyond the groups that are counted.
    let others: Int

    init(_ overview: BatchOverview, _ grouping: ReportGrouping) {
        let counts = overview.counts[grouping.rawValue]
        let indices = Dictionary(uniqueKeysWithValues: counts.names.enumerated().map { ($1, $0) })
        groups = counts.groups.map { Group(values: $0.values, indices: indices, count: $0.count) }
        others = counts.others
    }

    /// Returns the number of the results that a condition chooses.
    func total(where isChosen: (Group) -> Bool = { _ in true }) -> Int {
        groups.reduce(0) { isChosen($1) ? $0 + $1.count : $0 }
    }

    /// Results with an equal value of a field.
    struct Total {
        let value: String?
        var count = 0
        var revokedCount = 0
    }

    /// Returns the numbers of results by a field: the largest first, and equal ones in the order of their values.
    func totals(of name: String, where isChosen: (Group) -> Bool) -> [Total] {
        var totals: [String?: Total] = [:]
        for group in groups where isChosen(group) {
            totals[group[name], default: Total(value: group[name])].count += group.count
            if group.isRevoked { totals[group[name]]?.revokedCount += group.count }
        }
        return totals.values.sorted { left, right in
            left.count != right.count ? left.count > right.count : left.value ?? "" < right.value ?? ""
        }
    }
}
