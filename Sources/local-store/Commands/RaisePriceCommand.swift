internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes

/// `raise-price`: requests a price increase for a subscription, or answers the request.
struct RaisePriceCommand {
    let session: Session

    func run() throws {
        let operands = try session.arguments.checkedOperands(atMost: 2)
        let (consents, declines) = (session.arguments.has(.consent), session.arguments.has(.decline))
        let needsConsent = !session.arguments.has(.withoutConsent)
        let price = try operands.count == 2 ? price(operands[1]) : nil
        guard let subscription = operands.first, [price != nil, consents, declines].filter({ $0 }).count == 1 else {
            throw UsageError(
                "raise-price needs a subscription and one of a price, --consent and --decline",
                hint: "write local-store raise-price ID PRICE | --consent | --decline"
            )
        }
        guard needsConsent || price != nil else {
            throw UsageError(
                "--without-consent needs a price", hint: "write local-store raise-price ID PRICE --without-consent")
        }
        let opened = try OpenedStore(session, forSubscription: subscription)
        let id = try PurchaseSelector(opened).subscription(subscription).id
        let notifications = try opened.perform { engine in
            if let price {
                try engine.requestPriceIncrease(id, to: price, needsConsent: needsConsent)
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
            throw UsageError("invalid price \(Escaped(text).quoted)", hint: "give a price such as 5.99")
        }
        return price
    }
}
