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

    @Test("the best localization has the exact locale, else the language, else comes first in the file")
    func fallback() {
        #expect(chosen("de_CH", from: ["en_US", "de", "de_CH"]) == "de_CH")
        #expect(chosen("de_CH", from: ["en_US", "de_AT", "de"]) == "de")
        #expect(chosen("de_CH", from: ["en_US", "de_AT", "de_DE"]) == "de_AT")
        #expect(chosen("de_CH", from: ["en_US", "fr"]) == "en_US")
        #expect(chosen("de", from: ["en_US", "de_DE"]) == "de_DE")
        #expect(chosen("de", from: []) == nil)
        #expect(chosen("", from: ["en_US"]) == "en_US")
    }

    @Test("locales match regardless of case and of hyphen or underscore")
    func spelling() {
        #expect(chosen("pt-br", from: ["pt_PT", "pt_BR"]) == "pt_BR")
        #expect(chosen("pt_BR", from: ["pt-PT", "pt-br"]) == "pt-br")
        #expect(chosen("den", from: ["en_US", "de"]) == "en_US")
    }

    @Test("groups choose their localization like products")
    func groups() {
        let names = [
            Localization(locale: "en_US", displayName: "Plus"), Localization(locale: "ar", displayName: "بلس"),
        ]
        let group = SubscriptionGroup(id: "G", localizations: names)
        #expect(group.localization(for: "ar_SA")?.displayName == "بلس")
        #expect(group.localization(for: "ja")?.displayName == "Plus")
    }
}
