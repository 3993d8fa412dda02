import LocalStore
import PurchaseCore
import ReceiptTypes

@testable import example_app

/// The account of the fulfiller: what each purchase has been credited, which outlives the app.
final class CreditLedger: Sendable {
    private let state = Locked<[(id: String, account: UUIDText?, quantity: Int)]>([])

    /// All orders in their sequence.
    var orders: [(id: String, account: UUIDText?, quantity: Int)] { state.withLock { $0 } }
    /// The quantity after the last order of each transaction.
    var credited: [String: Int] { orders.reduce(into: [:]) { $0[$1.id] = $1.quantity } }

    func enter(_ order: FulfilmentOrder) {
        state.withLock { $0.append((order.transaction.id, order.account, order.quantity)) }
    }
}

/// The fulfiller of one launch.
struct LedgerFulfiller: PurchaseFulfilling {
    let ledger: CreditLedger
    let kill: KillSwitch

    func fulfil(_ order: FulfilmentOrder) async throws {
        try await kill.around("fulfil", orThrow: Killed() as any Error) { () async throws in ledger.enter(order) }
    }
}

/// The app's own server. It notes what reaches it, and fails as the history says.
final class HistoryServer: SyncTransport {
    enum Mode: CaseIterable, Sendable {
        case working, unreachable, unavailable, answerLost
    }

    private struct State {
        var mode = Mode.working
        /// The users for whom the app may send.
        var users: Set<UUIDText> = []
        var received: [String: Purchase] = [:]
        var strangers: [Purchase] = []
    }

    private let state = Locked(State())

    var mode: Mode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }
    /// The last version of each purchase that has arrived.
    var received: [String: Purchase] { state.withLock { $0.received } }
    /// The purchases of users that were not signed in.
    var strangers: [Purchase] { state.withLock { $0.strangers } }

    func expect(_ users: Set<UUIDText>) { state.withLock { $0.users = users } }

    func send(_ submission: PurchaseSubmission) async throws(SyncError) {
        let mode = state.withLock { state -> Mode in
            let purchase = submission.purchase
            if purchase.user.map({ !state.users.contains($0) }) ?? true { state.strangers.append(purchase) }
            if state.mode == .working || state.mode == .answerLost {
                state.received[purchase.id.transactionID] = purchase
            }
            return state.mode
        }
        switch mode {
        case .working: return
        case .unreachable: throw SyncError(.unreachable, "no connection")
        // It asks for no pause, which would not end: the timer of a history stands still.
        case .unavailable: throw SyncError(.unavailable, "closed")
        case .answerLost: throw SyncError(.timedOut, "the answer was lost")
        }
    }
}
