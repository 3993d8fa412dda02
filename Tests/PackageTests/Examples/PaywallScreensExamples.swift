import Paywall
import PurchaseCore

// The code of Paywall's documentation on texts and screens.

/// `PaywallTexts.swift`
private func texts(product: Product, preferredLanguages: [String]) {
    let texts = PaywallTexts(languages: preferredLanguages)
    let price = texts.price(of: product)  // "$39.99 per year"
    let perMonth = texts.derivedPrice(of: product, per: .month)?.text  // "about $3.33 per month"
    print(price, perMonth ?? "")
}

/// A screen of an app.
@MainActor
private protocol Screen {
    func showProgress()
    func show(_ text: String)
    func show(_ title: String, _ items: [PurchaseItem])
    func offer(_ label: String, _ action: @escaping () -> Void)
}

/// `ShowingPurchases.md`
@MainActor
private func subscriptions(
    entitlementStore: EntitlementStore, products: [Product], flow: OneTimePurchaseFlow, screen: any Screen,
    texts: PaywallTexts, manageSubscription: @escaping () -> Void
) {
    for card in SubscriptionCard.cards(of: entitlementStore.entitlements, products: products, texts: texts) {
        screen.show("\(card.name): \(card.state)")
        if card.isManageable { screen.offer("Manage", manageSubscription) }
        for plan in card.plans where plan.isChoice {
            screen.offer(plan.label) { Task { await flow.purchaseProduct(plan.id) } }
        }
    }
}

/// `ShowingPurchases.md`
@MainActor
private func history(
    records: PurchaseRecords, entitlementStore: EntitlementStore, repository: PurchaseRepository,
    screen: any Screen, preferredLanguages: [String]
) async {
    let texts = PaywallTexts(languages: preferredLanguages)
    let history = PurchaseHistoryViewModel(
        records: records, entitlements: entitlementStore, products: repository, texts: texts)
    let following = Task { await history.follow() }  // until the screen is closed
    for await state in history.updates() {
        switch state {
        case .loading: screen.showProgress()
        case .empty(let text): screen.show(text)
        case .loaded(let history): for section in history.sections { screen.show(section.title, section.items) }
        case .failed(let error):
            screen.show(error.userMessage(languages: texts.languages).text)
            screen.offer("Try again") { history.retry() }
        }
    }
    following.cancel()
}

/// `ObservableScreen.swift`
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor
private func observed(history: PurchaseHistoryViewModel) {
    let screen = ObservableScreen(history)
    let following = Task { await screen.follow() }  // in SwiftUI: .task { await screen.follow() }
    following.cancel()
}

/// `ShowingPurchases.md`
@MainActor
private func support(
    history: PurchaseHistoryViewModel, item: PurchaseItem, screen: any Screen, mail: @escaping ([UInt8]) -> Void
) async throws {
    if let detail = try await history.detail(of: item.id), let label = detail.contactSupport {
        let log = try await history.supportLog(for: item.id)
        screen.offer(label) { mail(log ?? []) }
    }
}

/// `ShowingPurchases.md`
@MainActor
private func restore(flow: OneTimePurchaseFlow, texts: PaywallTexts, screen: any Screen) async {
    let restore = RestoreViewModel(purchase: OneTimePurchaseManager(flow), texts: texts)
    await restore.restore()  // after a tap: the store may ask for a password
    screen.show(restore.state.message)
    screen.show(restore.state.advice)
    if restore.state.offersRetry { screen.offer("Try again") { Task { await restore.restore() } } }
}
