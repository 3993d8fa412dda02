/// The limits of purchases and restores, and the lock of a recovery: steps of every purchase of a ``PurchaseService``.
///
/// So a screen that calls in a loop, or a script, cannot keep opening the store's sheets, whichever way to buy it
/// takes. What is refused has not reached the store.
///
/// ```swift
/// let service = PurchaseService(
///     store: store, ledger: ledger, verifier: verifier, pacing: PurchasePacing(recovery: recoveryLock))
/// ```
public struct PurchasePacing: Sendable {
    /// The limiter of purchases. What is answered without asking the store to sell does not count.
    public let purchases: RateLimiter
    /// The limiter of restores. A restore for which the store could not be reached does not count.
    public let restores: RateLimiter
    /// The lock that a recovery holds.
    public let recovery: RecoveryLock

    /// Ten purchases a minute.
    public static let defaultPurchaseLimit = RateLimit(count: 10, perMilliseconds: 60_000)
    /// Five restores a minute.
    public static let defaultRestoreLimit = RateLimit(count: 5, perMilliseconds: 60_000)

    /// Creates limits and a lock.
    public init(
        purchases: RateLimiter = RateLimiter(defaultPurchaseLimit),
        restores: RateLimiter = RateLimiter(defaultRestoreLimit),
        recovery: RecoveryLock = RecoveryLock()
    ) {
        self.purchases = purchases
        self.restores = restores
        self.recovery = recovery
    }
}
