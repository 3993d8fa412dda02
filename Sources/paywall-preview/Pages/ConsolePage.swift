internal import CommandLineInterface
internal import LocalStore
internal import Paywall
internal import PurchaseCore
internal import ReceiptTypes

/// The page of the simulated store: what it has sold, what it can do next, and what the app's core has done.
///
/// It is for developers, so it is in English.
@MainActor
struct ConsolePage {
    let shop: PreviewShop
    let console: StoreConsole
    let frame: PageFrame

    /// The number of transactions that are shown.
    private static let limit = 30

    var html: String {
        let state = shop.simulator.state
        let content: HTML = """
            <h1>Store console</h1>
            <p class="hint">The other side of the shop: what the simulated store does, and what the app makes of it.</p>
            <div class="columns">
            <div>
            \(device(state))
            \(waiting(state))
            \(subscriptions(state))
            \(transactions(state))
            </div>
            \(log)
            </div>
            """
        return frame.html(content)
    }

    // MARK: The device and the next calls

    private func device(_ state: SimulatorState) -> HTML {
        let products = shop.configuration.products.map { (value: $0.id, label: name(of: $0.id)) }
        let steps = StoreConsole.Step.allCases.map { (value: $0.rawValue, label: $0.rawValue) }
        let calls = StoreConsole.Call.allCases.map { (value: $0.rawValue, label: $0.label) }
        return """
            <section aria-labelledby="device">
            <h2 id="device">Device and store</h2>
            <p>The store's clock: <time>\(moment(state.now))</time></p>
            <div class="row">
            \(toggle("Online", .connection, isOn: console.isOnline))
            \(toggle("Ask to Buy", .askToBuy, isOn: console.isAskToBuyEnabled))
            </div>
            \(choice("Move the clock by one", .advance, steps, "Move"))
            \(choice("Fail the next call for", .failNext, calls, "Fail"))
            \(choice("Buy on another device", .buyElsewhere, products, "Buy"))
            <p>\(button("Spoil the next signature", .spoilNext))</p>
            <p class="hint">The store signs a purchase when it sells it, and again each time the app reads it.</p>
            </section>

            """
    }

    private func toggle(_ label: String, _ action: StoreConsole.Action, isOn: Bool) -> HTML {
        """
        <label class="switch"><input type="checkbox" role="switch" data-post="/console/\(action.rawValue)"\
        \("checked", if: isOn)> \(label)</label>
        """
    }

    private func choice(
        _ label: String, _ action: StoreConsole.Action, _ values: [(value: String, label: String)], _ verb: String
    ) -> HTML {
        let options = values.map { value, label -> HTML in
            "<option value=\"\(value)\"\(shop.attributes(of: label))>\(label)</option>"
        }
        return """
            <form class="row" data-post="/console/\(action.rawValue)">
            <label for="\(action.rawValue)">\(label)</label>
            <select id="\(action.rawValue)" name="value">\(options)</select>
            <button type="submit">\(verb)</button>
            </form>
            """
    }

    private func button(
        _ label: String, _ action: StoreConsole.Action, _ value: String = "", of name: String? = nil
    ) -> HTML {
        .button(label, post: "/console/\(action.rawValue)", value: value, name: name.map { "\(label): \($0)" })
    }

    // MARK: What was sold

    private func waiting(_ state: SimulatorState) -> HTML {
        let rows = state.pending.map { order -> HTML in
            let name = name(of: order.productID)
            let buttons =
                order.kind == .approval
                ? [button("Approve", .approve, order.id, of: name), button("Decline", .decline, order.id, of: name)]
                : [button("Resolve", .resolve, order.id, of: name), button("Abandon", .abandon, order.id, of: name)]
            let state =
                order.kind == .approval
                ? "Waits for approval. The store does not tell the app if it is declined."
                : "Interrupted. The store does not tell the app if it is abandoned."
            return """
                <li data-key="pending \(order.id)" class="feature">
                <div>\(heading(order.productID))\
                <p>\(state)</p></div>
                <div class="row">\(buttons)</div>
                </li>

                """
        }
        return list("Waiting purchases", "waiting", rows, empty: "No purchase is waiting.")
    }

