public import PurchaseCore
internal import ReceiptTypes

// Signed data outside of a customer's device, for files and servers. Fault plans do not apply to it.
extension StoreSimulator {
    /// Returns the current version of a transaction as compact JWS.
    public func signedTransaction(_ id: String) throws(StoreSimulatorError) -> String {
        try withCore { core throws(StoreSimulatorError) in
            let index = try core.engine.transactionIndex(id)
            return try core.jws(of: core.engine.state.transactions[index])
        }
    }

    /// Returns the renewal info of a subscription as compact JWS, by the identifier of any of its transactions.
    public func signedRenewalInfo(_ id: String) throws(StoreSimulatorError) -> String {
        try withCore { core throws(StoreSimulatorError) in
            guard let subscription = core.engine.state.subscription(id) else {
                throw StoreSimulatorError(.unknownSubscription, "no subscription has a transaction \(id)")
            }
            return try core.jws(of: subscription)
        }
    }

    /// Returns the app transaction of a customer as compact JWS.
    public func signedAppTransaction(for account: String) throws(StoreSimulatorError) -> String {
        try withCore { core throws(StoreSimulatorError) in
            let account = try core.engine.account(account)
            return try core.signer.sign(core.engine.appTransaction(of: account))
        }
    }

    /// Returns the app receipt of a customer, with the customer's own purchases, as base64 of a PKCS#7 container.
    ///
    /// As in a receipt that a device fetches, finished consumables are missing. It is bound to the device ID of zeros,
    /// as a receipt that a server fetches. Its root is ``SimulatorSigner/appReceiptRootCertificate``.
    public func appReceipt(for account: String) throws(StoreSimulatorError) -> String {
        try withCore { core throws(StoreSimulatorError) in
            let account = try core.engine.account(account)
            return try core.signer.sign(core.engine.appReceipt(of: account))
        }
    }

    /// Returns the `signedPayload` of a notification, with the transaction and renewal info of its time.
    public func signedNotification(_ notification: StoreNotification) throws(StoreSimulatorError) -> String {
        try withCore { core throws(StoreSimulatorError) in try core.jws(of: notification) }
    }

    /// Returns a transaction in the form of a signed Google Play purchase.
    public func playPurchase(_ id: String) throws(StoreSimulatorError) -> SignedPlayPurchase {
        try withCore { core throws(StoreSimulatorError) in
            let index = try core.engine.transactionIndex(id)
            return try core.sign(core.engine.playPurchase(of: core.engine.state.transactions[index]))
        }
    }
}
