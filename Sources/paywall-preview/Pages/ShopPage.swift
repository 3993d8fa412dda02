internal import CommandLineInterface
internal import LocalStore
internal import Paywall
internal import PurchaseAssembly
internal import PurchaseCore
internal import ReceiptTypes

/// The page of the app: what it can do, and what of it is locked.
@MainActor
struct ShopPage {
    let shop: PreviewShop
    let frame: PageFrame

    private var texts: ShopTexts { shop.texts }

    func html() async -> String {
        let metadata = await shop.products()
        let pending = await shop.pendingPurchases()
        let pendingIDs = pending.map(\.productID)
        let subscription = SubscriptionSection(shop, frame, metadata.products, pending: pendingIDs)
        let content: HTML = """
            <h1>\(texts[.shop])</h1>
            <p class="hint">\(texts[.preview])</p>
            <div role="status" id="notice">\(HTML.notice(shop.notice))\(trial(metadata.products))\(warning(metadata))\
            \(subscription.warnings)\(HTML.pendingBoxes(pending, metadata.products, texts))</div>
            \(subscription.withPlans)\
            <h2>\(texts[.features])</h2>
            \(features(.free, texts[.free]))
            \(features(.premium, texts[.premium]))
            \(plans)
            \(extras(metadata.products, pendingIDs))
            """
        let paywall = PaywallDialog(shop: shop, frame: frame, pending: pendingIDs)
        let sheet = PaymentDialog(shop: shop, frame: frame)
        return frame.html(content, dialogs: "\(paywall.html)\(sheet.html)\(subscription.sheet)")
    }

    // MARK: Messages

    /// The days of a free trial at the store's present time. The store is not asked: a page must change nothing.
    private func trial(_ products: [Product]) -> HTML {
        for purchase in shop.purchases.entitlements.entitlements.purchases {
            let nextID = purchase.planChange?.nextProductID ?? purchase.productID
            let next = products.first { $0.id.isIdentical(to: nextID) }
            let days = TrialManager.remainingTrialDays(of: purchase, at: shop.now)
            if let days, let text = texts.paywall.remainingTrial(of: purchase, days: days, next: next) {
                return .messageBox("notice", text)
            }
        }
        return .empty
    }

    private func warning(_ metadata: ProductMetadata) -> HTML {
        guard let error = metadata.error else { return .empty }
        if metadata.missing.isEmpty, let prices = OldPrices(metadata) {
            return .messageBox("notice", texts.paywall.warning(of: prices))
        }
        let words = texts.words(of: error)
        return .messageBox("failure", words.text, advice: words.advice)
    }

    // MARK: Features

    /// The way to the paywall with everything, for a customer that does not have everything.
    private var plans: HTML {
        guard !shop.purchases.entitlements.entitlements.isPro else { return .empty }
        return "<p class=\"more\">\(HTML.button(texts[.plans], post: "/paywall/open", kind: "primary"))</p>\n"
    }

    private func features(_ level: FeatureLevel, _ title: String) -> HTML {
        let rows = shop.purchases.gating.getFeaturesByLevel(level).map(row)
        guard !rows.isEmpty else { return .empty }
        return "<h3>\(title)</h3>\n<ul class=\"features\">\n\(rows)</ul>\n"
    }

    private func row(_ feature: FeatureDefinition) -> HTML {
        let access = shop.purchases.gating.access(to: feature.id)
        let state =
            switch access {
            case .granted: texts[.unlocked]
            case .denied: texts[.locked]
            case .unknown: texts[.notKnown]
            }
        let button =
            access == .granted
            ? HTML.empty
            : .button(
                texts[.unlock], post: "/paywall/open", value: feature.id.rawValue,
                name: texts[.unlockFeature, ["feature": feature.name]])
        let description: HTML = feature.description.isEmpty ? .empty : paragraph(feature.description)
        return """
            <li data-key="feature \(feature.id.rawValue)" class="feature" data-access="\(access.rawValue)">
            <div><h4\(shop.attributes(of: feature.name))>\(feature.name)</h4>\(description)</div>
            <p class="state \(access.rawValue)">\(state)</p>
            \(button)
            </li>

            """
    }

    private func paragraph(_ text: String) -> HTML { "<p\(shop.attributes(of: text))>\(text)</p>" }

    // MARK: Products that unlock nothing

    private func extras(_ products: [Product], _ pending: [String]) -> HTML {
        let rows = products.filter { $0.type == .consumable }.map { row(of: $0, pending) }
        guard !rows.isEmpty else { return .empty }
        return "<h2>\(texts[.extras])</h2>\n<ul class=\"features\">\n\(rows)</ul>\n"
    }

    private func row(of product: Product, _ pending: [String]) -> HTML {
        let entitlements = shop.purchases.entitlements.entitlements
        let state = PurchaseButtonState(
            of: product, entitlements: entitlements, pending: pending, activity: shop.purchases.flow.activity)
        let card = ProductCard(
            product, catalog: shop.catalog.prices, state: state, legal: .links(texts, frame), texts: texts.paywall)
        let count = entitlements.balances[product.id] ?? 0
        let balance: HTML =
            count > 0 ? "<p class=\"state granted\">\(texts[.balance, ["count": "\(count)"]])</p>" : .empty
        let button = HTML.button(
            card.button.label, post: "/shop/buy", value: product.id, isDisabled: !card.button.isEnabled,
            name: "\(card.name): \(card.button.label)")
        return """
            <li data-key="product \(product.id)" class="feature">
            <div><h3\(shop.attributes(of: card.name))>\(card.name)</h3>\(paragraph(card.description))</div>
            \(balance)
            \(button)
            </li>

            """
    }
}

extension HTML {
    /// Returns the box of what the customer was told last.
    static func notice(_ notice: PreviewShop.Notice?) -> HTML {
        notice.map { .messageBox($0.tone.rawValue, $0.text, advice: $0.advice) } ?? .empty
    }

    /// Returns a box for each purchase that waits for an approval, with a button that ends the wait.
    @MainActor
    static func pendingBoxes(_ pending: [PendingPurchase], _ products: [Product], _ texts: ShopTexts) -> HTML {
        let rows = pending.map { purchase -> HTML in
            let id = purchase.productID
            let name = products.first { $0.id.isIdentical(to: id) }?.displayName ?? id
            let values = ["product": name]
            let button = HTML.button(texts[.forget, values], post: "/shop/forget", value: id)
            let end = purchase.since.adding(milliseconds: PurchaseService.approvalTimeoutMilliseconds)
            let advice = texts[.waitingNext, ["date": texts.paywall.day(of: end)]]
            return .messageBox("notice", texts[.waiting, values], advice: advice, action: button)
        }
        return "\(rows)"
    }
}

extension LegalLinks {
    /// The pages of the shop with its terms.
    static func links(_ texts: ShopTexts, _ frame: PageFrame) -> LegalLinks {
        LegalLinks(
            termsURL: frame.address("/terms"), privacyURL: frame.address("/privacy"), texts: texts.paywall)
    }
}
