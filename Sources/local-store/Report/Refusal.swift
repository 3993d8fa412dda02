internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes

/// A store's no.
struct Refusal {
    private let code: String
    private let message: String
    /// What would put it right; nil where nothing would.
    private let hint: String?
    /// Whether a store says no to what could be asked, and not to what makes no sense.
    private let isAnswer: Bool

    init(_ error: LocalStoreError) {
        (code, message, hint) = (error.code.rawValue, error.message, Self.hint(for: error.code))
        isAnswer = [.ineligibleForOffer, .invalidAction, .tooManyEvents].contains(error.code)
    }

    init(_ error: StoreError) {
        (code, message, hint, isAnswer) = (error.code.rawValue, error.message, nil, true)
    }

    private static func hint(for code: LocalStoreError.Code) -> String? {
        switch code {
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

    /// Says what was refused; only an answer of the store is one for a program.
    func report(in session: Session) throws -> ExitCode {
        guard isAnswer else { throw UsageError("\(Escaped(message))", hint: hint) }
        if session.writesJSON {
            let object: JSONObject = [
                "type": .string("refusal"), "code": .string(code), "message": .string(message),
            ]
            try session.output.writeLine(object.description)
        }
        session.messages.error(UsageError("refused: \(Escaped(message)) (\(Escaped(code)))", hint: hint))
        return .negative
    }
}
