internal import ReceiptTypes

extension ReceiptKind {
    /// Detects the kind of an App Store payload by the claims that only this kind has; nil if it has none of them.
    init?(detecting payload: borrowing JSONNode) {
        if payload.has("notificationType") || payload.has("notificationUUID") {
            self = .notification
        } else if payload.has("receiptType") || payload.has("receiptCreationDate") {
            self = .appTransaction
        } else if payload.has("requestIdentifier") && payload.has("userLocale") {
            self = .realtimeRequest
        } else if payload.has("autoRenewStatus") || payload.has("autoRenewProductId")
            || payload.has("expirationIntent")
        {
            self = .renewalInfo
        } else if payload.has("transactionId") {
            self = .transaction
        } else {
            return nil
        }
    }
}
