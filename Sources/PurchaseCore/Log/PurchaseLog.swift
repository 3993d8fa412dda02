/// Takes notes of what happens to purchases.
public protocol PurchaseLog: Sendable {
    /// Takes a note; it must not wait for anything.
    func note(_ event: PurchaseLogEvent)
}

/// Takes no notes.
public struct SilentLog: PurchaseLog {
    /// There is nothing to set up.
    public init() {}

    /// Does nothing.
    public func note(_ event: PurchaseLogEvent) {}
}
