internal import CommandLineInterface
internal import LocalStore
internal import Paywall
internal import PurchaseAssembly
internal import PurchaseCore
internal import ReceiptTypes

/// The paywall as a dialog over the shop's page.
@MainActor
struct PaywallDialog {
    let shop: PreviewShop
    let frame: PageFrame
    /// The IDs of the products with a pending purchase.
    let pending: [String]

    private var texts: ShopTexts { shop.texts }

    var html: HTML {
        guard let paywall = shop.paywall, paywall.state.result == nil else {
            return "<dialog id=\"paywall\" class=\"paywall\" aria-labelledby=\"paywall-title\"></dialog>\n"
        }
        let state = paywall.state
        let feature = paywall.featureID.flatMap { try? shop.catalog.prices.features.definition(of: $0) }
        let title = feature.map { texts.html(.unlockFeature, "feature", inElement($0.name)) } ?? "\(texts[.choosePlan])"
        let cards = cards(state)
        let selected = cards.first { $0.id.isIdentical(to: state.selectedPlanID) }
        return """
            <dialog id="paywall" class="paywall" aria-labelledby="paywall-title" data-open data-cancel="/paywall/close">
            <header>
            <h2 id="paywall-title" tabindex="-1" autofocus>\(title)</h2>
            \(closeButton(paywall))
            </header>
            <div role="status" id="paywall-message">\(messages(state))</div>
            \(plans(cards, state))
            \(selected.map { terms(of: $0) } ?? .empty)
            \(selected.map { callToAction($0, state) } ?? .empty)
            \(footer(paywall))
            \(overlay(state))
            </dialog>

            """
    }

    private func inElement(_ name: String) -> HTML { "<span\(shop.attributes(of: name))>\(name)</span>" }

    // MARK: Plans

    private func cards(_ state: PaywallViewState) -> [ProductCard] {
        state.offer.plans.compactMap { plan in
            guard let product = state.products.first(where: { $0.id.isIdentical(to: plan.id) }) else { return nil }
            let button = PurchaseButtonState(
                of: product, entitlements: shop.purchases.entitlements.entitlements, pending: pending,
                activity: shop.purchases.flow.activity)
            return ProductCard(
                product, catalog: shop.catalog.prices, trial: state.trial(of: product),
                comparison: .month, state: button, legal: .links(texts, frame), texts: texts.paywall)
        }
    }

    private func plans(_ cards: [ProductCard], _ state: PaywallViewState) -> HTML {
        guard !cards.isEmpty else {
            return state.isLoadingProducts ? "<p class=\"hint\">\(texts[.loading])</p>" : .empty
        }
        let rows = cards.map { card -> HTML in
            let isSelected = card.id.isIdentical(to: state.selectedPlanID)
            let isBest = state.offer.plan(card.id)?.isBestValue ?? false
            let best: HTML = isBest ? "<span class=\"badge\">\(texts[.bestValue])</span>" : .empty
            let introduction: HTML = card.terms.introduction.map { "<span class=\"derived\">\($0)</span>" } ?? .empty
            let derived: HTML = card.terms.derivedPrice.map { "<span class=\"derived\">\($0.text)</span>" } ?? .empty
            return """
                <li>
                <label class="plan">
                <input type="radio" name="plan" value="\(card.id)" data-post="/paywall/select"\
                \("checked", if: isSelected)\("disabled", if: state.isLoading)>
                <span class="name"\(shop.attributes(of: card.name))>\(card.name)</span>\(best)
                <span class="kind">\(card.kind)</span>
                <span class="price">\(card.price)</span>\(introduction)\(derived)
                </label>
                </li>

                """
        }
        return """
            <fieldset>
            <legend class="hidden">\(texts[.onePlan])</legend>
            <ul class="plans">
            \(rows)</ul>
            </fieldset>

            """
    }

    /// What the customer reads before buying the selected plan.
    private func terms(of card: ProductCard) -> HTML {
        let features = card.features.map { "<li\(shop.attributes(of: $0.name))>\($0.name)</li>" as HTML }
        let list: HTML =
            features.isEmpty ? .empty : "<h3>\(texts[.includes])</h3>\n<ul class=\"includes\">\(features)</ul>\n"
        let description: HTML =
            card.description.isEmpty
            ? .empty : "<p\(shop.attributes(of: card.description))>\(card.description)</p>"
        return """
            <section class="terms" aria-label="\(card.name)">
            \(description)
            \(list)
            <div class="renewal">\(card.terms.charges)</div>
            </section>

            """
    }

    private func callToAction(_ card: ProductCard, _ state: PaywallViewState) -> HTML {
        let button = HTML.button(
            card.button.label, post: "/paywall/buy", value: card.id, kind: "primary wide",
            isDisabled: !card.button.isEnabled || state.isLoading)
        return "<div class=\"action\">\(button)</div>"
    }

