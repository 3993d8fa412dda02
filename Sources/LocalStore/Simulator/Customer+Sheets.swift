public import PurchaseCore
internal import ReceiptTypes

extension StoreSimulator.Customer {
    /// Answers a sheet: a refund is requested, and a customer closes every other sheet without doing anything.
    ///
    /// For what a customer does in the other sheets, call ``setRenewal(_:of:)`` or ``purchase(_:options:offer:)``.
    public func present(_ sheet: StoreSheet) async throws(StoreError) -> StoreSheetAnswer {
        switch sheet {
        case .requestRefund(let transactionID):
            try await requestRefund(transactionID)
            return .completed
        case .manageSubscriptions:
            try call(nil, .manageSubscriptionsSheet) { _ in }
            return .cancelled
        case .redeemCode:
            try call(nil, .offerCodeRedeemSheet) { _ in }
            return .cancelled
        }
    }
}
