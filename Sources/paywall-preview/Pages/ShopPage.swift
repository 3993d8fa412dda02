internal import PurchaseCore
internal import ReceiptTypes

/// The page of the shop: the products with their prices and with what the customer has.
struct ShopPage {
    /// A product, as the page shows it.
    struct Item: Sendable {
        let product: Product
        /// What the customer has of it, such as `unlocked`; nil if nothing.
        let state: String?
    }

    let items: [Item]
    /// The ID of the latest event when the page was made.
    let position: String

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Shop</title>
        <link rel="stylesheet" href="/shop.css">
        <script src="/shop.js" defer></script>
        </head>
        <body data-position="\(Self.escaped(position))">
        <main>
        <h1>Shop</h1>
        <ul>
        \(items.map(row).joined(separator: "\n"))
        </ul>
        </main>
        <p id="message" role="status"></p>
        </body>
        </html>

        """
    }

    private func row(_ item: Item) -> String {
        let product = item.product
        let name = Self.escaped(product.displayName)
        return """
            <li id="\(Self.escaped(product.id))">
            <h2>\(name)</h2>
            <p>\(Self.escaped(product.description))</p>
            <p>\(Self.escaped(product.displayPrice))\(Self.escaped(Self.period(of: product)))</p>
            <p class="state">\(Self.escaped(item.state ?? "not bought"))</p>
            <button data-product="\(Self.escaped(product.id))">Buy \(name)</button>
            </li>
            """
    }

    private static func period(of product: Product) -> String {
        guard let period = product.subscription?.period else { return "" }
        let months = period.months > 0 ? [period.months == 1 ? "month" : "\(period.months) months"] : []
        let days = period.days > 0 ? [period.days == 1 ? "day" : "\(period.days) days"] : []
        return " every \((months + days).joined(separator: " and "))"
    }

    /// Returns text whose characters have no meaning in HTML. The texts come from a file that anyone can have written.
    static func escaped(_ text: String) -> String {
        let references: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
        return text.reduce(into: "") { escaped, character in
            if let reference = references[character] { escaped += reference } else { escaped.append(character) }
        }
    }
}
