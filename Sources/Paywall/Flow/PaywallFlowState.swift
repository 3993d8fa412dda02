public import PurchaseCore

/// The place of a customer in the flow that leads to a purchase.
///
/// The state says what is on the screen. How a session has ended is its ``PaywallResult``, which has more endings than
/// there are states.
public enum PaywallFlowState: Sendable, Hashable {
    /// Nothing has begun.
    case idle
    /// The configuration is loaded, and the entitlements and the risk are refreshed.
    case configReady
    /// The onboarding is shown.
    case onboarding
    /// The value of the app is shown.
    case valuePreview
    /// The proof is shown, such as the opinions of customers.
    case proof
    /// A paywall is open.
    case paywall(offer: Offer)
    /// A purchase runs, and the paywall is open below it.
    case purchasing(plan: Plan)
    /// The customer has what the paywall sells.
    case purchased(entitlement: Entitlement)
    /// The session has ended without an access; ``PaywallCoordinator/result`` says why.
    case skipped
    /// A purchase or a restore has failed. The paywall stays open and shows the message.
    case error(message: String)
}

extension PaywallFlowState {
    /// A state without its values, for the table of the transitions and for messages.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        case idle, configReady, onboarding, valuePreview, proof, paywall, purchasing, purchased, skipped, error
    }

    /// The state without its values.
    public var step: Step {
        switch self {
        case .idle: .idle
        case .configReady: .configReady
        case .onboarding: .onboarding
        case .valuePreview: .valuePreview
        case .proof: .proof
        case .paywall: .paywall
        case .purchasing: .purchasing
        case .purchased: .purchased
        case .skipped: .skipped
        case .error: .error
        }
    }
}

extension PaywallFlowState.Step {
    /// The steps that can follow each step. Every other transition is refused.
    ///
    /// - The screens before the paywall come in their order, and an app can leave out any of them.
    /// - A purchase that ends without an access, or that the customer leaves, leads back to the paywall, and to `error`
    ///   if it has failed. Only then can the paywall be closed.
    /// - `skipped` is followed by `purchased` if a purchase is approved after its session.
    /// - After the end of a session, a new one can begin, and a paywall can open again, for example for a feature.
    public static let transitions: [Self: Set<Self>] = [
        .idle: [.configReady],
        .configReady: [.onboarding],
        .onboarding: [.valuePreview, .proof, .paywall, .skipped],
        .valuePreview: [.proof, .paywall, .skipped],
        .proof: [.paywall, .skipped],
        .paywall: [.purchasing, .purchased, .skipped, .error],
        .purchasing: [.paywall, .purchased, .error],
        .purchased: [.configReady, .paywall],
        .skipped: [.configReady, .paywall, .purchased],
        .error: [.paywall, .purchasing, .purchased, .skipped],
    ]

    /// Returns whether another step can follow this one.
    public func canBeFollowed(by next: Self) -> Bool { Self.transitions[self]?.contains(next) ?? false }
}
