public import ReceiptTypes

extension PlayPurchase {
    /// Returns purchase data, whose signature the caller has verified, as a transaction.
    ///
    /// For verifiers that implement ``TransactionVerifying/verifyPlayPurchase(_:at:)``.
    ///
    /// - Parameters:
    ///   - products: The products that the app sells on Google Play.
    ///   - expiresDate: The end of a subscription's paid time, if a server has asked the Play Developer API.
    public func transaction(
        of products: some Sequence<PlayProduct>, expiresDate: Timestamp? = nil
    ) -> VerificationResult<Transaction> {
        switch state {
        case .purchased, .cancelled: break
        case .pending, .pendingOnDevice:
            return .unverified(
                VerificationFailure(
                    code: .purchasePending,
                    untrustedPayload: self.obfuscatedAccountId.map { ["obfuscatedAccountId": .string($0)] }))
        default: return .unverified(VerificationFailure(code: .purchaseStateUnknown))
        }
        let named = allProductIDs
        let known = named.compactMap { id in products.first { $0.id.isIdentical(to: id) } }
        guard let product = known.first, known.count == named.count, known.allSatisfy({ $0.type == product.type })
        else {
            return .unverified(
                VerificationFailure(
                    code: .playProductUnknown, expected: "products of one kind that the app sells on Google Play",
                    actual: named.isEmpty ? self.productId : named.joined(separator: ", ")))
        }
        guard
            let transaction = Transaction(
                self, product: product, others: Array(known.dropFirst()), expiresDate: expiresDate)
        else {
            return .unverified(VerificationFailure(code: .transactionIncomplete))
        }
        return .verified(transaction)
    }
}
