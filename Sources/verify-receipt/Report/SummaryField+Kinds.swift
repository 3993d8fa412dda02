internal import ReceiptTypes

extension SummaryField {
    /// Returns the lines of a kind, in the order of the summary.
    static func fields(of kind: ReceiptKind) -> [SummaryField] {
        switch kind {
        case .transaction: transaction
        case .renewalInfo: renewalInfo
        case .notification: notification
        case .appTransaction:
            [
                .init("app", "bundleId"), .init("App Store ID", "appAppleId"), environment(at: ["receiptType"]),
                .init("version", "applicationVersion"), .init("version ID", "versionExternalIdentifier"),
                .init("first version", "originalApplicationVersion"), .init("first purchased", "originalPurchaseDate"),
                .init("pre-ordered", "preorderDate"), .init("platform", "originalPlatform"),
                .init("ID", "appTransactionId"), .init("signed", "receiptCreationDate"),
            ]
        case .realtimeRequest:
            [
                .init("App Store ID", "appAppleId"), .init("product", "productId"), environment(at: ["environment"]),
                .init("first transaction", "originalTransactionId"), .init("locale", "userLocale"),
                .init("request", "requestIdentifier"), .init("signed", "signedDate"),
            ]
        case .playPurchase: playPurchase
        case .appReceipt:
            [
                .init("app", "bundleId"), .init("App Store ID", "appAppleId"), .init("receipt type", "receiptType"),
                environment(at: ["receiptType"]), .init("version", "applicationVersion"),
                .init("first version", "originalApplicationVersion"), .init("first purchased", "originalPurchaseDate"),
                date("expires", "expirationDate"), .init("created", "receiptCreationDate"),
            ]
        }
    }

    private static var transaction: [SummaryField] { purchase + offer + refund }

    private static var purchase: [SummaryField] {
        [
            .init("app", "bundleId"), .init("product", "productId"), .init("type", "type"),
            environment(at: ["environment"]), .init("transaction", "transactionId"),
            .init("first transaction", "originalTransactionId"),
            .init("migrated from", "previousOriginalTransactionId"),
            .init("reason", "transactionReason"), .init("ownership", "inAppOwnershipType"),
            .init("purchased", "purchaseDate"), .init("first purchased", "originalPurchaseDate"),
            date("expires", "expiresDate"), .init("quantity", "quantity"), money("price", "price"),
            .init("billing plan", "billingPlanType"),
            .init("commitment", of: [["commitmentInfo"]]) { source in
                JWSTransactionDecodedPayload(members: source.payload).commitmentInfo.map { [text(of: $0, source)] }
                    ?? []
            },
        ]
    }

    private static var refund: [SummaryField] {
        [
            .init("storefront", "storefront"), .init("account token", "appAccountToken"),
            .init("items", of: [["advancedCommerceInfo", "items"]]) { source in
                texts(of: JWSTransactionDecodedPayload(members: source.payload), source)
            },
            .init("revoked", "revocationDate") { source in
                let refund = JWSTransactionDecodedPayload(members: source.payload).refund
                return refund.isComplete ? " (revoked by the store: do not grant access)" : " (\(refund.text()))"
            },
            .init("revocation", "revocationType"), .init("revocation reason", "revocationReason"),
            .init("revoked share", of: [["revocationPercentage"]]) { source in
                let payload = JWSTransactionDecodedPayload(members: source.payload)
                guard let share = payload.revocationPercentage else { return [] }
                // Only a part of a consumable is refunded by its share.
                let counts = !payload.isRevoked || share == PurchaseRefund.wholeShare
                let text = "\(Milliunits(Int64(share)).text(decimals: 0)) %"
                return [text + (counts ? "" : " (the complete purchase is revoked, whatever the share)")]
            },
            .init("upgraded", "isUpgraded"), .init("signed", "signedDate"),
        ]
    }

    private static var renewalInfo: [SummaryField] { renewal + offer + renewalEnd }

