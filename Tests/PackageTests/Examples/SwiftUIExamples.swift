#if canImport(SwiftUI)
    import Foundation
    import Paywall
    import PurchaseCore
    import SwiftUI

    // The code of `ScreensInSwiftUI.md`. Where there is no SwiftUI, `SwiftUITests` compiles it against a stub.

    @available(macOS 14.0, iOS 17.0, *)
    struct Shop {
        let coordinator: PaywallCoordinator  // root view: .task { try? await shop.coordinator.start() }
        let entitlements: ObservableEntitlements  // root view: .task { await shop.entitlements.follow() }
        let catalog: TemplatePriceCatalog
        let trial: (Product) -> TrialEligibility  // of a `TrialManager`
        let texts: PaywallTexts
        let legal: LegalLinks
        let contactSupport: ([UInt8]?) -> Void  // opens a mail with the log
    }

    @available(macOS 14.0, iOS 17.0, *)
    struct ExportButton: View {
        let shop: Shop
        let export: () -> Void
        @State private var paywall: PaywallViewModel?
        @State private var notice = ""

        var body: some View {
            let isUnlocked = shop.entitlements.grants(.feature("export"))
            VStack {
                Button("Export", systemImage: isUnlocked ? "square.and.arrow.up" : "lock") {
                    if isUnlocked { export() } else { Task { await unlock() } }
                }
                .accessibilityHint(isUnlocked ? "" : "Locked. Shows the plans that include it.")
                Text(notice)
            }
            .sheet(item: $paywall) { paywall in PaywallScreen(paywall, shop) }
        }

        private func unlock() async {
            paywall = try? shop.coordinator.toPaywall(featureID: "export")
            guard let paywall, await paywall.waitForResult() != nil else { return }
            notice = paywall.state.message?.userMessage(shop.texts).text ?? ""
        }
    }

    @available(macOS 14.0, iOS 17.0, *)
    struct PaywallScreen: View {
        private let shop: Shop
        @State private var screen: ObservableScreen<PaywallViewModel>
        @Environment(\.dismiss) private var dismiss

        init(_ paywall: PaywallViewModel, _ shop: Shop) {
            self.shop = shop
            _screen = State(initialValue: ObservableScreen(paywall))
        }

        private var paywall: PaywallViewModel { screen.model }
        private var state: PaywallViewState { screen.state }

        var body: some View {
            ScrollView {
                VStack(alignment: .leading) {
                    Text("Choose a plan").font(.title).accessibilityAddTraits(.isHeader)
                    ForEach(state.products) { product in plan(card(of: product)) }
                    if let prices = state.oldPrices { Text(shop.texts.warning(of: prices)) }
                    let messages = [state.message, state.productsMessage, state.pendingMessage]
                    ForEach(messages.compactMap(\.self), id: \.self) { view(of: $0) }
                    if let product = state.products.first(where: { $0.id == state.selectedPlanID }) {
                        purchase(card(of: product))
                    }
                    Button(shop.legal.restore) { Task { await paywall.restore() } }
                    ForEach([shop.legal.terms, shop.legal.privacy], id: \.url) { link in
                        if let url = URL(string: link.url) { Link(link.label, destination: url) }
                    }
                }
                .disabled(state.isLoading)
                if state.isClosable { Button("Not now") { try? paywall.decline() } }
            }
            .overlay { if state.isLoading || state.isLoadingProducts { ProgressView("One moment, please") } }
            .interactiveDismissDisabled(!state.isClosable)
            .onChange(of: state.message) { _, message in
                guard let words = message?.userMessage(shop.texts) else { return }
                AccessibilityNotification.Announcement("\(words.text) \(words.advice)").post()
            }
            .onChange(of: state.result) { dismiss() }
            .onDisappear { try? paywall.dismiss() }  // after a swipe
            .task { await screen.follow() }
            .task { await paywall.load() }
        }

        private func plan(_ card: ProductCard) -> some View {
            Button {
                paywall.selectPlan(card.id)
            } label: {
                VStack(alignment: .leading) {
                    Label(card.name, systemImage: card.id == state.selectedPlanID ? "circle.inset.filled" : "circle")
                    Text(card.price).font(.title3)
                    Text(card.terms.introduction ?? card.kind)
                    if let derived = card.terms.derivedPrice { Text(derived.text).font(.footnote) }
                    ForEach(card.features) { feature in Text(feature.name) }
                }
            }
            .buttonStyle(.bordered)
            .accessibilityAddTraits(card.id == state.selectedPlanID ? .isSelected : [])
        }

        @ViewBuilder
        private func purchase(_ card: ProductCard) -> some View {
            if let start = card.terms.introductionStart { Text(start) }
            if let end = card.terms.introductionEnd { Text(end) }
            Text(card.terms.renewal)
            Button(card.button.label) { Task { await paywall.buy() } }
                .buttonStyle(.borderedProminent)
                .disabled(!card.button.isEnabled)
        }

        @ViewBuilder
        private func view(of message: PaywallMessage) -> some View {
            let words = message.userMessage(shop.texts)
            Label(words.text, systemImage: message.tone == .failure ? "exclamationmark.triangle" : "info.circle")
            Text(words.advice)
            if message.action == .contactSupport {
                Button("Contact support") { Task { shop.contactSupport(try? await paywall.supportLog()) } }
            } else if let action = message.action {
                Button(shop.texts.label(of: action)) { Task { await paywall.perform(action) } }
            }
        }

        private func card(of product: Product) -> ProductCard {
            let button = PurchaseButtonState(
                of: product, entitlements: shop.entitlements.entitlements, pending: state.pendingPlanIDs)
            return ProductCard(
                product, catalog: shop.catalog, trial: shop.trial(product), comparison: .month, state: button,
                legal: shop.legal, texts: shop.texts)
        }
    }

    @available(macOS 14.0, iOS 17.0, *)
    struct PurchasesScreen: View {
        let shop: Shop
        @State var history: ObservableScreen<PurchaseHistoryViewModel>
        @State var restore: ObservableScreen<RestoreViewModel>

        var body: some View {
            List {
                switch history.state {
                case .loading: ProgressView("Loading your purchases")
                case .empty(let text): Text(text)
                case .loaded(let purchases): ForEach(purchases.sections) { section in rows(of: section) }
                case .failed(let error):
                    Text(error.userMessage(languages: shop.texts.languages).text)
                    Button("Try again") { history.model.retry() }
                }
                Button(shop.legal.restore) { Task { await restore.model.restore() } }.disabled(restore.state.isLoading)
                Text("\(restore.state.message) \(restore.state.advice)")
                if restore.state.offersSupport {
                    Button("Contact support") { Task { shop.contactSupport(try? await restore.model.supportLog()) } }
                }
            }
            .task { await history.model.follow() }
            .task { await history.follow() }
            .task { await restore.follow() }
        }

        private func rows(of section: PurchaseHistory.Section) -> some View {
            Section(section.title) {
                ForEach(section.items) { item in
                    VStack(alignment: .leading) {
                        Text(item.name)
                        Text(item.state).font(.footnote)
                    }
                    .accessibilityElement(children: .combine)
                }
            }
        }
    }
#endif
