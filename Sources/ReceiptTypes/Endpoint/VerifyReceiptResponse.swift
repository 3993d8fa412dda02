/// The response that the retired `verifyReceipt` endpoint gave for an app receipt, from the receipt alone.
///
/// The response to a verified receipt has the members `status`, `environment` and `receipt`, and for a receipt with an
/// auto-renewable subscription also `latest_receipt_info`, `latest_receipt` and `pending_renewal_info`. The response to
/// any other receipt has only `status`.
///
/// The endpoint asked the store, and a receipt ends at its creation date. ``absentMembers`` names what a response
/// leaves out because the receipt does not hold it; nothing takes its place.
public struct VerifyReceiptResponse: Sendable, Hashable {
    /// The status.
    public let status: VerifyReceiptStatus
    /// All members, in the order of the endpoint.
    public let members: JSONObject
    /// The paths of the documented members that are left out for lack of a value, such as `receipt.download_id`.
    ///
    /// `[]` stands for the elements of an array; a path is listed if one of them lacks the member. A member that most
    /// receipts rightly lack, such as `cancellation_date`, is not listed.
    public let absentMembers: [String]
    /// The reason of a status other than 0.
    public let failure: VerificationFailure?

    /// Creates the response for a receipt that is not verified.
    public init(_ failure: VerificationFailure) {
        status = VerifyReceiptStatus(failure)
        members = ["status": status.json]
        absentMembers = []
        self.failure = failure
    }

    /// Creates the response for a verified receipt.
    ///
    /// - Parameters:
    ///   - receipt: The payload of the receipt.
    ///   - latestReceipt: The base64 of the receipt, for `latest_receipt`.
    ///   - excludesOldTransactions: Whether `latest_receipt_info` has only the latest transaction of each subscription.
    ///   - requestDate: The current time, for `request_date`.
    public init(
        _ receipt: AppReceipt, latestReceipt: String, excludesOldTransactions: Bool = false, requestDate: Timestamp
    ) {
        status = .valid
        failure = nil
        var writer = ResponseWriter()
        members = writer.response(
            receipt, latestReceipt: latestReceipt, excludesOldTransactions: excludesOldTransactions,
            requestDate: requestDate)
        absentMembers = writer.absent
    }
}

extension VerifyReceiptResponse: CustomStringConvertible {
    /// The members as compact JSON.
    public var description: String { members.description }
}
