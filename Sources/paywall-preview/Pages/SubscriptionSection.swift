internal import CommandLineInterface
internal import Paywall
internal import PurchaseAssembly
internal import PurchaseCore
internal import ReceiptTypes

/// The customer's subscriptions on a page, and the sheet in which the store manages one.
@MainActor
struct SubscriptionSection {
    let shop: PreviewShop
    let frame: PageFrame
    let cards: [SubscriptionCard]
    /// The IDs of the products with a pending purchase.
    let pending: [String]

    private var texts: ShopTexts { shop.texts }

    init(_ shop: PreviewShop, _ frame: PageFrame, _ products: [Product], pending: [String]) {
        self.shop = shop
        self.frame = frame
        self.pending = pending
        cards = shop.subscriptions(products)
    }

    // MARK: Parts of a page

    /// A box for each subscription whose payment has failed.
    var warnings: HTML {
        let boxes = cards.filter(\.hasPaymentFailed).map { card -> HTML in
            .messageBox("failure", card.name, advice: card.state, action: manageButton(card))
        }
        return "\(boxes)"
    }

    /// The subscriptions, with the plans of each.
    var withPlans: HTML { section { card in "\(row(card, change: .empty))\n</ul>\n\(plans(of: card))" } }

    /// The subscriptions, with the way to the plans on the shop's page.
    var withWayToPlans: HTML {
        section { card in
            let change: HTML =
                card.plans.contains(where: \.isChoice)
                ? "<a class=\"button\" href=\"\(frame.address("/"))#plans\">\(texts[.changePlan])</a>" : .empty
            return "\(row(card, change: change))\n</ul>\n"
        }
    }

    private func section(_ content: (SubscriptionCard) -> HTML) -> HTML {
        guard !cards.isEmpty else { return .empty }
        let rows = cards.map { card -> HTML in "<ul class=\"features\">\n\(content(card))" }
        return """
            <section aria-labelledby="subscription">
            <h2 id="subscription">\(texts[.subscription])</h2>
            \(rows)</section>

            """
    }

    private func row(_ card: SubscriptionCard, change: HTML) -> HTML {
        """
        <li data-key="subscription \(card.id)" class="feature">
        <div><h3\(shop.attributes(of: card.name))>\(card.name)</h3><p>\(card.state)</p></div>
        \(change)
        \(manageButton(card))
        </li>
        """
    }

    private func manageButton(_ card: SubscriptionCard) -> HTML {
        guard card.isManageable else { return .empty }
        return .button(
            texts[.manage], post: "/subscription/manage", value: card.id, name: "\(texts[.manage]): \(card.name)")
    }

    private func plans(of card: SubscriptionCard) -> HTML {
        guard card.plans.count > 1 else { return .empty }
        let rows = card.plans.map { plan -> HTML in
            let isBusy = shop.purchases.flow.activity.isLoading || pending.contains { $0.isIdentical(to: plan.id) }
            let action: HTML =
                plan.isChoice
                ? .button(
                    plan.label, post: "/shop/buy", value: plan.id, isDisabled: isBusy,
                    name: "\(plan.name): \(plan.label)")
                : "<p class=\"state granted\">\(plan.label)</p>"
            return """
                <li data-key="plan \(plan.id)" class="feature">
                <div><h4\(shop.attributes(of: plan.name))>\(plan.name)</h4><p>\(plan.price)</p></div>
                \(action)
                </li>

                """
        }
        return "<h3 id=\"plans\">\(texts[.onePlan])</h3>\n<ul class=\"features\">\n\(rows)</ul>\n"
    }

    // MARK: The store's sheet

    var sheet: HTML {
        guard let card = cards.first(where: { $0.id == shop.managed }) else {
            return "<dialog id=\"manage\" class=\"sheet\" aria-labelledby=\"manage-title\"></dialog>\n"
        }
        let renews = shop.purchases.entitlements.entitlements.purchases.first { $0.transactionID == card.id }?.willRenew
        let renewal: HTML =
            renews == true
            ? button(.cancelRenewal, texts[.turnRenewalOff], card) : button(.resumeRenewal, texts[.turnRenewalOn], card)
        let payment: HTML = card.hasPaymentFailed ? button(.pay, texts[.updatePayment], card) : .empty
        return """
            <dialog id="manage" class="sheet" aria-labelledby="manage-title" data-open \
            data-cancel="/subscription/close">
            <header>
            <h2 id="manage-title" tabindex="-1" autofocus>\(texts[.manageTitle])</h2>
            \(HTML.button("✕", post: "/subscription/close", kind: "close", name: texts[.close]))
            </header>
            <p class="name"\(shop.attributes(of: card.name))>\(card.name)</p>
            <p role="status">\(card.state)</p>
            <p class="hint">\(texts[.manageNote])</p>
            <div class="row">
            \(payment)
            \(renewal)
            </div>
            </dialog>

            """
    }

    private func button(_ action: PreviewShop.Management, _ label: String, _ card: SubscriptionCard) -> HTML {
        .button(label, post: "/subscription/\(action.rawValue)", value: card.id)
    }
}
