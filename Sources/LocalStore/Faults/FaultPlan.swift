/// What goes wrong in a local store, as data: with the same plan and the same calls, the same goes wrong.
///
/// ```swift
/// let plan = FaultPlan(seed: 7, faults: [
///     Fault(at: .purchase, when: .nth(1), do: .fail(code: "network")),
///     Fault(at: .delivery, when: .chance(perMille: 100), do: .duplicate(times: 1)),
/// ])
/// ```
public struct FaultPlan: Codable, Sendable, Hashable {
    /// What chances are made of.
    public var seed: UInt64
    /// The faults; where several apply, the first does.
    public var faults: [Fault]

    /// Nothing goes wrong.
    public static let none = FaultPlan()

    /// Makes a plan.
    public init(seed: UInt64 = 0, faults: [Fault] = []) {
        self.seed = seed
        self.faults = faults
    }
}
