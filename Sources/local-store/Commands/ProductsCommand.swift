internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `products`: lists the products of the store with their offers.
struct ProductsCommand {
    let session: Session

    func run() throws {
        try session.arguments.checkNoOperands()
        let opened = try OpenedStore(session, forWriting: false)
        try opened.store.requireNoSimulatedError(in: .loadProducts)
        let settings = opened.state.settings
        let storefront = settings.knownStorefront
        var table = TextTable()
        for product in opened.store.configuration.products {
            guard !session.writesJSON else {
                try session.writeLine(Self.object(product, storefront, settings.locale), as: .product)
                continue
            }
            let renewal = product.subscription.map { "every \($0.period), level \($0.level)" } ?? product.type.rawValue
            var remarks = product.subscription.map { Self.offers(of: $0).map(\.words) + Self.plans(of: $0) } ?? []
            if product.isFamilyShareable { remarks.append("family sharing") }
            table.add([
                product.id, product.displayPrice(in: storefront), renewal, Self.name(of: product, settings.locale),
                remarks.joined(separator: ", "),
            ])
        }
        try table.write(to: session.output)
    }

    private static func name(of product: ConfiguredProduct, _ locale: String) -> String {
        product.localization(for: locale)?.displayName ?? product.referenceName
    }

    private static func object(_ product: ConfiguredProduct, _ storefront: Storefront, _ locale: String) -> JSONObject {
        var object: JSONObject = [
            "type": .string("product"), "productId": .string(product.id), "productType": .string(product.type.rawValue),
            "displayName": .string(name(of: product, locale)), "price": .string("\(product.price)"),
            "currency": .string(storefront.currency.code),
            "displayPrice": .string(product.displayPrice(in: storefront)),
            "familyShareable": .boolean(product.isFamilyShareable),
        ]
        guard let subscription = product.subscription else { return object }
        object["groupId"] = .string(subscription.groupID)
        object["level"] = .integer(Int64(subscription.level))
        object["period"] = .string("\(subscription.period)")
        object["offers"] = .array(
            offers(of: subscription).map { kind, offer, _ in
                .object([
                    "kind": .string(kind), "id": .optionalString(offer.id), "name": .string(offer.referenceName),
                    "paymentMode": .string(offer.paymentMode.rawValue), "period": .string("\(offer.period)"),
                    "periodCount": .integer(Int64(offer.periodCount)), "price": .string("\(offer.price)"),
                ])
            })
        object["billingPlans"] = .array(
            subscription.billingPlans.filter(\.isEnabled).map { plan in
                .object([
                    "type": .string(plan.type.rawValue), "price": .string("\(plan.price)"),
                    "commitmentPrice": .optionalString(plan.commitmentPrice),
                ])
            })
        return object
    }

    /// The payment schedules on sale besides the usual one.
    private static func plans(of subscription: ConfiguredSubscription) -> [String] {
        subscription.billingPlan(.monthly).map { ["--billing-plan monthly for \($0.price)"] } ?? []
    }

    private static func offers(
        of subscription: ConfiguredSubscription
    ) -> [(kind: String, offer: ConfiguredOffer, words: String)] {
        subscription.introductoryOffers.map { ("introductory", $0, "introductory offer") }
            + subscription.promotionalOffers.map { ("promotional", $0, "--offer \($0.id ?? $0.referenceName)") }
            + subscription.codeOffers.map { ("code", $0, "--code \($0.id ?? $0.referenceName)") }
            + subscription.winBackOffers.map { ("win-back", $0, "--win-back \($0.id ?? $0.referenceName)") }
    }
}
