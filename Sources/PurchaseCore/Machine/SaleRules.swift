internal import ReceiptTypes

// What the store's answer to a purchase means.
extension SaleRequest {
    /// Returns whether a purchase of the present plan, which has sold nothing, may have changed the next renewal.
    func mayChangeRenewal(of transaction: Transaction) -> Bool {
        guard transaction.kind == .autoRenewable, transaction.play == nil else { return false }
        return unrenewedIDs.contains(ExactString(transaction.originalID)) || options.offer != nil
    }

    /// Returns what a purchase of the present plan, which has sold nothing, has changed about the next renewal.
    ///
    /// Only the signed renewal info shows it. Nil if it has changed nothing, and if that is not known.
    func changedRenewal(of transaction: Transaction, _ infos: [RenewalInfo]) -> PendingReason? {
        guard mayChangeRenewal(of: transaction),
            let info = infos.last(where: { $0.originalTransactionID.isIdentical(to: transaction.originalID) }),
            info.willRenew
        else { return nil }
        let end = info.renewalDate ?? transaction.expiresDate
        let (productID, date) = (transaction.productID, info.commitment?.endDate ?? end)
        if let offer = options.offer, info.offer?.isRequested(by: offer) ?? false {
            return .offerAtRenewal(productID: productID, date: date)
        }
        let wasOff = unrenewedIDs.contains(ExactString(transaction.originalID))
        return wasOff ? .renewsAgain(productID: productID, date: date) : nil
    }
}

extension [RenewalInfo] {
    /// Returns the change to a product with the next renewal of a subscription in force; nil if there is none.
    ///
    /// The store's answer to an accepted downgrade or crossgrade is the transaction of the present period, or none;
    /// only the signed renewal info shows that it was accepted.
    func planChange(to productID: String, of transactions: [Transaction], at now: Timestamp) -> PendingReason? {
        for info in self where info.willRenew && info.nextProductID?.isIdentical(to: productID) ?? false {
            let periods = transactions.filter {
                $0.originalID.isIdentical(to: info.originalTransactionID)
                    && !$0.productID.isIdentical(to: productID) && $0.standing(at: now, renewal: info).isInForce
            }
            guard let end = periods.compactMap(\.expiresDate).max() else { continue }
            return .changesAtRenewal(productID: productID, date: info.commitment?.endDate ?? end)
        }
        return nil
    }
}

extension Transaction {
    /// Returns whether a subscription's period was over, or upgraded, when the store signed it.
    ///
    /// Only the store's signatures decide: the device's clock can run ahead, and the customer has paid.
    func hasEnded(at signed: Timestamp, renewal: RenewalInfo?) -> Bool {
        switch standing(at: signed, renewal: renewal) {
        case .denied(.expired), .denied(.billingRetry), .denied(.upgraded): true
        default: false
        }
    }
}

extension UpcomingOffer {
    /// Returns whether the offer is the one that the app has requested.
    fileprivate func isRequested(by offer: PurchaseOffer) -> Bool {
        switch offer {
        case .promotional(let id, signature: _): type == .promotional && self.id?.isIdentical(to: id) ?? false
        case .winBack(let id): type == .winBack && self.id?.isIdentical(to: id) ?? false
        }
    }
}
