public import PurchaseCore

/// The logic of a restore button with its result.
///
/// The waits of the flow below have deadlines, so the state does not stay ``Phase/restoring``.
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
        /// The restore has failed.
        case failed(PurchaseError)
    }

    /// What the screen shows.
    public struct State: Sendable, Hashable {
        /// Before the first restore, and after its result was dismissed.
        public static let idle = State()

        /// What the restore has come to.
        public fileprivate(set) var phase = Phase.idle
        /// What has happened, in the customer's language; empty while nothing has.
        public fileprivate(set) var message = ""
        /// What the customer can do next; empty if there is nothing to do.
        public fileprivate(set) var advice = ""
        /// Whether the screen offers another attempt: the restore has failed, and a later one can succeed.
        public fileprivate(set) var offersRetry = false
        /// Whether the screen offers to contact support: a purchase is rejected, which no attempt changes.
        public fileprivate(set) var offersSupport = false

        /// Whether a restore runs: show progress, and disable the button.
        public var isLoading: Bool { phase == .restoring }
    }

    /// What the screen shows now.
    public private(set) var state = State.idle {
        didSet { if state != oldValue { observers.send(state) } }
    }

    private let flow: OneTimePurchaseFlow
    private let texts: PaywallTexts
    private let observers = Broadcast<State>()

    /// Creates a view model over a purchase flow.
    public init(flow: OneTimePurchaseFlow, texts: PaywallTexts) {
        self.flow = flow
        self.texts = texts
    }

    /// Returns a stream of the state and every change of it; a slow consumer receives only the latest.
    public func updates() -> AsyncStream<State> { observers.stream(from: state) }

    /// Restores the purchases, also as the retry after a failure; does nothing while a restore of this screen runs.
    ///
    /// The store may ask for a password, so call it only after a tap.
    public func restore() async {
        guard !state.isLoading else { return }
        // Set before the first suspension, so that a second tap finds it.
        state = State(phase: .restoring, message: texts.text(RestoreMessage.restoring))
        state = State(await flow.restorePurchases(), texts)
    }

    /// Removes the result of a restore; does nothing while one runs.
    public func dismiss() {
        if !state.isLoading { state = .idle }
    }
}

extension RestoreViewModel.State {
    fileprivate init(_ result: OneTimeRestoreResult, _ texts: PaywallTexts) {
        // What another attempt can restore is not lost, so it is not a matter for support.
        let rejected = result.problems.filter { !$0.isRetryable }
        switch result.outcome {
        case .restored(let count):
            phase = .restored(count)
            message = texts.text(RestoredMessage.restored, count: count)
        case .alreadyRestored:
            phase = .alreadyRestored
            message = texts.text(RestoreMessage.alreadyRestored)
        case .nothingFound:
            phase = .nothingFound
            message = texts.text(RestoreMessage.nothingFound)
            advice = texts.text(RestoreMessage.otherAccount)
        case .failed(let error):
            phase = .failed(error)
            let words = error.userMessage(languages: texts.languages, catalog: texts.catalog)
            message = words.text
            advice = words.advice
            offersRetry = error.isRetryable
            offersSupport = error.flowCode == .verificationFailed
            return
        }
        if !rejected.isEmpty {
            advice = texts.text(RestoredMessage.rejected, count: rejected.count)
            offersSupport = true
        }
    }
}
