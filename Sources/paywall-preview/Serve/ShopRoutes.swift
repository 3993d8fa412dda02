internal import Paywall
internal import PreviewServer
internal import PurchaseCore
internal import ReceiptTypes

/// The addresses of the shop.
///
/// A page shows the state of the shop, an action changes it. An action answers as soon as it has begun: its result is a
/// state that the pages show. It names what it is about, such as a plan, since the page of a window can be older than
/// the state.
@MainActor
struct ShopRoutes {
    private let shop: PreviewShop
    private let console: StoreConsole

    init(_ shop: PreviewShop) {
        self.shop = shop
        console = StoreConsole(shop)
    }

    var routes: [Route] { pages + files + customerActions + managementActions + storeActions + [.events("/events")] }

    // MARK: Pages

    private var pages: [Route] {
        [
            page("/", .shop, shop.texts[.shop]) { shop, frame in await ShopPage(shop: shop, frame: frame).html() },
            page("/account", .account, shop.texts[.account]) { shop, frame in
                await AccountPage(shop: shop, frame: frame).html()
            },
            page("/console", .console, "Store console", events: [.shop, .log]) { [console] shop, frame in
                ConsolePage(shop: shop, console: console, frame: frame).html
            },
            page("/terms", nil, shop.texts[.terms]) { shop, frame in
                LegalPage(frame: frame, text: shop.texts[.termsText]).html
            },
            page("/privacy", nil, shop.texts[.privacy]) { shop, frame in
                LegalPage(frame: frame, text: shop.texts[.privacyText]).html
            },
            .get("/support.json") { [shop] request in
                let subject = PreviewShop.SupportSubject(rawValue: request.target.query["about"] ?? "paywall")
                do {
                    guard let subject, let log = try await shop.supportLog(about: subject) else {
                        return .refusal(.notFound, "There is nothing to support.")
                    }
                    return .json(String(decoding: log, as: UTF8.self))
                } catch {
                    return .refusal(.unavailable, "The log cannot be read: \(error)")
                }
            },
        ]
    }

    private func page(
        _ path: String, _ place: PageFrame.Place?, _ title: String, events: [EventFeed.Name] = [.shop],
        _ html: @escaping @Sendable @MainActor (PreviewShop, PageFrame) async -> String
    ) -> Route {
        .get(path) { [shop] request in
            // The script asks for the state of a page that the customer has not left.
            let isRefresh = !request.headers.values(of: "x-preview-refresh").isEmpty
            if place != .console, !isRefresh { await shop.show(path) }
            let frame = PageFrame(
                texts: shop.texts, place: place, title: title, position: request.latestEventID,
                token: request.target.query["token"], events: events)
            return .html(await html(shop, frame))
        }
    }

    private var files: [Route] {
        [
            .file("/shop.js", contentType: "text/javascript; charset=utf-8", [UInt8](ShopScript.text.utf8)),
            .file("/shop.css", contentType: "text/css; charset=utf-8", [UInt8](ShopStyle.text.utf8)),
            .file("/icon.svg", contentType: "image/svg+xml", [UInt8](ShopStyle.icon.utf8)),
        ]
    }

    // MARK: Actions

    private var customerActions: [Route] {
        [
            action("/paywall/open") { shop, value in
                await shop.openPaywall(for: value.isEmpty ? nil : FeatureID(rawValue: value))
            },
            action("/paywall/select") { shop, value in shop.paywall?.selectPlan(value) },
            // Only what the customer has pressed the button for: another window can have selected another plan
            // meanwhile.
            action("/paywall/buy") { shop, value in
                guard let paywall = shop.paywall, paywall.selectedPlanID.isIdentical(to: value) else { return }
                await paywall.buy()
            },
            action("/paywall/restore") { shop, _ in await shop.paywall?.restore() },
            action("/paywall/retry") { shop, value in
                guard let action = PaywallMessage.Action(rawValue: value) else { return }
                await shop.retry(action)
            },
            // A paywall that must stay open shows that it does.
            action("/paywall/close") { shop, _ in try? shop.paywall?.dismiss() },
            action("/paywall/decline") { shop, _ in try? shop.paywall?.decline() },
            action("/sheet/confirm") { shop, value in shop.sheet.answer(true, to: value) },
            action("/sheet/cancel") { shop, value in shop.sheet.answer(false, to: value) },
            action("/shop/buy") { shop, value in await shop.buy(value) },
            action("/shop/forget") { shop, value in await shop.forgetPendingPurchase(of: value) },
            action("/subscription/manage") { shop, value in await shop.openManagement(value) },
            action("/subscription/close") { shop, _ in shop.showSubscription(nil) },
            action("/account/restore") { shop, _ in await shop.restorePurchases() },
            action("/account/dismiss") { shop, _ in shop.restore.dismiss() },
            action("/account/retry") { shop, _ in shop.history.retry() },
            action("/account/open") { shop, value in await shop.openDetail(value) },
            action("/account/close") { shop, _ in shop.closeDetail() },
        ]
    }

    private var managementActions: [Route] {
        PreviewShop.Management.allCases.map { management in
            action("/subscription/\(management.rawValue)") { shop, value in await shop.perform(management, on: value) }
        }
    }

    private func action(
        _ path: String, _ run: @escaping @Sendable @MainActor (PreviewShop, String) async -> Void
    ) -> Route {
        .post(path) { [shop] request in
            let value = request.target.query["value"] ?? ""
            Task { await run(shop, value) }
            return .json("{}")
        }
    }

    private var storeActions: [Route] {
        StoreConsole.Action.allCases.map { action in
            .post("/console/\(action.rawValue)") { [console] request in
                do throws(StoreConsole.Refusal) {
                    try await console.perform(action, request.target.query["value"] ?? "")
                    return .json("{}")
                } catch {
                    return .refusal(.badRequest, error.reason)
                }
            }
        }
    }
}
