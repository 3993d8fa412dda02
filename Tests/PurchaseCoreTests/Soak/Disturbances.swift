import PurchaseCore
import ReceiptTypes

@testable import ReceiptVerification

/// The calls from a service to the app's parts that can hang or fail.
enum DisturbedCall: CaseIterable {
    case products, purchase, unfinished, entitlements, statuses, history, finish, synchronize, fulfil, verify, ledger

    /// The time in milliseconds that a service waits for the call.
    var deadline: Int64 {
        let deadlines = PurchaseDeadlines()
        return switch self {
        case .purchase: deadlines.purchaseMilliseconds
        case .synchronize: deadlines.synchronizationMilliseconds
        case .fulfil: deadlines.fulfilmentMilliseconds
        case .verify: deadlines.verificationMilliseconds
        case .ledger: deadlines.ledgerMilliseconds
        default: deadlines.queryMilliseconds
        }
    }

    /// Whether a service cancels the call as soon as its deadline has passed.
    ///
    /// It never cancels a purchase, for which the customer can have paid, nor a question whose late answer counts. Its
    /// wait for a fulfiller can begin a moment after the call.
    var isCancelledAtDeadline: Bool {
        switch self {
        case .products, .finish, .verify, .ledger: true
        case .purchase, .fulfil, .unfinished, .entitlements, .statuses, .history, .synchronize: false
        }
    }
}

/// A call that hangs.
final class HangingCall: Sendable {
    let call: DisturbedCall
    private let ended = Locked(false)

    init(_ call: DisturbedCall) {
        self.call = call
    }

    /// Whether the call was cancelled, or hangs no more.
    var hasEnded: Bool { ended.withLock { $0 } }

    func end() { ended.withLock { $0 = true } }
}

/// Makes single calls hang or fail, and keeps those that hang.
final class Disturbances: Sendable {
    enum Kind: CaseIterable {
        /// The call fails without an effect.
        case fails
        /// The call has its effect, and its answer is an error.
        case failsAfterEffect
        /// The call never has an effect or an answer.
        case losesRequest
        /// The call has its effect and is never answered.
        case losesAnswer
        /// The call has its effect, and is answered after its deadline.
        case answersLate
        /// The call has its effect and its answer after its deadline.
        case beginsLate

        /// The kinds that a call can have: what a fulfiller or a ledger throws must not have had an effect.
        static func possible(for call: DisturbedCall) -> [Kind] {
            switch call {
            case .fulfil: [.fails, .losesRequest, .answersLate, .beginsLate]
            case .ledger: allCases.filter { $0 != .failsAfterEffect }
            default: allCases
            }
        }
    }

    private struct State {
        var armed: [DisturbedCall: Kind] = [:]
        var counts: [DisturbedCall: Int] = [:]
        /// The calls that hang since the last question.
        var arrivals: [HangingCall] = []
        var late: [Gate] = []
        var lost: [Gate] = []
        var hasEnded = false
    }

    private let state = Locked(State())

    /// Disturbs the next call of a kind.
    func arm(_ call: DisturbedCall, _ kind: Kind) { state.withLock { $0.armed[call] = kind } }

    /// The number of calls of a kind that were disturbed.
    func count(of call: DisturbedCall) -> Int { state.withLock { $0.counts[call, default: 0] } }

    /// Returns a call that has begun to hang; nil if there is none.
    func nextArrival() -> HangingCall? { state.withLock { $0.arrivals.isEmpty ? nil : $0.arrivals.removeFirst() } }

    /// Lets the calls go on that are answered late.
    func release() async {
        let gates = state.withLock { state in
            defer { state.late = [] }
            return state.late
        }
        for gate in gates { await gate.open() }
    }

    /// Lets every call go on, and disturbs none from here on.
    func end() async {
        let gates = state.withLock { state in
            defer { (state.late, state.lost, state.armed, state.hasEnded) = ([], [], [:], true) }
            return state.late + state.lost
        }
        for gate in gates { await gate.open() }
    }

    /// Makes a call, which hangs or fails if it is the one to disturb.
    func call<Value, Failure: Error>(
        _ call: DisturbedCall, orThrow failure: Failure, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let kind = state.withLock { state in
            let kind = state.armed.removeValue(forKey: call)
            if kind != nil { state.counts[call, default: 0] += 1 }
            return kind
        }
        switch kind {
        case nil: return try await body()
        case .fails: throw failure
        case .failsAfterEffect:
            _ = try await body()
            throw failure
        case .losesRequest:
            await hang(call, \.lost)
            throw failure
        case .losesAnswer:
            _ = try await body()
            await hang(call, \.lost)
            throw failure
        case .answersLate:
            let answer = try await body()
            await hang(call, \.late)
            return answer
        case .beginsLate:
            await hang(call, \.late)
            return try await body()
        }
    }

    private func hang(_ call: DisturbedCall, _ gates: any WritableKeyPath<State, [Gate]> & Sendable) async {
        let gate = Gate()
        let hanging = HangingCall(call)
        let hasEnded = state.withLock { state in
            if state.hasEnded { return true }
            state[keyPath: gates].append(gate)
            state.arrivals.append(hanging)
            return false
        }
        if hasEnded { return }
        await withTaskCancellationHandler {
            await gate.pass()
        } onCancel: {
            hanging.end()
        }
        hanging.end()
    }
}
