public import PurchaseCore
public import ReceiptTypes

/// How likely a customer is to leave, or to ask for the money back, as the app's server or model estimates it.
public enum RiskLevel: String, Sendable, Hashable, CaseIterable {
    /// The customer is likely to stay.
    case low
    /// Neither is likely.
    case medium
    /// The customer is likely to leave.
    case high
}

/// The latest known risk of a customer.
public struct RiskSnapshot: Sendable, Hashable {
    /// No risk is known.
    public static let unknown = RiskSnapshot(level: nil, asOf: nil)

    /// The level; nil if it is not known.
    public let level: RiskLevel?
    /// The time by the device's clock at which the source has answered.
    public let asOf: Timestamp?

    /// Creates a snapshot.
    public init(level: RiskLevel?, asOf: Timestamp? = nil) {
        self.level = level
        self.asOf = asOf
    }
}

/// The port to the estimate of a customer's risk.
public protocol RiskSource: Sendable {
    /// Returns the level of the present user; nil if there is no estimate.
    func riskLevel() async throws -> RiskLevel?
}

/// The risk of the present user, of which the last answer stays if a later refresh fails.
@MainActor
public final class RiskStore {
    /// The latest known risk.
    public private(set) var snapshot: RiskSnapshot = .unknown

    private let source: (any RiskSource)?
    private let deadline: Int64
    private let log: any PurchaseLog
    private let timer: any PurchaseTimer
    private let clock: @Sendable () -> Timestamp
    /// The number of times that the risk was forgotten; an answer that was asked for before is of another user.
    private var generation = 0

    /// Creates a store that knows nothing yet; without a source, it never does.
    ///
    /// - Parameters:
    ///   - source: The source of the estimate.
    ///   - deadline: The milliseconds within which the source has to answer.
    ///   - log: Receives an event for each failure.
    ///   - timer: Measures the deadline.
    ///   - clock: The device's clock.
    public nonisolated init(
        source: (any RiskSource)? = nil, deadline: Int64 = 10_000, log: any PurchaseLog = SilentLog(),
        timer: any PurchaseTimer = SystemTimer(),
        clock: @escaping @Sendable () -> Timestamp = PurchaseEnvironment.deviceTime
    ) {
        self.source = source
        self.deadline = deadline
        self.log = log
        self.timer = timer
        self.clock = clock
    }

    /// Asks the source, and returns the latest known risk; a failure is logged and changes nothing.
    @discardableResult
    public func refresh() async -> RiskSnapshot {
        guard let source else { return snapshot }
        let generation = generation
        let answer = await timer.result(within: deadline) { try await source.riskLevel() }
        guard generation == self.generation else { return snapshot }
        switch answer {
        case .success(let level)?: snapshot = RiskSnapshot(level: level, asOf: clock())
        case .failure(let error)?: log.log(PurchaseLogEvent(.riskRefreshFailed, detail: "\(error)"))
        case nil:
            log.log(PurchaseLogEvent(.riskRefreshFailed, detail: "no answer within \(deadline) ms"))
        }
        return snapshot
    }

    /// Forgets the risk, because another user has signed in.
    public func removeSnapshot() {
        generation += 1
        snapshot = .unknown
    }
}
