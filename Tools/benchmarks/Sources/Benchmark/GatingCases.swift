import CMeasurement
import PurchaseCore

/// The answers of the gate, compared with lookups in a dictionary.
struct GatingCases {
    let rounds: Int

    private static let repetitions = 2_000

    /// Measures an answer of the gate in lookups, and counts its allocations.
    @MainActor
    func answers() throws -> [Figure] {
        let features = (0..<100).map { number in
            FeatureDefinition(
                id: FeatureID(rawValue: "feature.\(number)"), name: "\(number)", level: .premium,
                productIDs: ["product.\(number)"])
        }
        let catalog = TemplatePriceCatalog(version: 1, proProductIDs: [], features: try FeatureCatalog(features))
        let ids = features.map(\.id)
        let halves = ids.indices.filter { $0.isMultiple(of: 2) }.map { Entitlement.feature(ids[$0]) }
        let entitlements = FixedEntitlements(Entitlements(granting: Set(halves)))
        let gating = FeatureGatingService(entitlements: entitlements, catalog: catalog)
        let dictionary = Dictionary(uniqueKeysWithValues: ids.map { ($0.rawValue, $0.rawValue.count) })
        func answer() -> Int {
            var granted = 0
            for _ in 0..<Self.repetitions { for id in ids where gating.canAccessSync(id) { granted += 1 } }
            return granted
        }
        func lookUp() -> Int {
            var sum = 0
            for _ in 0..<Self.repetitions { for id in ids { sum += dictionary[id.rawValue] ?? 0 } }
            return sum
        }
        guard answer() == Self.repetitions * ids.count / 2 else { throw Failure("the gate has answered wrongly") }
        var sums = 0
        let ratios = (0..<rounds).map { _ in
            let before = Elapsed.measure { sums += lookUp() }
            let time = Elapsed.measure { sums += answer() }
            return Ratio(processorOf: time, to: .mean(before, Elapsed.measure { sums += lookUp() }))
        }
        guard sums > 0 else { throw Failure("nothing was looked up") }
        var figures = [
            Figure("gating-access", "processor time of canAccessSync, in dictionary lookups", ratios, better: .lower)
        ]
        if let count = try allocations({ _ = answer() }) {
            let perAnswer = Double(count) / Double(Self.repetitions * ids.count)
            figures.append(
                Figure("gating-allocations", "allocations of one canAccessSync", [Ratio(perAnswer)], better: .lower))
        }
        return figures
    }

    /// Returns the number of allocations of some work; nil if the system does not count them.
    private func allocations(_ work: () -> Void) throws -> Int? {
        let start = allocation_count()
        guard start >= 0 else { return nil }
        let control = [UInt8](repeating: 1, count: rounds + 100)
        let before = allocation_count()
        guard before > start, control.count > rounds else { throw Failure("allocations are not counted") }
        work()
        return allocation_count() - before
    }
}
