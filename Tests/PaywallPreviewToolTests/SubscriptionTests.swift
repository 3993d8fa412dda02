import Foundation
import LocalStore
import LoopbackClient
import Testing

/// What a subscriber sees on the pages, and what the pages say about trials and payments.
@Suite("Subscriptions in paywall-preview", .timeLimit(.minutes(15)))
struct SubscriptionTests {
    private static let export = "com.example.app.export"
    private static let monthly = "com.example.app.pro.monthly"
    private static let yearly = "com.example.app.pro.yearly"
    private static let confirmed = "The store has confirmed the purchase. It is unlocked now."
    private static let failed = "The payment failed. Update the payment method"

    /// Returns the payment sheet for a product, as soon as it is shown.
    private static func sheet(for product: String, _ shop: RunningShop) throws -> String {
        try shop.post("/shop/buy", product)
        let page = try shop.wait(for: "data-post=\"/sheet/confirm\"")
        return String(page[try #require(page.range(of: "<dialog id=\"sheet\"")).lowerBound...])
    }

    /// Returns the section of a page with the customer's subscription.
    private static func section(_ page: String) -> String {
        page.components(separatedBy: "<section aria-labelledby=\"subscription\">").dropFirst().first?
            .components(separatedBy: "</section>").first ?? ""
    }

    @Test("a subscriber changes the plan in the shop: a higher one begins at once, a lower one with the renewal")
    func changeOfPlan() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            #expect(!(try shop.request("GET", "/").body.contains("id=\"subscription\"")))
            #expect(!(try Self.sheet(for: Self.monthly, shop).contains("The plan changes")))
            try shop.confirm()
            try shop.wait(for: "Thank you. You have Pro Monthly now.")
            let monthly = try shop.wait(for: "aria-label=\"Pro Yearly: Change now\"")
            #expect(Self.section(monthly).contains("Your plan"))
            #expect(try Self.sheet(for: Self.yearly, shop).contains("<p>The plan changes at once.</p>"))
            try shop.confirm()
            try shop.wait(for: "Thank you. You have Pro Yearly now.")
            try shop.wait(for: "aria-label=\"Pro Monthly: Change on ")
            #expect(try Self.sheet(for: Self.monthly, shop).contains("<p>The plan changes on "))
            try shop.confirm()
            try shop.wait(for: "<strong>The plan changes on ")
            let planned = try shop.wait(for: "aria-label=\"Pro Yearly: Keep this plan\"")
            #expect(Self.section(planned).contains("Begins on "))
            #expect(Self.section(try shop.request("GET", "/account").body).contains(">Change plan</a>"))
            _ = try Self.sheet(for: Self.yearly, shop)
            try shop.confirm()
            try shop.wait(for: "Your plan stays as it is.")
            try shop.wait(for: "aria-label=\"Pro Monthly: Change on ")
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("a subscription whose payment has failed has a notice, and the store's sheet takes another payment method")
    func failedPayment() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            try shop.buy()
            try shop.wait(for: "It is unlocked now.")
            try shop.pressInConsole("renew")
            try shop.wait(for: "Renews on ")
            try shop.pressInConsole("fail-payments")
            try shop.post("/console/advance", "year")
            for path in ["/", "/account"] {
                let page = try shop.wait(for: "<div class=\"message failure\"><p><strong>Pro Yearly</strong>", on: path)
                #expect(Self.section(page).contains(Self.failed), "\(path)")
            }
            let page = try shop.request("GET", "/account").body
            try shop.post("/subscription/manage", shop.value(of: "/subscription/manage", on: page))
            let sheet = try shop.wait(for: "data-post=\"/subscription/pay\"")
            try shop.post("/subscription/pay", shop.value(of: "/subscription/pay", on: sheet))
            let paid = try shop.wait { !$0.contains(Self.failed) }
            #expect(Self.section(paid).contains("Renews on ") && !paid.contains("message failure"))
            // The paid period is another transaction, and the sheet has closed.
            try shop.post("/subscription/manage", shop.value(of: "/subscription/manage", on: paid))
            let open = try shop.wait(for: "data-post=\"/subscription/cancel-renewal\"")
            try shop.post("/subscription/cancel-renewal", shop.value(of: "/subscription/cancel-renewal", on: open))
            try shop.wait(for: "data-post=\"/subscription/resume-renewal\"")
            try shop.wait(for: "<p>Active until ")
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("a grace period has a notice with its end, in the words of the language, and access goes on")
    func gracePeriod() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "grace-\(UUID().uuidString).storekit")
        defer { try? FileManager.default.removeItem(at: file) }
        let configuration = StoreConfiguration.sample.replacingOccurrences(
            of: "\"_timeRate\": 0", with: "\"_timeRate\": 0, \"_billingGracePeriodEnabled\": true")
        try Data(configuration.utf8).write(to: file)
        try await offPool {
            let shop = try RunningShop(["--quiet", "--storekit", file.path(), "--language", "ja"])
            _ = try Self.sheet(for: Self.monthly, shop)
            try shop.confirm()
            try shop.wait(for: "ありがとうございます。")
            try shop.pressInConsole("fail-payments")
            try shop.post("/console/advance", "month")
            let page = try shop.wait(for: "<div class=\"message failure\">")
            #expect(page.contains("\(Self.export)\" class=\"feature\" data-access=\"granted\""))
            #expect(!page.contains("message success"), "the notice of the purchase has ended")
            #expect(Self.section(page).contains(/[0-9]{4}年[0-9]{1,2}月[0-9]{1,2}日/))
            #expect(page.firstMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) == nil)
            #expect(shop.interrupt() == 0)
        }
    }

