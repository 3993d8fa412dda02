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
