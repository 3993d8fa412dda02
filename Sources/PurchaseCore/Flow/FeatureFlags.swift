/// What is switched on. Whoever has no configuration sells nothing.
public struct FeatureFlags: Sendable, Hashable {
    /// Whether anything can be bought. What was bought stays, and is listened for, in any case.
    public var purchasesEnabled: Bool

    /// Takes the switches; all are off unless they are said to be on.
    public init(purchasesEnabled: Bool = false) {
        self.purchasesEnabled = purchasesEnabled
    }
}
