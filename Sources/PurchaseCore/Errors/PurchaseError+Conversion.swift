internal import ReceiptTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension PurchaseError {
    /// Converts any error of this package; every other error has the code ``Code/unknownError``.
    ///
    /// - Parameters:
    ///   - error: A ``StoreError``, ``PurchaseFlowError``, ``LedgerError``, ``DatabaseError`` or
    ///     `VerificationFailure`, or any other error. A `PurchaseError` stays what it is, and gets the platform and the
    ///     product that it lacks.
    ///   - platform: The platform of the store.
    ///   - productID: The product that the call was about.
    public init(_ error: any Error, platform: Platform? = nil, productID: String? = nil) {
        if let error = error as? PurchaseError {
            self.init(
                ErrorTable.Row(error), error.message, underlying: error.underlying,
                platform: error.platform ?? platform,
                nativeErrorCode: error.nativeErrorCode, productID: error.productID ?? productID)
            return
        }
        self.init(
            ErrorTable.row(for: error), (error as? any CodedError)?.message ?? "\(error)", underlying: error,
            platform: platform, nativeErrorCode: Self.nativeErrorCode(of: error), productID: productID)
    }

    /// Returns the number of the first error with one in a chain of causes, which an error of another module could make
    /// very long.
    private static func nativeErrorCode(of error: any Error) -> Int? {
        var next: (any Error)? = error
        for _ in 0..<16 {
            guard let error = next else { return nil }
            if let native = error as? any NativeStoreError { return native.nativeErrorCode }
            guard let coded = error as? any CodedError else { return systemCode(of: error) }
            next = coded.underlying
        }
        return nil
    }

    /// Returns the number of an error of an Apple system.
    private static func systemCode(of error: any Error) -> Int? {
        #if canImport(FoundationEssentials)
            nil
        #else
            (error as NSError).code
        #endif
    }
}

extension PurchaseError {
    /// The milliseconds after which a rate limit allows the call again; nil for every other error.
    public var retryAfterMilliseconds: Int64? {
        let cause = underlying as? RateLimitError ?? (underlying as? PurchaseFlowError)?.underlying as? RateLimitError
        return cause?.retryAfterMilliseconds
    }
}

// MARK: - Texts for the customer

/// What a screen tells the customer about an error.
public struct UserMessage: Sendable, Hashable {
    /// What has happened, in complete sentences.
    public let text: String
    /// What the customer can do next, in complete sentences.
    public let advice: String

    /// Creates a message.
    public init(text: String, advice: String) {
        self.text = text
        self.advice = advice
    }
}

extension PurchaseError {
    /// Returns what to tell the customer, in the first of the languages that the catalog has, otherwise in English.
    ///
    /// - Parameters:
    ///   - languages: BCP 47 tags in the order of the customer's preference, such as `Locale.preferredLanguages`.
    ///   - catalog: The texts; a text that it lacks is taken from ``MessageCatalog/standard``.
    public func userMessage(languages: [String], catalog: MessageCatalog = .standard) -> UserMessage {
        // One language that an app adds to a text does not hide the others of this package.
        let catalog = MessageCatalog.standard.merging(catalog)
        func text(_ key: MessageKey, _ values: [String: String] = [:]) -> String? {
            catalog.text(key, languages: languages, values: values)
        }
        let wait = retryAfterMilliseconds.flatMap { milliseconds in
            // Rounded up, so that the attempt is not too early.
            text(.retryIn, ["seconds": "\(milliseconds / 1000 + (milliseconds % 1000 > 0 ? 1 : 0))"])
        }
        return UserMessage(
            text: text(messageKey) ?? text(.unexpected) ?? message, advice: wait ?? text(messageKey.next) ?? "")
    }
}
