public import PurchaseCore
public import ReceiptTypes

// What a customer does outside of the port: in the system's sheets, and by asking for the app transaction.
extension LocalStore.Customer {
    /// The app transaction in compact JWS form.
    public func appTransaction() async throws(StoreError) -> String {
        try call(nil, .appTransaction) { [account] core throws(LocalStoreError) in
            try core.signer.sign(core.engine.appTransaction(of: try core.engine.account(account)))
        }
    }

    /// Asks for a refund, as in the refund request sheet. Whether it is granted, a command decides.
    public func requestRefund(
        _ transactionID: String, reason: ConsumptionRequestReason = .other
    ) async throws(StoreError) {
        try call(nil, .refundRequestSheet) { [account] core throws(LocalStoreError) in
            try Self.require(transactionID, of: account, in: core)
            try core.step { engine throws(LocalStoreError) in
                try engine.requestRefund(transactionID, reason: reason)
            }
        }
    }

    /// Switches the renewal of a subscription on or off, as in the sheet to manage subscriptions.
    public func setRenewal(_ isOn: Bool, of transactionID: String) async throws(StoreError) {
        try call(nil, .manageSubscriptionsSheet) { [account] core throws(LocalStoreError) in
            try Self.require(transactionID, of: account, in: core)
            try core.step { engine throws(LocalStoreError) in
                try isOn ? engine.resumeRenewal(transactionID) : engine.cancelRenewal(transactionID)
            }
        }
    }

    private static func require(
        _ transactionID: String, of account: String, in core: StoreCore
    ) throws(LocalStoreError) {
        guard core.engine.state.transaction(transactionID)?.account.isIdentical(to: account) == true else {
            throw LocalStoreError(.unknownTransaction, "\(account) has no transaction \(transactionID)")
        }
    }
}
