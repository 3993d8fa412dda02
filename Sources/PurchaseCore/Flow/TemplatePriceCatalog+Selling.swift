internal import ReceiptTypes

extension TemplatePriceCatalog {
    /// Returns the reason not to sell a product: the customer would pay and get nothing; nil if it may be sold.
    ///
    /// Every way to buy asks this before the store is asked.
    ///
    /// - Parameters:
    ///   - productID: The product.
    ///   - type: The kind of the product according to the store; nil if it is not known.
    ///   - entitlement: What the customer buys the product for; nil for anything. Items of a consumable are a balance,
    ///     so without an entitlement a consumable need not unlock anything.
    func objection(
        toSelling productID: String, of type: ProductType?, for entitlement: Entitlement? = nil
    ) -> PurchaseFlowError? {
        if type == .consumable, entitlement == nil { return nil }
        let unlocked = entitlements(for: productID)
        if let entitlement, !unlocked.contains(entitlement) {
            return PurchaseFlowError(.wrongProduct, "\(productID) does not unlock \(entitlement)")
        }
        guard !unlocked.isEmpty else {
            return PurchaseFlowError(
                .wrongProduct, "\(productID) would unlock nothing, because the catalog does not have it")
        }
        guard type != .nonRenewingSubscription || nonRenewingPeriod(of: productID) != nil else {
            return PurchaseFlowError(
                .wrongProduct,
                "\(productID) would unlock nothing, because the catalog has no period for this non-renewing "
                    + "subscription")
        }
        return nil
    }
}
