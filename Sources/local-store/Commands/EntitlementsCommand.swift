internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import PurchaseVerification
internal import ReceiptTypes
internal import ReceiptVerification

/// `entitlements`: shows what an app grants its customers, and why.
struct EntitlementsCommand {
    let session: Session

    func run() async throws {
        try session.arguments.checkNoOperands()
        let opened = try OpenedStore(session, forWriting: false)
        let named = try opened.namedCustomer()
        let fetcher = CustomerReceiptFetcher(opened.store)
        // Only an app knows which features its products unlock, so each product is an entitlement of its own here.
        let catalog = TemplatePriceCatalog(
            version: 1, proProductIDs: [],
            templateProductToID: Dictionary(
                opened.store.configuration.products.map { ($0.id, TemplateID(rawValue: $0.id)) },
                uniquingKeysWith: { first, _ in first }
            ),
            nonRenewingPeriods: opened.state.settings.nonRenewingPeriods
        )
        let projection = EntitlementProjection(catalog: catalog)
        // The store has done what is due at its time, and the last instant of a period belongs to it. So the app asks
        // just after that time; else a period that has ended would still be granted.
        let now = opened.state.now.adding(milliseconds: 1)
        var table = TextTable()
        for account in named.map({ [$0] }) ?? opened.state.accounts.map(\.name) {
            let receipts = try await fetcher.receipts(of: account)
            for rejection in receipts.rejections {
                session.messages.warn(
                    "\(Escaped(account)): \(Escaped(rejection))", hint: "an app grants nothing for this receipt"
                )
            }
            let entitlements = projection.entitlements(
                from: receipts.transactions, renewalInfos: receipts.renewalInfos, at: now
            )
            if session.writesJSON {
                try session.writeLine(Self.object(entitlements, account), as: .entitlements)
            } else {
                for cells in Self.rows(entitlements) { table.add([account] + cells) }
            }
        }
        try table.write(to: session.output)
    }

    // MARK: Table cells

    private static func rows(_ entitlements: Entitlements) -> [[String]] {
        var rows: [[String]] = []
        for ground in grounds(entitlements) {
            rows.append([
                ground.productID, "granted", name(of: ground.kind), ground.end.map { "until \($0)" } ?? "no expiration",
            ])
        }
        for (product, count) in entitlements.balances.sorted(by: { $0.key < $1.key }) {
            rows.append([product, "granted", "balance of \(count)"])
        }
        for (product, reason) in entitlements.denials.sorted(by: { $0.key < $1.key }) {
            rows.append([product, "denied", reason.rawValue])
        }
        return rows
    }

    private static func grounds(_ entitlements: Entitlements) -> [Ground] {
        entitlements.grounds.values.flatMap { $0 }.sorted { left, right in
            left.productID != right.productID ? left.productID < right.productID : left < right
        }
    }

    private static func name(of kind: Ground.Kind) -> String {
        switch kind {
        case .lifetime: "bought"
        case .familyLifetime: "family-shared purchase"
        case .subscription: "subscription"
        case .nonRenewing: "non-renewing subscription"
        case .gracePeriod: "grace period"
        case .offlineGrace: "offline grace"
        }
    }

    // MARK: JSON objects

    private static func object(_ entitlements: Entitlements, _ account: String) -> JSONObject {
        [
            "type": .string("entitlements"), "account": .string(account),
            "granted": .array(
                grounds(entitlements).map { ground in
                    .object([
                        "productId": .string(ground.productID), "ground": .string("\(ground.kind)"),
                        "transactionId": .string(ground.transactionID), "until": .optionalString(ground.end),
                    ])
                }),
            "balances": .array(
                entitlements.balances.sorted { $0.key < $1.key }.map {
                    .object(["productId": .string($0.key), "balance": .integer(Int64($0.value))])
                }),
            "denied": .array(
                entitlements.denials.sorted { $0.key < $1.key }.map {
                    .object(["productId": .string($0.key), "reason": .string($0.value.rawValue)])
                }),
            "planChanges": .array(
                entitlements.planChanges.map {
                    .object([
                        "productId": .string($0.productID), "nextProductId": .string($0.nextProductID),
                        "date": $0.date.map { .string("\($0)") } ?? .null,
                    ])
                }),
        ]
    }
}
