internal import ReceiptTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// `localizedDescription` is the message of an error instead of "error 1".

extension PurchaseFlowError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
    /// The cause, with its code and its message; nil if there is none.
    public var failureReason: String? { underlying.map { "\($0)" } }
    /// What the customer can do, in one sentence; for an unverified purchase, what the developer can do. Nil if
    /// unknown.
    public var recoverySuggestion: String? {
        if let failure = verificationFailure { return failure.hint }
        switch code {
        case .purchasesDisabled: return "Try again later; the app does not sell anything at the moment."
        case .purchaseInProgress: return "Finish the purchase that is in progress, then try again."
        case .ownedByAnotherUser:
            return "Sign in as the user that bought it, or use another account of the store on this device."
        case .conflict: return "Sign in with the account that bought it."
        case .signedOut: return "Sign in, then buy again."
        case .revoked: return "The store has refunded this purchase; buy again to use it."
        case .ledgerUnavailable: return "Restart the app and try again; nothing was charged."
        default: return storeError?.recoverySuggestion
        }
    }
}

extension PartError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
    /// What the customer can do about an error of the store, in one sentence; nil if unknown, and for other errors.
    public var recoverySuggestion: String? { (code as? StoreErrorCode)?.suggestion }
}

extension StoreErrorCode {
    fileprivate var suggestion: String? {
        switch self {
        case .network: "Check the connection to the internet, then try again."
        case .timedOut, .system: "Try again later; the store does not answer at the moment."
        case .productUnavailable: "Choose another product; the store does not sell this one here."
        case .purchaseNotAllowed: "Allow purchases in the settings of this device."
        case .invalidQuantity: "Choose another quantity."
        case .ineligibleForOffer: "Buy without the offer."
        case .alreadyOwned: "Restart the app, so that the last purchase of this product is used up, then buy again."
        case .unsupported: "Buy on another device; this one has no store."
        default: nil
        }
    }
}

extension PurchaseFlowError {
    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { "PurchaseFlowError" }
    /// The information of the error as an `NSError`: the code, the message and the cause.
    public var errorUserInfo: [String: Any] {
        // The values of `NSLocalizedDescriptionKey` and `NSUnderlyingErrorKey`.
        var information: [String: Any] = ["code": code.rawValue, "NSLocalizedDescription": message]
        if let underlying { information["NSUnderlyingError"] = underlying }
        return information
    }
}

#if !canImport(FoundationEssentials)
    // FoundationEssentials lacks this protocol. A test that has it declares the same conformance.
    extension PurchaseFlowError: CustomNSError {}
#endif
