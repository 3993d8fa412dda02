internal import PurchaseCore

/// The sheet in which the customer confirms a purchase, as a store shows it.
@MainActor
final class PaymentSheet: PurchaseConfirming {
    /// What the customer is asked about; nil while nothing is asked.
    private(set) var proposal: PurchaseProposal? {
        didSet { changed() }
    }
    private let changed: @MainActor () -> Void
    private var answers: AsyncStream<Bool>.Continuation?

    /// - Parameter changed: Called when the sheet appears and when it disappears.
    init(changed: @escaping @MainActor () -> Void) {
        self.changed = changed
    }

    func confirm(_ proposal: PurchaseProposal) async -> Bool {
        answer(false)
        let (stream, continuation) = AsyncStream<Bool>.makeStream()
        answers = continuation
        self.proposal = proposal
        var isConfirmed = false
        // The stream also ends when the flow no longer waits and cancels its task.
        for await answer in stream {
            isConfirmed = answer
            break
        }
        self.proposal = nil
        return isConfirmed
    }

    /// Takes the customer's answer; does nothing while nothing is asked.
    func answer(_ isConfirmed: Bool) {
        answers?.yield(isConfirmed)
        answers?.finish()
        answers = nil
    }
}