    private static var renewal: [SummaryField] {
        [
            .init("product", "productId"), .init("renews as", "autoRenewProductId"), environment(at: ["environment"]),
            .init("first transaction", "originalTransactionId"),
            .init("auto-renew", "autoRenewStatus") { source in
                source.payload["commitmentInfo"]?.object == nil ? "" : ", within the commitment"
            },
            .init("commitment", of: [["commitmentInfo"]]) { source in
                JWSRenewalInfoDecodedPayload(members: source.payload).commitmentInfo.map { [text(of: $0, source)] }
                    ?? []
            },
            .init("billing plan", "renewalBillingPlanType"), .init("expiration reason", "expirationIntent"),
            .init("in billing retry", "isInBillingRetryPeriod"), date("grace period ends", "gracePeriodExpiresDate"),
            .init("subscribed since", "recentSubscriptionStartDate"), .init("renewal date", "renewalDate"),
            money("renewal price", "renewalPrice"), .init("price increase", "priceIncreaseStatus"),
            .init("items", of: [["advancedCommerceInfo", "items"]]) { source in
                texts(of: JWSRenewalInfoDecodedPayload(members: source.payload), source)
            },
        ]
    }

    private static var renewalEnd: [SummaryField] {
        [
            .init("win-back offers", "eligibleWinBackOfferIds"), .init("account token", "appAccountToken"),
            .init("signed", "signedDate"),
        ]
    }

    private static var offer: [SummaryField] {
        [
            .init("offer", "offerIdentifier"), .init("offer type", "offerType"),
            .init("offer payment", "offerDiscountType"),
            .init("offer period", "offerPeriod"),
        ]
    }

    private static var notification: [SummaryField] {
        let apps = parts.map { SummaryField("app", $0, "bundleId") }
        let ids = parts.map { SummaryField("App Store ID", $0, "appAppleId") }
        return [.init("type", "notificationType"), .init("subtype", "subtype"), .init("ID", "notificationUUID")]
            + apps + ids + contents
    }

    private static var contents: [SummaryField] {
        [
            .init("build", "data", "bundleVersion"),
            .init("environment", of: (parts.map { [$0, "environment"] })) { source in
                let words = parts.compactMap { source.payload[$0]?.object?["environment"]?.text }
                return environmentTexts(source, word: words.first)
            },
            .init("product", "summary", "productId"), .init("request", "summary", "requestIdentifier"),
            .init("storefronts", "summary", "storefrontCountryCodes"), .init("extended", "summary", "succeededCount"),
            .init("not extended", "summary", "failedCount"), .init("status", "data", "status"),
            .init("customer's reason", "data", "consumptionRequestReason"),
            .init("token", "externalPurchaseToken", "externalPurchaseId"),
            .init("token type", "externalPurchaseToken", "tokenType"),
            .init("token created", of: [["externalPurchaseToken", "tokenCreationDate"]]) { source in
                let token = ResponseBodyV2DecodedPayload(members: source.payload).externalPurchaseToken
                // The field is an integer, which can be no date.
                let created = token?.tokenCreationDate
                return created.map { ["\(Timestamp(milliseconds: $0).map { "\($0)" } ?? "\($0)")"] } ?? []
            },
            date("token expires", "externalPurchaseToken", "tokenExpirationDate"), .init("version", "version"),
            .init("signed", "signedDate"),
        ]
    }

    /// The members of a notification of which it has one.
    private static let parts = ["data", "summary", "externalPurchaseToken", "appData"]

    private static var playPurchase: [SummaryField] {
        [
            .init("app", "packageName"), .init("product", "productId"), .init("products", "productIds"),
            .init("order", "orderId"),
            .init("token", of: [["token"], ["purchaseToken"]]) { source in
                PlayPurchase(members: source.payload).purchaseToken.map { [$0] } ?? []
            }, .init("state", "purchaseState"), .init("purchased", "purchaseTime"),
            .init("quantity", "quantity"), .init("acknowledged", "acknowledged"), .init("auto-renew", "autoRenewing"),
            .init("pending change", of: [["pendingPurchaseUpdate"]]) { source in
                guard let update = PlayPurchase(members: source.payload).pendingPurchaseUpdate else { return [] }
                return ["to \(listText(update.productIds ?? ["products that it does not name"])), not paid yet"]
            },
            .init("account", "obfuscatedAccountId"), .init("profile", "obfuscatedProfileId"),
        ]
    }

    // MARK: Parts of lines

    private static func date(_ label: String, _ path: String...) -> SummaryField {
        .init(label, of: [path]) { source in
            let object = path.dropLast().reduce(source.payload) { $0[$1]?.object ?? JSONObject() }
            return path.last.flatMap { object[$0] }.flatMap(Timestamp.init(json:)).map { [dateText($0, source)] } ?? []
        }
    }