    @Test(
        "the free trial is promised again after a failed load, and neither the button nor the sheet promises it offline"
    )
    func trialAfterFailure() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            let promise = "7 days free, then $19.99 per year"
            func paywall(_ page: String) throws -> String {
                String(page[try #require(page.range(of: "<dialog id=\"paywall\"")).lowerBound...])
            }
            #expect(try shop.request("GET", "/").status == 200)
            try shop.post("/console/fail-next", "products")
            try shop.post("/paywall/open")
            try shop.wait(for: "data-value=\"load-again\"")
            try shop.post("/paywall/retry", "load-again")
            _ = try shop.wait { (try? paywall($0).contains("Try 7 days for free")) == true }
            #expect(!(try shop.request("GET", "/").body.contains("load-again")))

            try shop.post("/console/connection", "off")
            let offline = try shop.wait { (try? paywall($0).contains("Try 7 days for free")) == false }
            #expect(!(try paywall(offline).contains("7 days free")))
            try shop.post("/paywall/buy", shop.value(of: "/paywall/buy", on: offline))
            let asked = try shop.wait(for: "data-post=\"/sheet/confirm\"")
            #expect(!(try paywall(asked).contains("7 days free")) && asked.contains("$19.99 per year"))
            try shop.post("/sheet/cancel", shop.value(of: "/sheet/cancel", on: asked))
            try shop.wait(for: "The purchase was cancelled.")

            try shop.post("/console/connection", "on")
            let online = try shop.wait(for: "Try 7 days for free")
            try shop.post("/paywall/buy", shop.value(of: "/paywall/buy", on: online))
            #expect(try shop.wait(for: "data-post=\"/sheet/confirm\"").contains(promise))
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("a purchase whose first signature was spoiled is confirmed by the store's next one, without thanks")
    func spoiledSignature() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            try shop.post("/console/spoil-next")
            try shop.buy(Self.export)
            let failure = try shop.wait(for: "href=\"/support.json?about=paywall\"")
            #expect(!failure.contains("Thank you") && failure.contains("data-access=\"denied\""))
            try shop.post("/console/advance", "hour")
            try shop.post("/account/restore")
            let page = try shop.wait(for: "\(Self.export)\" class=\"feature\" data-access=\"granted\"")
            #expect(!page.contains("Thank you"))
            #expect(page.contains(Self.confirmed))
            #expect(shop.interrupt() == 0)
        }
    }

    @Test(
        "a subscription that the store's second answer proves during its purchase is confirmed, on a paywall and without"
    )
    func spoiledSubscription() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            try shop.post("/console/spoil-next")
            _ = try Self.sheet(for: Self.monthly, shop)
            try shop.confirm()
            #expect(!(try shop.wait(for: Self.confirmed).contains("Thank you")))
            _ = try Self.sheet(for: Self.yearly, shop)
            try shop.confirm()
            try shop.wait(for: "Thank you. You have Pro Yearly now.")
            #expect(shop.interrupt() == 0)

            let other = try RunningShop(["--quiet"])
            try other.post("/console/spoil-next")
            try other.buy()
            #expect(!(try other.wait(for: Self.confirmed).contains("Thank you")))
            #expect(other.interrupt() == 0)
        }
    }

    @Test("a notice ends when the customer opens another page, and stays when the same page is loaded or refreshed")
    func noticeEnds() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            let thanks = "Thank you. It is unlocked now."
            try shop.buy(Self.export)
            try shop.wait(for: thanks)
            #expect(try shop.request("GET", "/").body.contains(thanks))
            _ = try shop.request("GET", "/console")
            #expect(try shop.request("GET", "/").body.contains(thanks), "the console is not the customer's")
            #expect(!(try shop.request("GET", "/account").body.contains(thanks)))
            #expect(!(try shop.request("GET", "/").body.contains(thanks)))
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("a language without texts has a warning", arguments: ["fr", "xx-unknown", "ja", "zh-Hant-TW", "en_GB.UTF-8"])
    func languages(tag: String) async throws {
        try await offPool {
            let shop = try RunningShop(["--language", tag])
            #expect(shop.interrupt() == 0)
            let isUnknown = ["fr", "xx-unknown"].contains(tag)
            let messages = shop.messages()
            #expect(
                messages.contains("there are no texts in the language \"\(tag)\": they are in English") == isUnknown)
            #expect(messages.contains("warning: ") == isUnknown)
        }
    }
}
