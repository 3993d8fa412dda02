internal import ReceiptTypes

/// The entitlements as screens read and observe them.
///
/// ``EntitlementStore`` provides the customer's entitlements; ``FixedEntitlements`` provides those that a preview or a
/// test sets.
@MainActor
public protocol EntitlementProviding: AnyObject, EntitlementRefreshing {
    /// The entitlements; empty until they are loaded.
    var entitlements: Entitlements { get }
    /// Whether the entitlements are loaded, and whether they are current.
    var freshness: EntitlementFreshness { get }
    /// The number of changes of the app's user so far, which observers compare with the number that they have seen.
    ///
    /// Count a change before its handlers are called, also if nothing was loaded for the former user.
    var userChanges: Int { get }

    /// Restores the customer's purchases and refreshes. Call it only after a tap on a restore button.
    func restore() async throws -> RestoreResult

    /// Returns a stream of the current entitlements and every change of them; a slow consumer receives only the latest.
    func updates() -> AsyncStream<Entitlements>

    /// Returns a stream of the freshness and every change of it; a slow consumer receives only the latest.
    func freshnessUpdates() -> AsyncStream<EntitlementFreshness>

    /// Calls a handler after each refresh and each change, until the returned object is released.
    ///
    /// The handler runs before the call that changes the entitlements returns, so what it copies is never older than
    /// the entitlements, for example after a change of the user. It must be fast and must not change the entitlements.
    func observeChanges(_ handler: @escaping @MainActor () -> Void) -> EntitlementObservation
}

/// Keeps an observer of entitlements registered until it is released.
public final class EntitlementObservation: Sendable {
    private let end: @Sendable () -> Void

    /// Creates an observation with the closure that ends it.
    public init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { end() }
}

extension EntitlementProviding {
    /// Calls a handler for each value of both streams, which is soon after the change and not within it.
    public func observeChanges(_ handler: @escaping @MainActor () -> Void) -> EntitlementObservation {
        let entitlements = updates()
        let freshness = freshnessUpdates()
        let tasks = [
            Task { for await _ in entitlements { handler() } }, Task { for await _ in freshness { handler() } },
        ]
        return EntitlementObservation { for task in tasks { task.cancel() } }
    }

    /// Refreshes, and returns a result without history.
    public func restore() async throws -> RestoreResult {
        await refresh()
        return RestoreResult(history: RestoredHistory(), entitlements: entitlements)
    }
}

extension EntitlementStore: EntitlementProviding {}

/// Entitlements that a preview or a test sets, in place of an ``EntitlementStore``.
///
/// ```swift
/// let entitlements = FixedEntitlements(Entitlements(granting: [.pro]))
/// ```
@MainActor
public final class FixedEntitlements: EntitlementProviding {
    /// The entitlements; setting them notifies every stream.
    public var entitlements: Entitlements {
        didSet {
            changeHandlers.call()
            entitlementObservers.send(entitlements)
        }
    }
    /// Whether the entitlements are loaded, and whether they are current; setting it notifies every stream.
    public var freshness: EntitlementFreshness {
        didSet {
            changeHandlers.call()
            freshnessObservers.send(freshness)
        }
    }
    /// The number of calls to ``changeUser()``.
    public private(set) var userChanges = 0
    /// The number of calls to ``refresh()``.
    public private(set) var refreshCount = 0

    private let entitlementObservers = Broadcast<Entitlements>()
    private let freshnessObservers = Broadcast<EntitlementFreshness>()
    private let changeHandlers = ChangeHandlers()

    /// Creates entitlements; without arguments, a customer that owns nothing.
    public init(_ entitlements: Entitlements = .empty, freshness: EntitlementFreshness = .current) {
        self.entitlements = entitlements
        self.freshness = freshness
    }

    /// Changes the app's user: the entitlements are empty and not loaded until they are set.
    public func changeUser() {
        userChanges += 1
        freshness = .notLoaded
        entitlements = .empty
    }

    /// Counts the call, and changes nothing.
    public func refresh() async { refreshCount += 1 }

    /// Returns a stream of the current entitlements and every change of them.
    public func updates() -> AsyncStream<Entitlements> { entitlementObservers.stream(from: entitlements) }

    /// Returns a stream of the freshness and every change of it.
    public func freshnessUpdates() -> AsyncStream<EntitlementFreshness> { freshnessObservers.stream(from: freshness) }

    /// Calls a handler within each change.
    public func observeChanges(_ handler: @escaping @MainActor () -> Void) -> EntitlementObservation {
        changeHandlers.add(handler)
    }
}

extension Entitlements {
    /// Creates entitlements that are granted for life, each by a purchase of its own, for previews and tests.
    public init(granting granted: Set<Entitlement>) {
        self.init(
            purchases: granted.sorted { "\($0)".precedes("\($1)") }.map { entitlement in
                PurchaseDetails(
                    productID: "\(entitlement)", transactionID: "\(entitlement)", type: .nonConsumable,
                    entitlements: [entitlement], isGranted: true, purchaseDate: .minimum)
            })
    }
}
