internal import PurchaseCore

/// A timer whose time does not pass: a wait ends only when it is cancelled.
///
/// Tests that are not about deadlines or pauses use it, so that they have the same result on a machine of any speed.
package struct StoppedTimer: PurchaseTimer {
    package init() {}

    package func start(milliseconds: Int64) -> Task<Void, Never> {
        Task { for await _ in AsyncStream.makeStream(of: Void.self).stream {} }
    }

    package func uptimeMilliseconds() -> Int64 { 0 }
}
