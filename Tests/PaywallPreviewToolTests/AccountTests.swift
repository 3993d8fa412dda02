import Foundation
import LocalStore
import LoopbackClient
import Testing

/// What a customer buys on the pages without a paywall, and when it ends.
@Suite("Purchases without a paywall in paywall-preview", .timeLimit(.minutes(15)))
struct AccountTests {
    private static let export = "com.example.app.export"
    private static let monthly = "com.example.app.pro.monthly"

    @Test("a refunded purchase can be bought again on the account page, which shows that it waits for an approval")
    func buyAgain() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            try shop.buy(Self.export)
            try shop.wait(for: "It is unlocked now.")
            #expect(!(try shop.request("GET", "/account").body.contains("Buy again")))
            try shop.pressInConsole("refund")
            let button = "data-post=\"/shop/buy\" data-value=\"\(Self.export)\""
            #expect(try shop.wait(for: button, on: "/account").contains("Buy again"))

            try shop.post("/console/ask-to-buy", "on")
            try shop.post("/shop/buy", Self.export)
            let sheet = try shop.wait(for: "data-post=\"/sheet/confirm\"", on: "/account")
            try shop.post("/sheet/confirm", shop.value(of: "/sheet/confirm", on: sheet))
            let page = try shop.wait(for: "Export is waiting for approval.", on: "/account")
            #expect(page.contains("\(button) aria-label=\"Buy again: Export\" aria-disabled=\"true\""))
            #expect(page.contains("Stop waiting for Export"))
            try shop.wait(for: "the purchase of \(Self.export) is pending: awaiting-approval", on: "/console")
            try shop.pressInConsole("approve")
            try shop.wait(for: "data-section=\"active\"", on: "/account")

            try shop.post("/shop/buy", Self.export)
            try shop.wait(for: "You have this already. Nothing was bought.", on: "/account")
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("another plan that begins at the renewal says when, and a period that the clock steps over is over")
    func planAndClock() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            try shop.buy()
            try shop.wait(for: "It is unlocked now.")
            try shop.post("/shop/buy", Self.monthly)
            try shop.confirm()
            _ = try shop.wait { $0.contains(/The plan changes on [A-Z][a-z]+ [0-9]{1,2}, [0-9]{4}\./) }

            try shop.wait(for: "it renews for $2.99 per month.", on: "/account")
            #expect(try shop.request("GET", "/console").body.contains("active, renews as Pro Monthly"))

            // The free trial lasts a week, and its last instant belongs to it.
            try shop.pressInConsole("cancel-renewal")
            try shop.wait(for: "It does not renew.", on: "/account")
            _ = try shop.wait { !$0.contains("The plan changes on") }
            try shop.post("/console/advance", "week")
            try shop.wait(for: "<p>Ended on ", on: "/account")
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("the advice to restore disappears when the customer has followed it")
    func adviceFollowed() async throws {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            let advice = "Wait a moment or restore purchases. Do not buy it again."
            try shop.post("/shop/buy", Self.export)
            let sheet = try shop.wait(for: "data-post=\"/sheet/confirm\"")
            try shop.post("/console/connection", "off")
            try shop.post("/sheet/confirm", shop.value(of: "/sheet/confirm", on: sheet))
            try shop.wait(for: advice)
            try shop.post("/account/restore")
            #expect(try shop.request("GET", "/").body.contains(advice), "it failed")
            try shop.post("/console/connection", "on")
            try shop.post("/account/restore")
            _ = try shop.wait { !$0.contains(advice) }
            #expect(shop.interrupt() == 0)
        }
    }

    @Test("a non-renewing subscription without a period in the file lasts a month")
    func nonRenewing() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "pass-\(UUID().uuidString).storekit")
        defer { try? FileManager.default.removeItem(at: file) }
        let pass = """
            "nonRenewingSubscriptions": [
              {
                "displayPrice": "9.99", "familyShareable": false, "internalID": "7000000030",
                "localizations": [{ "description": "All events", "displayName": "Pass", "locale": "en_US" }],
                "productID": "pass", "referenceName": "Pass", "type": "NonRenewingSubscription"
              }
            ]
            """
        let configuration = StoreConfiguration.sample.replacingOccurrences(
            of: "\"nonRenewingSubscriptions\": []", with: pass)
        try Data(configuration.utf8).write(to: file)
        try await offPool {
            let shop = try RunningShop(["--quiet", "--storekit", file.path()])
            try shop.buy("pass")
            try shop.wait(for: "It is unlocked now.")
            try shop.wait(for: "data-section=\"active\"", on: "/account")
            for _ in 0..<4 { try shop.post("/console/advance", "week") }
            #expect(try shop.request("GET", "/").body.contains("pass\" class=\"feature\" data-access=\"granted\""))
            try shop.post("/console/advance", "week")
            try shop.wait(for: "pass\" class=\"feature\" data-access=\"denied\"")
            try shop.wait(for: "data-section=\"inactive\"", on: "/account")
            #expect(shop.interrupt() == 0)
        }
    }
}
