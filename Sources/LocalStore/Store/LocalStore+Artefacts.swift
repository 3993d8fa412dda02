internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

// Everything that a store signs, by itself: for files, for servers, for support.
extension LocalStore {
    /// A transaction in compact JWS form, as it stands now.
    public func signedTransaction(_ id: String) throws(LocalStoreError) -> String {
        try locked { core throws(LocalStoreError) in
            let index = try core.engine.transactionIndex(id)
            return try core.text(of: core.engine.state.transactions[index])
        }
    }

    /// The renewal info of a subscription in compact JWS form, by the id of any of its transactions.
    public func signedRenewalInfo(_ id: String) throws(LocalStoreError) -> String {
        try locked { core throws(LocalStoreError) in
            guard let subscription = core.engine.state.subscription(id) else {
                throw LocalStoreError(.unknownSubscription, "\(id) is no subscription's transaction")
            }
            return try core.text(of: subscription)
        }
    }

    /// The app transaction of a customer in compact JWS form.
    public func signedAppTransaction(for account: String) throws(LocalStoreError) -> String {
        try locked { core throws(LocalStoreError) in
            let account = try core.engine.account(account)
            return try core.signer.sign(core.engine.appTransaction(of: account))
        }
    }

    /// A notification's `signedPayload`, with what it was about as that stood then.
    public func signedNotification(_ notification: StoreNotification) throws(LocalStoreError) -> String {
        try locked { core throws(LocalStoreError) in try core.text(of: notification) }
    }

    /// A transaction in the form of a Google Play purchase.
    public func playPurchase(_ id: String) throws(LocalStoreError) -> SignedPlayPurchase {
        try locked { core throws(LocalStoreError) in
            let index = try core.engine.transactionIndex(id)
            let data = core.engine.playPurchase(of: core.engine.state.transactions[index]).members.description
            do throws(CryptoFault) {
                return SignedPlayPurchase(data: data, signature: try core.signer.playKey.sign(data))
            } catch {
                throw LocalStoreError(.notSigned, error.message, underlying: error)
            }
        }
    }
}
