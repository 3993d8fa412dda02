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
    /// What the customer or the app can do; nil if only the verification's failure would say it.
    public var recoverySuggestion: String? { verificationFailure?.hint }
}

extension StoreError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}

extension JournalError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}

#if !canImport(FoundationEssentials)
    // Foundation has this protocol on Apple systems only.
    extension PurchaseFlowError: CustomNSError {
        /// The domain of the error as an `NSError`.
        public static var errorDomain: String { "PurchaseFlowError" }
        /// The code, the message and the cause.
        public var errorUserInfo: [String: Any] {
            var information: [String: Any] = ["code": code.rawValue, NSLocalizedDescriptionKey: message]
            if let underlying { information[NSUnderlyingErrorKey] = underlying }
            return information
        }
    }
#endif
