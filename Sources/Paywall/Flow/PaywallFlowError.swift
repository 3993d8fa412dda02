public import ReceiptTypes

/// A call that the present state of the paywall's flow does not allow. Nothing has changed.
public struct PaywallFlowError: CodedError {
    /// The stable reason of the error.
    public struct Code: ErrorCode {
        /// The stable name in kebab case, such as `impossible-transition`.
        public let rawValue: String

        /// Creates a code of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The requested step cannot follow the present one; see ``PaywallFlowState/Step/transitions``.
        public static let impossibleTransition = Self(rawValue: "impossible-transition")
        /// A paywall is open, and only one can be at a time.
        public static let paywallOpen = Self(rawValue: "paywall-open")
        /// A paywall was opened while the start has loaded the configuration, so that session continues.
        public static let startInterrupted = Self(rawValue: "start-interrupted")
        /// The paywall was opened as one that the customer cannot close.
        public static let dismissalNotAllowed = Self(rawValue: "dismissal-not-allowed")
    }

    /// The stable reason.
    public let code: Code
    /// The present step.
    public let from: PaywallFlowState.Step
    /// The requested step.
    public let to: PaywallFlowState.Step

    /// Creates an error.
    public init(_ code: Code, from: PaywallFlowState.Step, to: PaywallFlowState.Step) {
        self.code = code
        self.from = from
        self.to = to
    }

    /// Both steps, in one sentence without a final full stop.
    public var message: String {
        let change = "the paywall flow cannot go from \(from.rawValue) to \(to.rawValue)"
        if code == .paywallOpen { return "\(change) while a paywall is open" }
        if code == .startInterrupted { return "\(change), because a paywall was opened meanwhile" }
        if code == .dismissalNotAllowed { return "\(change), because the paywall does not allow dismissal" }
        let next = PaywallFlowState.Step.transitions[from] ?? []
        let names = PaywallFlowState.Step.allCases.filter(next.contains).map(\.rawValue)
        return "\(change); it can go to \(names.joined(separator: ", "))"
    }
}

extension PaywallFlowError {
    /// Returns whether the codes and both steps are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.from == right.from && left.to == right.to
    }

    /// Feeds the code and both steps into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(from)
        hasher.combine(to)
    }
}
