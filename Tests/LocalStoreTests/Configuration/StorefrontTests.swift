import LocalStore
import ReceiptTypes
import Testing

struct StorefrontTests {
    @Test("the table has 175 storefronts, each with its own code and number")
    func table() {
        #expect(Storefront.known.count == 175)
        #expect(Set(Storefront.known.map(\.code)).count == 175)
        #expect(Set(Storefront.known.map(\.id)).count == 175)
        #expect(Storefront.known.allSatisfy { $0.code.utf8.count == 3 && $0.id.utf8.count == 6 })
        #expect(Storefront(code: "USA") == .unitedStates)
        #expect(Storefront(code: "USA")?.id == "143441")
        #expect(Storefront(code: "JPN")?.id == "143462")
        #expect(Storefront(code: "DEU")?.currency == .euro)
        #expect(Storefront(code: "usa") == nil)
        #expect(Storefront(code: "") == nil)
        #expect(Storefront.known.contains(.unitedStates))
    }

    @Test("every currency belongs to a storefront, and every symbol to one currency")
    func currencies() {
        #expect(Set(Storefront.known.map(\.currency)) == Set(Currency.known))
        #expect(Set(Currency.known.map(\.code)).count == Currency.known.count)
        let symbols = Currency.known.compactMap(\.symbol)
        #expect(Set(symbols).count == symbols.count)
        #expect(Currency.known.allSatisfy { $0.code.utf8.count == 3 && (0...3).contains($0.decimals) })
    }

    @Test("an unknown storefront has the currency of the United States")
    func fallback() {
        var settings = StoreSettings()
        settings.storefront = "UTO"
        #expect(settings.knownStorefront == .unitedStates)
        settings.storefront = "CHE"
        #expect(settings.knownStorefront.currency.code == "CHF")
    }

    @Test("display prices are exact, with at least the currency's decimals")
    func displayPrices() throws {
        let prices: [(String, Int64, String)] = [
            ("USA", 4990, "$4.99"), ("USA", 5000, "$5.00"), ("USA", 125, "$0.125"), ("USA", 39990, "$39.99"),
            ("DEU", 990, "€0.99"), ("JPN", 500_000, "¥500"), ("JPN", 500_500, "¥500.5"), ("KOR", 5_900_000, "₩5900"),
            ("CHE", 6500, "CHF\u{a0}6.50"), ("CAN", 1990, "CA$1.99"), ("VNM", 25_000_000, "₫25000"),
            ("AFG", 0, "$0.00"), ("USA", -1500, "-$1.50"), ("GBR", 1_000_000_000_000_000, "£1000000000000.00"),
            ("USA", .min, "-$9223372036854775.808"), ("USA", .max, "$9223372036854775.807"),
        ]
        for (code, price, text) in prices {
            let storefront = try #require(Storefront(code: code))
            #expect(storefront.currency.displayPrice(Milliunits(price)) == text)
        }
        let product = ConfiguredProduct(id: "a", type: .consumable, price: Milliunits(990))
        #expect(product.displayPrice(in: .unitedStates) == "$0.99")
    }
}
