internal import ReceiptTypes

extension PurchaseLogEvent {
    /// Creates the event of an error with everything that identifies it: the platform, the store's own number, the
    /// reason of an invalid purchase, and whether a retry can help.
    public init(_ kind: Kind, error: PurchaseError, detail: String? = nil) {
        var fields = Self.fields(of: error)
        fields["platform"] = error.platform?.rawValue
        fields["native-code"] = error.nativeErrorCode.map { "\($0)" }
        fields["reason"] = error.reason?.rawValue
        fields["retryable"] = error.isRetryable ? "yes" : "no"
        self.init(kind, productID: error.productID, detail: detail ?? error.description, fields: fields)
    }
}
