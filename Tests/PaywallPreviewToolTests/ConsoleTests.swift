import Foundation
import LocalStore
import LoopbackClient
import Paywall
import PurchaseCore
import ReceiptTypes
import Testing

@testable import paywall_preview

/// What a person at the store console does, and what the pages make of it.
@Suite("The store console of paywall-preview", .timeLimit(.minutes(15)))
struct ConsoleTests {
    private static let export = "com.example.app.export"
    private static let monthly = "com.example.app.pro.monthly"
    private static let yearly = "com.example.app.pro.yearly"
    private static let coins = "com.example.app.coins"

    /// Returns what the shop's page has if the export is granted or denied.
    private static func exportIs(_ access: String) -> String {
        "\(export)\" class=\"feature\" data-access=\"\(access)\""
    }

    @Test("a notice disappears as soon as an approval or a refund makes it wrong")
    func notices() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            try shop.post("/console/ask-to-buy", "on")
            try shop.post("/console/ask-to-buy", "on")
            try shop.buy(Self.export)
            try shop.wait(for: "is waiting for approval")
            try shop.pressInConsole("approve")
            try shop.wait(for: Self.exportIs("granted"))
            #expect(!(try shop.request("GET", "/").body.contains("is waiting for approval")))

            try shop.post("/console/ask-to-buy", "off")
            #expect(!(try shop.request("GET", "/console").body.contains("checked> Ask to Buy")))
            try shop.buy()
            try shop.wait(for: "It is unlocked now.")
            try shop.pressInConsole("refund")
            _ = try shop.wait { !$0.contains("It is unlocked now.") }
            #expect(shop.interrupt() == 0)
        }
    }

    private enum EndOfWait: CaseIterable { case button, buttonOfPaywall, day }

    @Test("a declined purchase waits, with advice, for a day or until the customer stops it, and can be bought again")
    func declined() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            let advice = "The store does not tell the app if it is declined: in that case, stop waiting, and"
            try shop.post("/console/ask-to-buy", "on")
            for end in EndOfWait.allCases {
                try shop.buy(Self.export)
                try shop.wait(for: "Export is waiting for approval.")
                #expect(try shop.request("GET", "/console").body.contains("does not tell the app if it is declined."))
                try shop.pressInConsole("decline")
                try shop.wait(for: "is declined; the store does not tell the app", on: "/console")
                #expect(try shop.request("GET", "/").body.contains(advice))
                switch end {
                case .button: try shop.post("/shop/forget", Self.export)
                case .buttonOfPaywall:
                    try shop.post("/paywall/open", Self.export)
                    try shop.wait(for: "data-value=\"stop-waiting\"")
                    try shop.post("/paywall/retry", "stop-waiting")
                    _ = try shop.wait { !$0.contains("stop-waiting") }
                    try shop.post("/paywall/close")
                case .day: try shop.post("/console/advance", "day")
                }
                let page = try shop.wait { !$0.contains("waiting for approval") }
                #expect(!page.contains("approv") && page.contains(Self.exportIs("denied")))
                let paywall = try shop.openPaywall(Self.export)
                #expect(paywall.contains("Buy for $4.99"))
                try shop.post("/paywall/close")
                _ = try shop.wait { !$0.contains("data-post=\"/paywall/close\"") }
            }
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("a subscription renews, is cancelled and resumed, fails to be paid, recovers and expires as the console says")
    func subscription() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            try shop.buy()
            try shop.wait(for: "left in the free trial.")
            try shop.wait(for: "pro by subscription of com.example.app.pro.yearly until 2", on: "/console")

            try shop.pressInConsole("renew")
            try shop.wait(for: "<p>Renews on ", on: "/account")
            #expect(!(try shop.request("GET", "/").body.contains("left in the free trial.")))
            try shop.pressInConsole("cancel-renewal")
            try shop.wait(for: "<p>Active until ", on: "/account")
            try shop.pressInConsole("resume-renewal")
            try shop.wait(for: "<p>Renews on ", on: "/account")

            try shop.pressInConsole("fail-payments")
            #expect(try shop.request("GET", "/console").body.contains("payments fail"))
            #expect(try shop.request("GET", "/").body.contains(Self.exportIs("granted")), "the period is paid")
            try shop.post("/console/advance", "year")
            try shop.wait(for: Self.exportIs("denied"))
            try shop.wait(for: "<p>The payment failed. Update the payment method", on: "/account")
            try shop.pressInConsole("recover-payments")
            try shop.wait(for: Self.exportIs("granted"))
            try shop.wait(for: "<p>Renews on ", on: "/account")

            try shop.pressInConsole("expire")
            try shop.wait(for: Self.exportIs("denied"))
            try shop.wait(for: "<p>Ended on ", on: "/account")
            #expect(try shop.request("GET", "/console").body.contains("expired, does not renew"))
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("a reversed refund unlocks again and leaves the account page, each time")
    func reversedRefund() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            try shop.buy(Self.export)
            try shop.wait(for: "data-section=\"active\"", on: "/account")
            for _ in 0..<2 {
                try shop.pressInConsole("refund")
                try shop.wait(for: Self.exportIs("denied"))
                try shop.wait(for: "<p>Refunded on ", on: "/account")
                try shop.pressInConsole("reverse-refund")
                try shop.wait(for: Self.exportIs("granted"))
                try shop.wait(for: "data-section=\"active\"", on: "/account")
            }
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("an interrupted purchase unlocks when the customer resolves it, and nothing when the customer gives it up")
    func interruptedPurchase() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "interrupted-\(UUID().uuidString).storekit")
        defer { try? FileManager.default.removeItem(at: file) }
        let configuration = StoreConfiguration.sample.replacingOccurrences(
            of: "\"_timeRate\": 0", with: "\"_timeRate\": 0, \"_billingIssuesEnabled\": true")
        try Data(configuration.utf8).write(to: file)
        try await offPool {
            let shop = try RunningShop(["--quiet", "--storekit", file.path()])
            try shop.buy(Self.export)
            try shop.wait(for: "Export is waiting for approval.")
            #expect(try shop.request("GET", "/console").body.contains("<p>Interrupted. "))
            try shop.pressInConsole("abandon")
            #expect(try shop.request("GET", "/console").body.contains("No purchase is waiting."))
            try shop.post("/shop/forget", Self.export)
            let page = try shop.wait { !$0.contains("is waiting for approval.") }
            #expect(page.contains(Self.exportIs("denied")))

            try shop.buy(Self.export)
            try shop.wait(for: "Export is waiting for approval.")
            try shop.pressInConsole("resolve")
            try shop.wait(for: Self.exportIs("granted"))
            _ = try shop.wait { !$0.contains("is waiting for approval.") }
            let console = try shop.request("GET", "/console").body
            #expect(console.contains("No purchase is waiting.") && console.contains("data-post=\"/console/refund\""))
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("the days of a trial become fewer as the store's clock is moved")
    func trialDays() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            try shop.buy()
            try shop.wait(for: "7 days left in the free trial.")
            try shop.post("/console/advance", "day")
            #expect(try shop.request("GET", "/").body.contains("6 days left in the free trial."))
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("faults do not replace each other, and the products of the next paywall fail to load, not those of a page")
    func faults() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            #expect(!(try shop.request("GET", "/").body.contains("class=\"message failure\"")))
            try shop.post("/console/fail-next", "products")
            #expect(!(try shop.request("GET", "/").body.contains("class=\"message failure\"")))
            try shop.post("/paywall/open", Self.export)
            try shop.wait(for: "data-value=\"load-again\"")
            try shop.post("/paywall/close")
            _ = try shop.wait { !$0.contains("data-post=\"/paywall/close\"") }

            try shop.post("/console/fail-next", "purchase")
            try shop.post("/console/spoil-next")
            try shop.post("/console/buy-elsewhere", Self.coins)
            try shop.buy(Self.export)
            try shop.wait(for: "data-value=\"restore-again\"")
            let page = try shop.request("GET", "/").body
            try shop.post("/paywall/buy", shop.value(of: "/paywall/buy", on: page))
            try shop.confirm()
            try shop.wait(for: "<span class=\"source\">verdict</span> <strong>Failure:</strong>", on: "/console")
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("a button does what it was pressed for: another plan is not bought, and another question is not answered")
    func outdatedButtons() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            let page = try shop.openPaywall(Self.export)
            #expect(shop.value(of: "/paywall/buy", on: page) == Self.export)
            try shop.post("/paywall/buy", Self.monthly)
            // A paywall that is buying could not be closed.
            try shop.post("/paywall/close")
            _ = try shop.wait { !$0.contains("data-post=\"/paywall/close\"") }

            _ = try shop.openPaywall(Self.export)
            try shop.post("/paywall/buy", Self.export)
            let sheet = try shop.wait(for: "data-post=\"/sheet/confirm\"")
            let number = shop.value(of: "/sheet/confirm", on: sheet)
            for wrong in ["", "0", "\(number)0"] { try shop.post("/sheet/confirm", wrong) }
            try shop.post("/sheet/cancel", number)
            try shop.wait(for: "The purchase was cancelled.")
            #expect(try shop.request("GET", "/console").body.contains("Nothing was sold yet."))
            let token = "token=\(shop.token)"
            #expect(try shop.request("POST", "/console/connection?value=&\(token)").status == 400)
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("no ID of an element has a space, and what is not in the language of its page says so")
    func markup() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "languages-\(UUID().uuidString).storekit")
        defer { try? FileManager.default.removeItem(at: file) }
        // One of the products has its name in English and Chinese only.
        let lines = StoreConfiguration.sample.components(separatedBy: "\n").filter { !$0.contains("メモをPDFで保存") }
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        try await offPool {
            let shop = try RunningShop(["--quiet", "--language", "ja", "--storekit", file.path()])
            let paywall = try shop.openPaywall(Self.export)
            for markup in [
                "<h4 dir=\"auto\">メモを書く</h4>", "<h4 dir=\"auto\" lang=\"en-US\">Export</h4>",
                "<span dir=\"auto\" lang=\"en-US\">Export</span>のロックを解除",
                "<span class=\"name\" dir=\"auto\" lang=\"ja\">Pro 年額</span>",
                "<p dir=\"auto\" lang=\"en-US\">Saves notes as PDF</p>", "<p id=\"alert\" lang=\"en\"",
            ] {
                #expect(paywall.contains(markup), "\(markup)")
            }
            try shop.post("/console/buy-elsewhere", Self.export)
            try shop.post("/account/restore")
            let account = try shop.wait(for: ">Export</h4>", on: "/account")
            #expect(account.contains("<h4 dir=\"auto\" lang=\"en-US\">Export</h4>"))
            for path in ["/", "/account", "/terms", "/privacy", "/console"] {
                let page = try shop.request("GET", path).body
                #expect(page.contains("<html lang=\"\(path == "/console" ? "en" : "ja")\" dir=\"ltr\">"), "\(path)")
                #expect(page.firstMatch(of: /\sid="[^"]*\s[^"]*"/) == nil)
                #expect(!page.contains("aria-busy"), "it would keep what is said from being read out")
            }
            let console = try shop.request("GET", "/console").body
            #expect(console.contains("lang=\"ja\">ショップ</a>"))
            #expect(console.contains("<h3 dir=\"auto\" lang=\"en-US\">Export</h3>"))
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("[OTP-6.1] the account page has a button that restores, and shows what is back")
    func restore() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            try shop.post("/console/buy-elsewhere", Self.export)
            let page = try shop.wait(for: "There are no purchases yet.", on: "/account")
            #expect(page.contains("data-post=\"/account/restore\""))
            try shop.post("/account/restore")
            try shop.wait(for: "1 purchase is restored.", on: "/account")
            try shop.wait(for: "data-section=\"active\"", on: "/account")
            #expect(shop.interrupt() == 0)
        }
    }

    @Test(
        "offline after a restart, the prices come from the cache with a warning, and an approval has its offer [OTP-F4]"
    )
    func restart() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "console-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let arguments = ["--data", folder.path(), "--quiet"]
        try await offPool {
            let first = try RunningShop(arguments)
            try first.post("/console/ask-to-buy", "on")
            try first.buy()
            try first.wait(for: "is waiting for approval")
            #expect(first.interrupt() == 0)

            let second = try RunningShop(arguments)
            try second.post("/console/connection", "off")
            let paywall = try second.openPaywall(Self.export)
            #expect(paywall.contains("$4.99") && paywall.contains("may have changed"))
            try second.post("/paywall/close")
            try second.post("/console/connection", "on")
            try second.pressInConsole("approve")
            try second.wait(for: "purchaseSuccess, offer A, plan com.example.app.pro.yearly", on: "/console")
            #expect(second.interrupt() == 0)
        }
    }

    // MARK: Without a process

    @Test("the best value is the lowest price for the time, and no plan is one if all cost the same")
    func bestValue() throws {
        func best(_ prices: [(BillingPeriod, Int64)]) throws -> [String] {
            let products = prices.enumerated().map { index, price in
                ConfiguredProduct(
                    id: "\(index)", type: .autoRenewableSubscription, price: Milliunits(price.1),
                    subscription: ConfiguredSubscription(groupID: "pro", level: 1, period: price.0))
            }
            let catalog = try ShopCatalog(
                StoreConfiguration(products: products), texts: ShopTexts(languages: ["en"]))
            return catalog.offers.offers.flatMap(\.plans).filter(\.isBestValue).map(\.id)
        }
        #expect(try best([(.month, 2_990), (.year, 19_990)]) == ["1"])
        #expect(try best([(.year, 99_990), (.month, 2_990)]) == ["1"], "a longer period is not always cheaper")
        #expect(try best([(.week, 990), (.month, 2_990), (.year, 59_990)]) == ["1"])
        #expect(try best([(.month, 2_990), (.month, 2_990)]) == [])
        #expect(try best([(.month, 2_990)]) == [])
    }

    @Test("a trial that was used up is not promised on the next paywall, not even for a moment")
    @MainActor
    func usedTrial() async throws {
        let (shop, folder) = try await newShop()
        defer { folder.removeIfTemporary() }
        await shop.start()
        await shop.openPaywall(for: nil)
        #expect(Self.promisesTrial(shop))
        try shop.paywall?.dismiss()
        while shop.paywall != nil, !Task.isCancelled { await Task.yield() }
        try shop.simulator.perform { engine in _ = try engine.buy(Self.yearly, for: PreviewShop.customer) }
        let id = try #require(shop.simulator.state.transactions.last?.id)
        try shop.simulator.perform { engine in try engine.expire(id) }
        await shop.becomeActive()
        let opening = Task { await shop.openPaywall(for: nil) }
        while shop.paywall == nil, !Task.isCancelled { await Task.yield() }
        #expect(!Self.promisesTrial(shop))
        await opening.value
        #expect(!Self.promisesTrial(shop))
        await shop.stop()
    }

    /// Whether the open paywall promises the free trial of the yearly plan.
    @MainActor
    private static func promisesTrial(_ shop: PreviewShop) -> Bool {
        guard let state = shop.paywall?.state, let product = state.products.first(where: { $0.id == yearly }),
            case .eligible = state.trial(of: product)
        else { return false }
        return true
    }

    @MainActor
    private func newShop() async throws -> (PreviewShop, PreviewFolder) {
        var generator = SystemRandomNumberGenerator()
        let folder = try PreviewFolder(nil, from: "--data", temporaryFolder: NSTemporaryDirectory(), using: &generator)
        let configuration = try StoreConfiguration.read([UInt8](StoreConfiguration.sample.utf8)).configuration
        let shop = try await PreviewShop(
            configuration, offers: nil, texts: ShopTexts(languages: ["en"]), in: folder, feed: EventFeed())
        return (shop, folder)
    }

    @Test("a text of the file has the language of its locale, and one of several locales that of the shown one")
    func languages() {
        func product(_ id: String, _ names: [String: String]) -> ConfiguredProduct {
            ConfiguredProduct(
                id: id, type: .nonConsumable, price: Milliunits(990),
                localizations: names.sorted(by: <).map { Localization(locale: $0.key, displayName: $0.value) })
        }
        var settings = StoreSettings()
        settings.locale = "fr"
        let configuration = StoreConfiguration(
            products: [
                product("a", ["de_DE": "Pro", "en_US": "Pro", "fr_FR": "Pro"]),
                product("b", ["ja": "書き出し", "zh_Hans": "导出"]),
            ], settings: settings)
        let languages = FileLanguages(of: configuration)
        #expect(languages.tag(of: "Pro") == "fr-FR" && languages.tag(of: "导出") == "zh-Hans")
        #expect(languages.tag(of: "Something else") == nil)
    }

    @Test("every event of the core that is a warning or an error is marked as a failure")
    func failures() {
        let log = CoreLog(feed: EventFeed(), clock: { Timestamp(clamping: 0) })
        let kinds: [PurchaseLogEvent.Kind] = [
            .remoteConfigFailed, .metadataFailed, .unverified, .analyticsFailed, .recorded,
        ]
        for kind in kinds { log.log(PurchaseLogEvent(kind, detail: "something")) }
        #expect(log.entries.map(\.isFailure) == [true, true, true, true, false])
    }
}