    // MARK: Messages and progress

    private func messages(_ state: PaywallViewState) -> [HTML] {
        let warning: HTML =
            state.oldPrices.map { .messageBox("notice", texts.paywall.warning(of: $0)) } ?? .empty
        let message = state.isTakingLong ? nil : state.message
        return [message, state.productsMessage, state.pendingMessage].compactMap { $0 }.map(messageBox) + [warning]
    }

    private func messageBox(for message: PaywallMessage) -> HTML {
        let words = message.userMessage(texts.paywall)
        let retry: HTML =
            message.action.map { .button(texts.paywall.label(of: $0), post: "/paywall/retry", value: $0.rawValue) }
            ?? .empty
        let support = HTML.support(.paywall, label: texts.paywall.label(of: .contactSupport))
        return .messageBox(
            message.tone.rawValue, words.text, advice: words.advice,
            action: message.action == .contactSupport ? support : retry)
    }

    /// Covers the paywall while a purchase or a restore runs.
    private func overlay(_ state: PaywallViewState) -> HTML {
        guard let activity = state.activity else { return "<div id=\"progress\" role=\"status\"></div>" }
        let text: String =
            switch activity {
            case .purchasing: texts["paywall.button.buying"]
            case .restoring: texts["paywall.restore.restoring"]
            }
        // What stands below the overlay cannot be read.
        let words = state.isTakingLong ? state.message?.userMessage(texts.paywall) : nil
        let note: HTML = words.map { "<p>\($0.text) \($0.advice)</p>" } ?? .empty
        return """
            <div id="progress" role="status" class="overlay"><span class="spinner" aria-hidden="true"></span>\
            <p>\(text)</p>\
            \(note)</div>
            """
    }

    // MARK: Leaving

    private func closeButton(_ paywall: PaywallViewModel) -> HTML {
        guard paywall.state.isClosable else { return .empty }
        return .button("✕", post: "/paywall/close", kind: "close", name: texts[.close])
    }

    private func footer(_ paywall: PaywallViewModel) -> HTML {
        let legal = LegalLinks.links(texts, frame)
        let notNow =
            paywall.state.isClosable ? HTML.button(texts[.notNow], post: "/paywall/decline", kind: "plain") : HTML.empty
        return """
            <footer>
            \(notNow)
            \(HTML.button(legal.restore, post: "/paywall/restore", kind: "plain", isDisabled: paywall.state.isLoading))
            <a href="\(legal.terms.url)">\(legal.terms.label)</a>
            <a href="\(legal.privacy.url)">\(legal.privacy.label)</a>
            </footer>

            """
    }
}

/// The sheet of the simulated store, in which the customer confirms a purchase.
@MainActor
struct PaymentDialog {
    let shop: PreviewShop
    let frame: PageFrame

    var html: HTML {
        let texts = shop.texts
        guard let question = shop.sheet.question else {
            return "<dialog id=\"sheet\" class=\"sheet\" aria-labelledby=\"sheet-title\"></dialog>\n"
        }
        let proposal = question.proposal
        let number = "\(question.number)"
        let product = proposal.item?.product
        let name = product?.displayName ?? proposal.productID
        var price = HTML.empty
        if let product {
            let terms = PlanTerms(
                product, trial: shop.trial(of: product, on: question),
                duration: shop.catalog.prices.nonRenewingPeriod(of: product.id), legal: .links(texts, frame),
                texts: texts.paywall)
            let change = shop.effect(of: product).flatMap { texts.paywall.notice(of: $0) }
            price = """
                <p class="price">\(terms.introduction ?? terms.price)</p>
                \(change.map { "<p>\($0)</p>" as HTML } ?? .empty)
                <div class="renewal">\(terms.charges)</div>
                """
        }
        let warning: HTML =
            proposal.warning.map { .messageBox("notice", texts.words(of: $0).text) } ?? .empty
        return """
            <dialog id="sheet" class="sheet" aria-labelledby="sheet-title" data-open data-cancel="/sheet/cancel" \
            data-value="\(number)">
            <h2 id="sheet-title" tabindex="-1" autofocus>\(texts[.confirmTitle])</h2>
            <p class="name"\(shop.attributes(of: name))>\(name)</p>
            \(price)
            <p class="hint">\(texts[.confirmNote])</p>
            \(warning)
            <div class="row">
            \(HTML.button(texts[.cancel], post: "/sheet/cancel", value: number))
            \(HTML.button(texts[.confirm], post: "/sheet/confirm", value: number, kind: "primary"))
            </div>
            </dialog>

            """
    }
}

extension PlanTerms {
    /// What is charged now, what is charged later, and when.
    fileprivate var charges: HTML {
        let paragraphs = [introductionStart, introductionEnd, renewal].compactMap { $0 }.map { "<p>\($0)</p>" as HTML }
        return "\(paragraphs)"
    }
}