    /// Returns the line of an amount, with its currency.
    private static func money(_ label: String, _ name: String) -> SummaryField {
        .init(label, of: [[name], ["currency"]]) { source in
            source.payload[name].flatMap(Milliunits.init(json:)).map { [amountText($0, source.currency)] } ?? []
        }
    }

    /// Returns the line of the environment, which is the derived one of a verified receipt.
    private static func environment(at path: [String]) -> SummaryField {
        .init("environment", of: [path]) { source in
            environmentTexts(source, word: path.last.flatMap { source.payload[$0]?.text })
        }
    }

    private static func environmentTexts(_ source: Source, word: String?) -> [String] {
        guard let name = source.environment?.rawValue ?? word else { return [] }
        switch StoreEnvironment(rawValue: name) {
        case _ where source.now == nil, .production: return [name]
        case .sandbox, .xcode, .localTesting: return ["\(name) (not a real purchase)"]
        default: return ["\(name) (this version does not know the environment)"]
        }
    }

    private static func text(of commitment: TransactionCommitmentInfo, _ source: Source) -> String {
        var words: [String] = []
        if let number = commitment.billingPeriodNumber {
            words.append("period \(number)" + (commitment.totalBillingPeriods.map { " of \($0)" } ?? ""))
        } else if let total = commitment.totalBillingPeriods {
            words.append("\(total) periods")
        }
        if let end = commitment.commitmentExpiresDate { words.append("to \(dateText(end, source))") }
        if let price = commitment.commitmentPrice { words.append("\(amountText(price, source.currency)) in all") }
        return words.isEmpty ? "in --json" : words.joined(separator: ", ")
    }

    private static func text(of commitment: RenewalCommitmentInfo, _ source: Source) -> String {
        let plan =
            commitment.commitmentRenewalBillingPlanType
            ?? JWSRenewalInfoDecodedPayload(members: source.payload).renewalBillingPlanType
        let date = commitment.commitmentRenewalDate.map { dateText($0, source) }
        guard commitment.commitmentAutoRenewStatus != .off else {
            let charges = plan == .monthly ? "; monthly charges go on to its end" : ", and ends"
            return "does not renew\(charges)" + (date.map { plan == .monthly ? ", \($0)" : " \($0)" } ?? "")
        }
        var words: [String] = []
        if let status = commitment.commitmentAutoRenewStatus {
            words.append(status == .on ? "renews" + (date.map { " \($0)" } ?? "") : "auto-renew \(status)")
        } else if let date {
            words.append("until \(date)")
        }
        if let product = commitment.commitmentAutoRenewProductId { words.append("as \(product)") }
        if let plan { words.append("billed \(plan)") }
        if let price = commitment.commitmentRenewalPrice {
            words.append("\(amountText(price, source.currency)) in all")
        }
        return words.isEmpty ? "in --json" : words.joined(separator: ", ")
    }

    /// The most items of Advanced Commerce that are listed; `--json` has all.
    private static let listedItems = 10

    private static func texts(of transaction: JWSTransactionDecodedPayload, _ source: Source) -> [String] {
        let items = transaction.advancedCommerceInfo?.items ?? []
        let refunds = PurchaseRefund.refundedItems(among: items)
        return texts(of: items) { number, item in
            let refund = refunds.first { $0.number == number }
            return words(item.sku, item.displayName, item.price, source)
                + (refund.map { ["refunded: \($0.extent(currency: source.currency))"] } ?? [])
        }
    }

    private static func texts(of renewal: JWSRenewalInfoDecodedPayload, _ source: Source) -> [String] {
        texts(of: renewal.advancedCommerceInfo?.items ?? []) { _, item in
            var words = words(item.sku, item.displayName, item.price, source)
            if let increase = item.priceIncreaseInfo {
                words.append(
                    "price increase" + (increase.price.map { " to \(amountText($0, source.currency))" } ?? "")
                        + (increase.status.map { ", \($0)" } ?? ""))
            }
            return words
        }
    }

    private static func words(
        _ sku: String?, _ name: String?, _ price: Milliunits?, _ source: Source
    ) -> [String] {
        [sku, name, price.map { amountText($0, source.currency) }].compactMap(\.self)
    }

    private static func texts<Item>(of items: [Item], _ words: (_ number: Int, Item) -> [String]) -> [String] {
        let texts = items.prefix(listedItems).enumerated().map { words($0 + 1, $1).joined(separator: ", ") }
        let rest = items.count - texts.count
        return texts + (rest > 0 ? ["and \(rest) more, in --json"] : [])
    }
}
