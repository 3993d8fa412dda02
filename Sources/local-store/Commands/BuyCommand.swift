internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `buy`: a purchase.
struct BuyCommand {
    let session: Session

    func run() throws {
        let product = try Operands.one(session, named: "a product", hint: "see local-store products")
        let order = PurchaseOrder(
            quantity: try session.arguments.positiveNumber(of: .quantity) ?? 1, appAccountToken: try token(),
            offer: try RequestedOffer.of(session.arguments)
        )
        let opened = try OpenStore(session, toChange: true)
        guard opened.store.configuration.product(product) != nil else {
            let near = WordSearch.nearest(to: product, in: opened.store.configuration.products.map(\.id))
            throw UsageError(
                "the store does not sell \(Escaped(product).quoted)",
                hint: near.map { "did you mean \(Escaped($0))" } ?? "see local-store products"
            )
        }
        let customer = try opened.customer()
        let answer = try opened.change { engine in
            try engine.buy(product, for: customer, order)
        }.value
        let report = StoreReport(session: session)
        try report.write(answer)
        // The transaction is that of the present period; what comes next is told of the subscription.
        guard case .planChanged(let transaction) = answer else { return }
        try report.write([opened.state.subscription(transaction.id)].compactMap { $0 })
    }

    private func token() throws(UsageError) -> UUIDText? {
        guard let text = session.arguments.value(of: .token) else { return nil }
        let token = UUIDText(text)
        guard token.isUUID else {
            throw UsageError(
                "--token does not take \(Escaped(text).quoted)",
                hint: "it takes a UUID such as 7e3fb20b-4cdb-47cc-936d-99d65f608138"
            )
        }
        return token
    }
}

extension RequestedOffer {
    /// The offer of `--offer`, `--code` or `--win-back`; nil without one.
    static func of(_ arguments: Arguments) throws(UsageError) -> RequestedOffer? {
        let flags = [Flag.offer, .code, .winBack].filter(arguments.mentions)
        guard let flag = flags.first, let name = arguments.value(of: flag) else { return nil }
        guard flags.count == 1 else {
            throw UsageError("\(flags[0].spelling) does not go with \(flags[1].spelling)", hint: "one offer applies")
        }
        return switch flag {
        case .offer: .promotional(id: name)
        case .code: .code(name: name)
        default: .winBack(id: name)
        }
    }
}
