internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// A store's no.
struct Refusal {
    let error: LocalStoreError

    init(_ error: LocalStoreError) {
        self.error = error
    }

    /// What would put it right; nil where nothing would.
    private var hint: String? {
        switch error.code {
        case .unknownAccount: "see local-store accounts"
        case .unknownProduct, .unknownOffer: "see local-store products"
        case .unknownTransaction, .unknownPurchase: "see local-store list"
        case .unknownSubscription: "see local-store list subscriptions"
        case .invalidQuantity: "--quantity takes 1 to 10"
        case .tooManyEvents: "advance in smaller steps, or set time-rate=0"
        case .damagedState, .newerState, .unreadableState, .unwritableState, .unusableKeys: "it is named by --store"
        default: nil
        }
    }

    /// Whether a store says no to what could be asked, and not to what makes no sense.
    private var isAnswer: Bool {
        [.ineligibleForOffer, .invalidAction, .tooManyEvents].contains(error.code)
    }

    /// Says what was refused; only an answer of the store is one for a program.
    func report(in session: Session) throws -> ExitCode {
        guard isAnswer else { throw UsageError("\(Escaped(error.message))", hint: hint) }
        if session.writesJSON {
            let object: JSONObject = [
                "type": .string("refusal"), "code": .string(error.code.rawValue), "message": .string(error.message),
            ]
            try session.output.writeLine(object.description)
        }
        session.talk.error(UsageError("refused: \(Escaped(error.message)) (\(error.code))", hint: hint))
        return .refused
    }
}
