/// How far entitlements can be relied on.
public enum EntitlementFreshness: Sendable, Hashable {
    /// Nothing was loaded yet: what is not granted may well have been bought.
    case notLoaded
    /// The store has been asked.
    case current
    /// The store could not be asked; this is what is remembered.
    case remembered
}
