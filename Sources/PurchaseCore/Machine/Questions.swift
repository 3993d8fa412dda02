internal import ReceiptTypes

/// The questions to the store about the current entitlements, by their number.
///
/// Answers come in any order. Nothing follows for a purchase from the answer to a question that was asked before the
/// purchase was recorded, and the answer to an earlier question does not replace the one to a later question.
struct Questions: Sendable {
    /// The number of the last question.
    private(set) var last = 0
    /// The last question with an answer.
    private var lastAnswered = 0
    /// The last question before each transaction was recorded in this run, by transaction id.
    private var recordings: [ExactString: Int] = [:]
    /// The last question before each Play subscription was replaced in this run, by transaction id.
    private var replacements: [ExactString: Int] = [:]
    /// The purchases that this service has looked for in the history although the store lists another one of the
    /// product.
    private var sought: Set<ExactString> = []

    /// Begins a question, and returns its number.
    mutating func ask() -> Int {
        last += 1
        return last
    }

    /// Notes that a question is answered completely; returns false if a later one was answered before.
    mutating func noteAnswer(to question: Int) -> Bool {
        guard !isOvertaken(question) else { return false }
        lastAnswered = question
        return true
    }

    /// Returns whether a later question was answered before.
    func isOvertaken(_ question: Int) -> Bool { question < lastAnswered }

    // MARK: Recorded purchases

    /// Notes that a purchase is recorded or announced now.
    mutating func noteRecording(of transactionID: String) { recordings[ExactString(transactionID)] = last }

    /// Returns whether a purchase was recorded before the question was asked, so that the answer may contain it.
    func isCompared(_ transaction: Transaction, in question: Int) -> Bool {
        (recordings[ExactString(transaction.id)] ?? 0) < question
    }

    /// Compares what is recorded with the answer to a question.
    func comparison(
        of recorded: [Transaction], with list: ListedPurchases, _ history: ListedPurchases = ListedPurchases(),
        in question: Int, at now: Timestamp
    ) -> AnswerComparison {
        AnswerComparison(
            compared: recorded.latestVersions().filter { isCompared($0, in: question) }, list: list, history: history,
            now: now)
    }

    /// Returns whether the history is needed: for an absence that the answer would confirm, and once for each purchase
    /// that the list hides.
    ///
    /// - Parameters:
    ///   - known: The absences that are stored.
    ///   - isRestore: Whether the customer has restored purchases, which confirms an absence at once.
    mutating func needHistory(_ comparison: AnswerComparison, _ known: [AbsentPurchase], isRestore: Bool) -> Bool {
        sought.subtract(comparison.list.transactionIDs.map(ExactString.init))
        return !comparison.hidden.allSatisfy { sought.contains(ExactString($0.id)) }
            || comparison.missing.contains { isRestore || known.isConfirmed($0) != true }
    }

    /// Notes that the history was read for what a list hides.
    mutating func noteHistory(for comparison: AnswerComparison) {
        sought.formUnion(comparison.hidden.map { ExactString($0.id) })
    }

    // MARK: Replaced subscriptions

    /// Returns the recorded Play subscriptions that others in the answer to a question replace.
    func replaced(in recorded: [Transaction], by list: ListedPurchases, _ question: Int) -> [Transaction] {
        recorded.latestVersions().replacedPlaySubscriptions {
            !isCompared($0, in: question) || list.mentions($0)
        }
    }

    /// Notes that the store has replaced subscriptions, as the answer to a question shows.
    mutating func noteReplacement(of transactions: [Transaction], in question: Int) {
        for transaction in transactions { replacements[ExactString(transaction.id)] = question }
    }

    /// Returns whether the store has replaced a subscription since it was asked a question.
    ///
    /// A list that it was asked for before does not bring the subscription back.
    func isReplaced(_ transaction: Transaction, since question: Int) -> Bool {
        replacements[ExactString(transaction.id)].map { question <= $0 } ?? false
    }
}
