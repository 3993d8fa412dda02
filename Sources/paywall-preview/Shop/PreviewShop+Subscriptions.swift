internal import LocalStore
internal import Paywall
internal import PurchaseAssembly
internal import PurchaseCore
internal import ReceiptTypes

// What the customer does with a subscription: another plan, and what the store itself offers.
extension PreviewShop {
    /// Returns the customer's subscriptions, with the plans that they can change to.
    func subscriptions(_ products: [Product]) -> [SubscriptionCard] {
        SubscriptionCard.cards(
            of: purchases.entitlements.entitlements, products: products, texts: texts.paywall)
    }

    /// Returns what a purchase does to the customer's subscription; nil if the customer has none of its group.
    func effect(of product: Product) -> PlanEffect? {
        PlanEffect(
            of: product, on: purchases.entitlements.entitlements, products: loadedProducts?.products ?? [])
    }

    // MARK: The store's own sheet

    /// What the customer does in the sheet in which the store shows a subscription.
    enum Management: String, CaseIterable {
        case resumeRenewal = "resume-renewal"
        case cancelRenewal = "cancel-renewal"
        case pay
    }

    /// Opens the store's sheet for a subscription, by the ID of its transaction.
    func openManagement(_ transactionID: String) async {
        tell(nil)
        do throws(StoreError) {
            _ = try await purchases.service.present(.manageSubscriptions(groupID: nil))
            showSubscription(transactionID)
        } catch {
            tell(error)
        }
        changed()
    }

    /// Does what the customer has chosen in the store's sheet.
    func perform(_ action: Management, on transactionID: String) async {
        do {
            switch action {
            case .resumeRenewal: try await customer.setRenewal(true, of: transactionID)
            case .cancelRenewal: try await customer.setRenewal(false, of: transactionID)
            case .pay:
                // The store collects the payment at once.
                try simulator.perform { engine in try engine.setBillingIssue(false, transactionID) }
            }
        } catch {
            showSubscription(nil)
            tell(error)
        }
        changed()
    }

    private func tell(_ error: any Error) {
        log.add(.core, "the sheet to manage subscriptions: \(error)", isFailure: true)
        let words = texts.words(of: PurchaseError(error))
        tell(Notice(tone: .failure, text: words.text, advice: words.advice))
    }
}

extension PaywallViewModel {
    /// Whether the paywall has a button that buys a product.
    func sells(_ product: Product) -> Bool {
        state.result == nil && state.products.contains { $0.id.isIdentical(to: product.id) }
    }
}

extension PurchaseStack {
    /// Returns whether the customer gets a product's introductory offer; unknown if the ledger cannot be read, which
    /// the console shows.
    func introductoryOffer(of product: Product, log: CoreLog) async -> TrialEligibility {
        do throws(LedgerError) {
            return try await service.introductoryOffer(of: product)
        } catch {
            log.add(.core, "the introductory offer of \(product.id): \(error)", isFailure: true)
            return .unknown
        }
    }
}
