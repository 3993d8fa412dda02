internal import CommandLineInterface

/// What all pages have: the head, the navigation, and the place of the dialogs.
struct PageFrame {
    /// A page of the navigation.
    enum Place: String, CaseIterable {
        case shop = "/"
        case account = "/account"
        case console = "/console"
    }

    let texts: ShopTexts
    /// The page; nil for one that is not in the navigation.
    let place: Place?
    let title: String
    /// The ID of the latest event when the page was made.
    let position: String
    /// The token of the page's address, which links to other pages keep.
    let token: String?
    /// The events after which the page shows itself anew.
    var events: [EventFeed.Name] = [.shop]

    func html(_ content: HTML, dialogs: HTML = .empty) -> String {
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="\(place == .console ? "en" : texts.tag)" dir="ltr">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title) – paywall-preview</title>
            <link rel="icon" href="/icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/shop.css">
            <script src="/shop.js" defer></script>
            </head>
            <body data-position="\(position)" data-events="\(events.map(\.rawValue).joined(separator: " "))">
            <a class="skip" href="#content">\(place == .console ? "Skip to the content" : texts[.skip])</a>
            <header id="header">
            <p class="brand">paywall-preview</p>
            <nav>\(links)</nav>
            </header>
            <main id="content" tabindex="-1">
            \(content)
            </main>
            <div id="dialogs">\(dialogs)</div>
            <p id="alert" lang="en" role="alert" popover="manual"></p>
            </body>
            </html>

            """
        return page.text
    }

    private var links: [HTML] {
        Place.allCases.map { place in
            let name =
                switch place {
                case .shop: texts[.shop]
                case .account: texts[.account]
                case .console: "Store console"
                }
            let current: HTML = place == self.place ? " aria-current=\"page\"" : .empty
            // The console is in English, and its page too.
            let language: HTML =
                place == .console ? " lang=\"en\"" : self.place == .console ? " lang=\"\(texts.tag)\"" : .empty
            return "<a href=\"\(address(place.rawValue))\"\(current)\(language)>\(name)</a>\n"
        }
    }

    /// Returns the address of another page, with the token of this one.
    func address(_ path: String) -> String { token.map { "\(path)?token=\($0)" } ?? path }
}

extension HTML {
    /// A message with its advice and its button.
    static func messageBox(_ tone: String, _ text: String, advice: String = "", action: HTML = .empty) -> HTML {
        let advice: HTML = advice.isEmpty ? .empty : "<p>\(advice)</p>"
        return "<div class=\"message \(tone)\"><p><strong>\(text)</strong></p>\(advice)\(action)</div>"
    }

    /// A link that downloads the log for support.
    static func support(_ subject: PreviewShop.SupportSubject, label: String) -> HTML {
        "<a class=\"button\" href=\"/support.json?about=\(subject.rawValue)\" download>\(label)</a>"
    }

    /// A button that sends an action to the server.
    static func button(
        _ label: String, post: String, value: String = "", kind: String = "", isDisabled: Bool = false,
        name: String? = nil
    ) -> HTML {
        let accessibleName: HTML = name.map { " aria-label=\"\($0)\"" } ?? .empty
        // A disabled button would lose the focus; one that only says so keeps it.
        let disabled: HTML = isDisabled ? " aria-disabled=\"true\"" : .empty
        return """
            <button type="button" class="\(kind)" data-post="\(post)" data-value="\(value)"\
            \(accessibleName)\(disabled)>\
            \(label)</button>
            """
    }
}