    private func subscriptions(_ state: SimulatorState) -> HTML {
        let rows = state.subscriptions.filter { $0.account == PreviewShop.customer }.reversed().prefix(Self.limit)
            .map { subscription -> HTML in
                let name = name(of: subscription.productID)
                let next = subscription.renewalProductID
                let plan = next.isIdentical(to: subscription.productID) ? "" : " as \(self.name(of: next))"
                let renewal = subscription.willAutoRenew ? "renews\(plan)" : "does not renew"
                let payments = subscription.hasBillingIssue ? ", payments fail" : ""
                var buttons: [HTML] = []
                if subscription.isRunning {
                    let id = subscription.latestTransactionID
                    buttons = [
                        button("Renew", .renew, id, of: name),
                        subscription.willAutoRenew
                            ? button("Turn renewal off", .cancelRenewal, id, of: name)
                            : button("Turn renewal on", .resumeRenewal, id, of: name),
                        subscription.hasBillingIssue
                            ? button("Let payments succeed", .recoverPayments, id, of: name)
                            : button("Let payments fail", .failPayments, id, of: name),
                        button("Expire", .expire, id, of: name),
                    ]
                }
                return """
                    <li data-key="subscription \(subscription.id)" class="feature">
                    <div>\(heading(subscription.productID))
                    <p>\(subscription.standing.words), \(renewal)\(payments), \
                    period to \(moment(subscription.expiresDate))</p></div>
                    <div class="row">\(buttons)</div>
                    </li>

                    """
            }
        return list("Subscriptions", "subscriptions", rows, empty: "There is no subscription.")
    }

    private func transactions(_ state: SimulatorState) -> HTML {
        let rows = state.transactions.suffix(Self.limit).reversed().map { transaction -> HTML in
            let name = name(of: transaction.productID)
            let refund =
                transaction.isRevoked
                ? button("Reverse the refund", .reverseRefund, transaction.id, of: name)
                : button("Refund", .refund, transaction.id, of: name)
            var facts = [transaction.reason.rawValue.lowercased(), moment(transaction.purchaseDate)]
            facts.append(transaction.isFinished ? "finished" : "not finished")
            if transaction.isRevoked { facts.append("refunded") }
            return """
                <li data-key="transaction \(transaction.id)" class="feature">
                <div>\(heading(transaction.productID))<p>\(transaction.id): \(facts.joined(separator: ", "))</p></div>
                <div class="row">\(refund)</div>
                </li>

                """
        }
        return list("Transactions", "transactions", rows, empty: "Nothing was sold yet.")
    }

    private func list(_ title: String, _ id: String, _ rows: [HTML], empty: String) -> HTML {
        let content: HTML =
            rows.isEmpty ? "<p class=\"hint\">\(empty)</p>" : "<ul class=\"features\">\n\(rows)</ul>"
        return "<section aria-labelledby=\"\(id)\">\n<h2 id=\"\(id)\">\(title)</h2>\n\(content)\n</section>\n"
    }

    private func name(of productID: String) -> String {
        shop.configuration.product(productID)?.localization(for: shop.configuration.settings.locale)?.displayName
            ?? productID
    }

    private func heading(_ productID: String) -> HTML {
        let name = name(of: productID)
        return "<h3\(shop.attributes(of: name))>\(name)</h3>"
    }

    /// Returns a time in UTC to the second.
    private func moment(_ date: Timestamp) -> String {
        let text = date.description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
    }

    // MARK: The log

    private var log: HTML {
        // In words too, for a person that does not see the colour.
        let failure: HTML = " <strong>Failure:</strong>"
        let rows = shop.log.entries.reversed().map { entry -> HTML in
            """
            <li data-key="entry \(String(entry.number))" class="\(entry.isFailure ? "failure" : "")">
            <span class="source">\(entry.source.rawValue)</span>\(entry.isFailure ? failure : .empty) \
            <span>\(entry.text)</span>
            <time>\(moment(entry.date))</time>
            </li>

            """
        }
        return """
            <section aria-labelledby="log" class="log">
            <h2 id="log">What the core did</h2>
            <ol reversed tabindex="0" aria-label="What the core did, the latest first">
            \(rows)</ol>
            </section>

            """
    }
}
