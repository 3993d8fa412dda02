import PurchaseCore
import ReceiptTypes

@testable import ReceiptVerification

/// A clock that a test sets.
final class Clock: Sendable {
    private let time: Locked<Timestamp>

    init(_ time: Timestamp = Sample.at(0)) {
        self.time = Locked(time)
    }

    func set(_ time: Timestamp) { self.time.withLock { $0 = time } }
    func now() -> Timestamp { time.withLock { $0 } }
}
