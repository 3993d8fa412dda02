public import PurchaseCore

/// The logic of a restore button with its result, on a screen of its own and within a ``PaywallViewModel``.
///
/// A restore ends after a deadline at the latest, so the state does not stay ``Phase/restoring``.
///
/// <doc:ShowingPurchases> has an example.
@MainActor
public final class RestoreViewModel: ScreenModel {
    /// What a restore has come to.
    public enum Phase: Sendable, Hashable {
        /// No restore was started, or its result was dismissed.
        case idle
        /// The store is asked, and its answer is verified and recorded.
        case restoring
        /// The number of purchases that are back.
        case restored(Int)
        /// The customer has purchases, and all were recorded before.
        case alreadyRestored
        /// The customer has no purchase, which is not an error.
        case nothingFound
        /// The restore has failed. ``State/report`` tells a failure from a restore that the customer has cancelled.
        case failed(PurchaseError)
    }

    /// What the screen shows.
    public struct State: Sendable, Hashable {
        /// Before the first restore, and after its result was dismissed.
        public static let idle = State()

        /// What the restore has come to.
        public fileprivate(set) var phase = Phase.idle
        /// The result as a paywall shows it; nil while there is none.
        public fileprivate(set) var report: PaywallMessage?
        /// What has happened, in the customer's language; empty while nothing has.
        public fileprivate(set) var message = ""
        /// What the customer can do next; empty if there is nothing to do.
        public fileprivate(set) var advice = ""

        /// Whether the screen offers another attempt, which can restore what is missing.
        public var offersRetry: Bool { report?.action == .restoreAgain }
        /// Whether the screen offers to contact support, because no attempt can restore what is missing.
        public var offersSupport: Bool { report?.action == .contactSupport }
        /// Whether a restore runs: show progress, and disable the button.
        public var isLoading: Bool { phase == .restoring }
    }

    /// What the screen shows now.
    public private(set) var state = State.idle {
        didSet { if state != oldValue { observers.send(state) } }
    }

    private let purchase: any PurchaseManager
    private let texts: PaywallTexts
    private let exportLog: SupportLogExport?
    private let timer: any PurchaseTimer
    /// What the last restore could not restore.
    private(set) var failures: [PurchaseError] = []
    private let observers = Broadcast<State>()

    /// The longest restore in milliseconds: ten minutes for the customer's password, and one for everything else.
    static let deadline: Int64 = 660_000

    /// Creates a view model over the code that restores; `OneTimePurchaseManager(flow)` is the one of a purchase flow.
    ///
    /// - Parameters:
    ///   - purchase: Restores.
    ///   - texts: Writes the texts.
    ///   - exportLog: Returns the log for support with some facts added, for example from `LogStorage.exportedLog`.
    ///   - timer: Measures the deadline.
    public init(
        purchase: any PurchaseManager, texts: PaywallTexts, exportLog: SupportLogExport? = nil,
        timer: any PurchaseTimer = SystemTimer()
    ) {
        self.purchase = purchase
        self.texts = texts
        self.exportLog = exportLog
        self.timer = timer
    }

    /// Returns a stream of the state and every change of it; a slow consumer receives only the latest.
    public func updates() -> AsyncStream<State> { observers.stream(from: state) }

    /// Restores the purchases, also as the retry after a failure.
    ///
    /// The store may ask for a password, so call it only after a tap.
    ///
    /// - Returns: The result; nil if nothing was done, because a restore of this model runs.
    @discardableResult
    public func restore() async -> OneTimeRestoreResult? {
        guard !state.isLoading else { return nil }
        // Set before the first suspension, so that a second tap finds it.
        state = State(phase: .restoring, message: texts.text(RestoreMessage.restoring))
        let result =
            await timer.answer(within: Self.deadline, isCancellable: false) { [purchase] in await purchase.restore() }
            ?? OneTimeRestoreResult(
                outcome: .failed(PurchaseError(StoreError(.timedOut, "the restore has not ended within its deadline"))))
        failures = result.problems
        if case .failed(let error) = result.outcome, failures.isEmpty { failures = [error] }
        state = State(result, texts)
        return result
    }

    /// Returns the log for support, with the products and the codes of what the last restore could not restore.
    ///
    /// - Returns: nil if there is no export.
    /// - Throws: Any error of the export.
    public func supportLog() async throws -> [UInt8]? { try await exportLog?(failures.supportFacts) }

    /// Removes the result of a restore; does nothing while one runs.
    public func dismiss() {
        if !state.isLoading { state = .idle }
    }
}

extension RestoreViewModel.State {
    fileprivate init(_ result: OneTimeRestoreResult, _ texts: PaywallTexts) {
        let report = PaywallMessage(result)
        let words = report.userMessage(texts)
        self.report = report
        message = words.text
        advice = words.advice
        phase =
            switch result.outcome {
            case .restored(let count): .restored(count)
            case .alreadyRestored: .alreadyRestored
            case .nothingFound: .nothingFound
            case .failed(let error): .failed(error)
            }
    }
}
