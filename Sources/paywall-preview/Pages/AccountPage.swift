internal import CommandLineInterface
internal import Paywall
internal import PurchaseAssembly
internal import PurchaseCore
internal import ReceiptTypes

/// The page with the customer's purchases and the button that restores them.
@MainActor
struct AccountPage {
    let shop: PreviewShop
    let frame: PageFrame

    private var texts: ShopTexts { shop.texts }

    func html() async -> String {
        let pending = await shop.pendingPurchases()
        let products = await shop.products().products
        let pendingIDs = pending.map(\.productID)
        let subscription = SubscriptionSection(shop, frame, products, pending: pendingIDs)
        let content: HTML = """
            <h1>\(texts[.account])</h1>
            <div role="status" id="notice">\(HTML.notice(shop.notice))\(subscription.warnings)\
            \(HTML.pendingBoxes(pending, products, texts))</div>
            \(subscription.withWayToPlans)\
            <section aria-labelledby="purchases">
            <h2 id="purchases">\(texts[.purchases])</h2>
            \(history(pendingIDs))
            </section>
            <section aria-labelledby="restore">
            <h2 id="restore">\(texts[.restoreTitle])</h2>
            \(restore)
            </section>
            """
        let sheet = PaymentDialog(shop: shop, frame: frame)
        return frame.html(content, dialogs: "\(detail)\(sheet.html)\(subscription.sheet)")
    }

    // MARK: The history

    private func history(_ pending: [String]) -> HTML {
        switch shop.history.state {
        case .loading: return "<p class=\"hint\">\(texts[.loading])</p>"
        case .empty(let text): return "<p class=\"hint\">\(text)</p>"
        case .failed(let error):
            let words = texts.words(of: error)
            return .messageBox(
                "failure", words.text, advice: words.advice,
                action: .button(texts[.tryAgain], post: "/account/retry"))
        case .loaded(let history): return "\(history.sections.map { section($0, pending) })"
        }
    }

    private func section(_ section: PurchaseHistory.Section, _ pending: [String]) -> HTML {
        let rows = section.items.map { item -> HTML in
            let price: HTML = item.price.map { "<p>\($0)</p>" } ?? .empty
            return """
                <li data-key="purchase \(item.id.transactionID)" class="feature">
                <div><h4\(shop.attributes(of: item.name))>\(item.name)</h4><p>\(item.state)</p></div>
                <div class="aside"><p>\(texts.paywall.day(of: item.purchasedAt))</p>\(price)</div>
                \(purchaseButton(item, pending))
                \(HTML.button(texts[.details], post: "/account/open", value: item.id.transactionID,
                    name: "\(texts[.details]): \(item.name), \(item.state)"))
                </li>

                """
        }
        return
            "<h3>\(section.title)</h3>\n<ul class=\"features\" data-section=\"\(section.id.rawValue)\">\n\(rows)</ul>\n"
    }

    private func purchaseButton(_ item: PurchaseItem, _ pending: [String]) -> HTML {
        guard item.offersPurchase else { return .empty }
        let isBusy = shop.purchases.flow.activity.purchase != nil || pending.contains(item.productID)
        return .button(
            texts[.buyAgain], post: "/shop/buy", value: item.productID, isDisabled: isBusy,
            name: "\(texts[.buyAgain]): \(item.name)")
    }

    private var detail: HTML {
        guard let detail = shop.detail else {
            return "<dialog id=\"detail\" class=\"sheet\" aria-labelledby=\"detail-title\"></dialog>\n"
        }
        let fields = detail.fields.map { field -> HTML in
            "<div><dt>\(field.label)</dt><dd\(shop.attributes(of: field.value))>\(field.value)</dd></div>\n"
        }
        let support: HTML =
            detail.contactSupport.map { .support(.purchase, label: $0) } ?? .empty
        return """
            <dialog id="detail" class="sheet" aria-labelledby="detail-title" data-open data-cancel="/account/close">
            <header>
            <h2 id="detail-title" tabindex="-1" autofocus>\(texts[.details])</h2>
            \(HTML.button("✕", post: "/account/close", kind: "close", name: texts[.close]))
            </header>
            <dl>
            \(fields)</dl>
            \(support)
            </dialog>

            """
    }

    // MARK: Restoring

    private var restore: HTML {
        let state = shop.restore.state
        let tone =
            switch state.phase {
            case .failed: "failure"
            case .restored: "success"
            default: "notice"
            }
        let retry = state.offersRetry ? HTML.button(texts[.tryAgain], post: "/account/restore") : HTML.empty
        let support: HTML =
            state.offersSupport ? .support(.restore, label: texts[.contactSupport]) : .empty
        let dismiss = HTML.button(texts[.dismiss], post: "/account/dismiss", kind: "plain")
        let result: HTML =
            state.message.isEmpty
            ? .empty
            : .messageBox(
                tone, state.message, advice: state.advice,
                action: state.isLoading ? .empty : "<p class=\"row\">\(retry)\(support)\(dismiss)</p>")
        let label = LegalLinks.links(texts, frame).restore
        return """
            <div role="status" id="restore-result">\(result)</div>
            <p>\(HTML.button(label, post: "/account/restore", kind: "primary", isDisabled: state.isLoading))</p>
            """
    }
}

/// A page that a paywall links to.
@MainActor
struct LegalPage {
    let frame: PageFrame
    let text: String

    var html: String { frame.html("<h1>\(frame.title)</h1>\n<p>\(text)</p>") }
}
