internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes

/// Reports an error of the store: a rejected request or a failed call with exit code 1, other errors as usage errors.
struct StoreErrorReport {
    private let code: String
    private let message: String
    private let hint: String?
    /// What the store did to the request, such as `rejected`; nil if the request itself cannot be used.
    private let outcome: String?

    /// - Parameter store: The flag of the store as it was given.
    init(_ error: StoreSimulatorError, store: String) {
        (code, message, hint) = (error.code.rawValue, error.message, Self.hint(for: error.code, store: store))
        let isRejection = [.ineligibleForOffer, .invalidAction, .tooManyEvents].contains(error.code)
        outcome = isRejection ? "rejected" : nil
    }

    init(_ error: StoreError) {
        (code, message, outcome) = (error.code.rawValue, error.message, "the store call failed")
        // Google Play sells a consumable again when it is consumed.
        hint = error.code == .alreadyOwned ? "consume it with local-store finish PRODUCT" : nil
    }

    private static func hint(for code: StoreSimulatorError.Code, store: String) -> String? {
        switch code {
        case .unknownAccount: "list the customers with local-store accounts"
        case .unknownProduct: "list the products with local-store products"
        case .unknownBillingPlan: "list the products and their billing plans with local-store products"
        case .unknownOffer: "list the products and their offers with local-store products"
        case .unknownTransaction, .unknownPurchase: "see local-store list"
        case .unknownSubscription: "see local-store list subscriptions"
        case .invalidQuantity: "give --quantity a number from 1 to 10"
        case .notSoldInQuantity: "leave --quantity out"
        case .invalidRefund: "give --quantity or --percentage at most what was bought"
        case .tooManyEvents: "advance in smaller steps, or use local-store settings time-rate=0"
        case .changedState: "run the command again"
        case .damagedState, .newerState, .unreadableState, .unwritableState, .unusableKeys:
            "choose another store with \(store)"
        default: nil
        }
    }

    /// Writes a rejection or a failed call and returns the exit code for it; throws any other error as a usage error.
    ///
    /// With `--json`, it is also an object on standard output.
    func write(in session: Session) throws -> ExitCode {
        guard let outcome else { throw UsageError("\(Escaped(message))", hint: hint.map { Escaped($0) }) }
        if session.writesJSON {
            let object: JSONObject = [
                "type": .string("refusal"), "code": .string(code), "message": .string(message),
            ]
            try session.writeLine(object, as: .refusal)
        }
        session.messages.error(
            UsageError("\(outcome): \(Escaped(message)) (\(Escaped(code)))", hint: hint.map { Escaped($0) }))
        return .negative
    }
}
