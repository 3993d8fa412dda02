internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes

/// `raise-price`: a higher price is asked for, agreed to or declined.
struct RaisePriceCommand {
    let session: Session

    func run() throws {
        let operands = try Operands.upTo(2, session)
        let (consents, declines) = (session.arguments.has(.consent), session.arguments.has(.decline))
        let price = try operands.count == 2 ? price(operands[1]) : nil
        guard let subscription = operands.first, [price != nil, consents, declines].filter({ $0 }).count == 1 else {
            throw UsageError(
                "raise-price needs a subscription, and a price or an answer",
                hint: "local-store raise-price ID PRICE, or local-store raise-price ID --consent, or --decline"
            )
        }
        let opened = try OpenStore(session, toChange: true)
        let id = try Choice(opened).subscription(subscription).id
        let notifications = try opened.change { engine in
            if let price {
                try engine.requestPriceIncrease(id, to: price)
            } else if consents {
                try engine.consentToPriceIncrease(id)
            } else {
                try engine.declinePriceIncrease(id)
            }
        }.notifications
        let report = StoreReport(session: session)
        try report.write([opened.state.subscription(id)].compactMap { $0 })
        try report.write(notifications)
    }

    private func price(_ text: String) throws(UsageError) -> Milliunits {
        guard let price = Milliunits(decimal: text), price.rawValue > 0 else {
            throw UsageError("\(Escaped(text).quoted) is no price", hint: "a price is written as 5.99")
        }
        return price
    }
}
