/// Brings entitlements up to date.
public protocol EntitlementRefreshing: Sendable {
    /// Brings entitlements up to date; it never fails its caller.
    @MainActor func refresh() async
}
