/// What is explored: states and the steps between them.
protocol Model {
    /// The state in which every run begins.
    var initial: PackedState { get }

    /// Appends the steps of a state, always in the same order.
    mutating func appendSteps(of state: PackedState, to steps: inout [Successor])

    /// Returns the invariant that a state breaks; nil if it breaks none.
    func violation(of state: PackedState) -> String?

    /// Whether nothing is left to do in a state.
    func isSettled(_ state: PackedState) -> Bool
}

/// A step from a state.
struct Successor {
    /// The state after the step.
    var state: PackedState
    /// Whether the step happens sooner or later as long as it is possible; a fault or a decision of the customer, such
    /// as a kill, need not happen.
    let isFair: Bool
    /// The invariant that the step itself breaks.
    var violation: String?
}
