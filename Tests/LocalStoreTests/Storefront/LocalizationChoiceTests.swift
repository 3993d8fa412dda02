import LocalStore
import ReceiptTypes
import Testing

struct LocalizationChoiceTests {
    private func chosen(_ locale: String, from locales: [String]) -> String? {
        let product = ConfiguredProduct(
            id: "a", type: .consumable, price: Milliunits(0),
            localizations: locales.map { Localization(locale: $0, displayName: $0) }
        )
        return product.localization(for: locale)?.displayName
    }

    @Test("the exact language comes first, then the language, then whatever is first")
    func fallback() {
        #expect(chosen("de_CH", from: ["en_US", "de", "de_CH"]) == "de_CH")
        #expect(chosen("de_CH", from: ["en_US", "de_AT", "de"]) == "de")
        #expect(chosen("de_CH", from: ["en_US", "de_AT", "de_DE"]) == "de_AT")
        #expect(chosen("de_CH", from: ["en_US", "fr"]) == "en_US")
        #expect(chosen("de", from: ["en_US", "de_DE"]) == "de_DE")
        #expect(chosen("de", from: []) == nil)
        #expect(chosen("", from: ["en_US"]) == "en_US")
    }

    @Test("a hyphen and small letters are the same language")
    func spelling() {
        #expect(chosen("pt-br", from: ["pt_PT", "pt_BR"]) == "pt_BR")
        #expect(chosen("pt_BR", from: ["pt-PT", "pt-br"]) == "pt-br")
        #expect(chosen("den", from: ["en_US", "de"]) == "en_US")
    }

    @Test("groups are named in the same way")
    func groups() {
        let names = [
            Localization(locale: "en_US", displayName: "Plus"), Localization(locale: "ar", displayName: "بلس"),
        ]
        let group = SubscriptionGroup(id: "G", localizations: names)
        #expect(group.localization(for: "ar_SA")?.displayName == "بلس")
        #expect(group.localization(for: "ja")?.displayName == "Plus")
    }
}
