internal import PurchaseCore

/// The sheet in which the customer confirms a purchase, as a store shows it.
@MainActor
final class PaymentSheet: PurchaseConfirming {
    /// A purchase that the customer is asked about, with a number that no other one has.
    struct Question {
        let number: Int
        let proposal: PurchaseProposal
        /// Whether the customer gets the introductory offer of a product that no open paywall sells.
        let trial: TrialEligibility
    }

    /// What the customer is asked; nil while nothing is asked.
    private(set) var question: Question? {
        didSet { changed() }
    }
    private var lastNumber = 0
    /// Asks whether the customer gets the introductory offer of a product.
    var trial: @MainActor (Product) async -> TrialEligibility = { _ in .unknown }
    private let changed: @MainActor () -> Void
    private var answers: AsyncStream<Bool>.Continuation?

    /// - Parameter changed: Called when the sheet appears and when it disappears.
    init(changed: @escaping @MainActor () -> Void) {
        self.changed = changed
    }

    func confirm(_ proposal: PurchaseProposal) async -> Bool {
        cancel()
        var eligibility = TrialEligibility.unknown
        if let product = proposal.item?.product { eligibility = await trial(product) }
        let (stream, continuation) = AsyncStream<Bool>.makeStream()
        answers = continuation
        lastNumber += 1
        question = Question(number: lastNumber, proposal: proposal, trial: eligibility)
        var isConfirmed = false
        // The stream also ends when the flow no longer waits and cancels its task.
        for await answer in stream {
            isConfirmed = answer
            break
        }
        question = nil
        return isConfirmed
    }

    /// Takes the customer's answer to a question; does nothing if that question is not asked, so that a late press of a
    /// button confirms no other purchase.
    func answer(_ isConfirmed: Bool, to number: String) {
        guard let question, number == "\(question.number)" else { return }
        end(isConfirmed)
    }

    /// Declines what is asked.
    func cancel() { end(false) }

    private func end(_ isConfirmed: Bool) {
        answers?.yield(isConfirmed)
        answers?.finish()
        answers = nil
    }
}
