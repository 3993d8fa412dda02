public import Observation

/// The logic of a screen: a state, and a stream of its changes for every system.
///
/// ``ObservableScreen`` makes a model observable by SwiftUI; <doc:ScreensInSwiftUI> has an example.
@MainActor
public protocol ScreenModel: AnyObject, Identifiable {
    /// What the screen shows.
    associatedtype State: Sendable & Hashable

    /// What the screen shows now.
    var state: State { get }

    /// Returns a stream of the current state and every change of it; a slow consumer receives only the latest.
    func updates() -> AsyncStream<State>
}

/// The state of a ``ScreenModel`` for SwiftUI, and for everything else that uses Observation.
///
/// ```swift
/// let screen = ObservableScreen(history)
/// let following = Task { await screen.follow() }  // in SwiftUI: .task { await screen.follow() }
/// ```
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor
@Observable
public final class ObservableScreen<Model: ScreenModel> {
    /// What the screen shows.
    public private(set) var state: Model.State
    /// The model, for its methods.
    @ObservationIgnored public let model: Model

    /// Creates an observable screen with the current state. It does not change until ``follow()`` is called.
    public init(_ model: Model) {
        self.model = model
        state = model.state
    }

    /// Takes over every change, until the calling task is cancelled.
    public func follow() async {
        for await state in model.updates() where self.state != state { self.state = state }
    }
}
