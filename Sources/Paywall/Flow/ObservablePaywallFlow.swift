public import Observation

/// The flow to a paywall for SwiftUI, and for everything else that uses Observation.
///
/// Unlike an ``ObservableScreen``, it also has the result, which can change while the state stays.
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor
@Observable
public final class ObservablePaywallFlow {
    /// The state, which says what is on the screen.
    public private(set) var state: PaywallFlowState
    /// How the session has ended; nil while it runs.
    public private(set) var result: PaywallResult?
    /// The coordinator, for the customer's way.
    @ObservationIgnored public let coordinator: PaywallCoordinator

    /// Creates a model with the current state. It does not change until ``follow()`` is called.
    public init(_ coordinator: PaywallCoordinator) {
        self.coordinator = coordinator
        state = coordinator.state
        result = coordinator.result
    }

    /// Takes over every change, until the calling task is cancelled.
    public func follow() async {
        for await state in coordinator.updates() {
            if self.state != state { self.state = state }
            if result != coordinator.result { result = coordinator.result }
        }
    }
}
