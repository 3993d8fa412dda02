import ReceiptTypes
import Testing

/// Tests the responses in the shape of the `verifyReceipt` endpoint.
@Suite("Responses of verifyReceipt")
struct VerifyReceiptResponseTests {
    private static let now = Timestamp(clamping: 1_767_323_045_678)  // 2026-01-02T03:04:05.678Z

    private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    private func receipt(_ purchases: [AppReceiptPurchase]) throws -> AppReceipt {
        var receipt = AppReceipt()
        receipt.receiptType = .production
        receipt.appAppleId = 1_234_567_890
        receipt.bundleId = "com.example.app"
        receipt.applicationVersion = "42"
        receipt.downloadId = 7
        receipt.versionExternalIdentifier = 8
        receipt.receiptCreationDate = try time("2025-07-01T12:00:00Z")
        receipt.originalPurchaseDate = try time("2013-08-01T07:00:00Z")
        receipt.originalApplicationVersion = "1"
        receipt.inApp = purchases
        return receipt
    }

    private func subscription(
        _ id: String = "1", from start: String = "2025-06-01T00:00:00Z"
    ) throws -> AppReceiptPurchase {
        var purchase = AppReceiptPurchase()
        purchase.quantity = 1
        purchase.productId = "monthly"
        purchase.productType = .autoRenewableSubscription
        purchase.transactionId = id
        purchase.originalTransactionId = "1"
        purchase.purchaseDate = try time(start)
        purchase.originalPurchaseDate = try time("2025-06-01T00:00:00Z")
        purchase.expiresDate = try time(start).adding(milliseconds: 30 * 86_400_000)
        purchase.webOrderLineItemId = 99
        purchase.isTrialPeriod = 0
        purchase.isInIntroOfferPeriod = 0
        return purchase
    }

    private func product(_ type: AppReceiptProductType) throws -> AppReceiptPurchase {
        var purchase = AppReceiptPurchase()
        purchase.quantity = 3
        purchase.productId = "coins"
        purchase.productType = type
        purchase.transactionId = "5"
        purchase.originalTransactionId = "5"
        purchase.purchaseDate = try time("2025-03-09T09:59:59Z")
        purchase.originalPurchaseDate = try time("2025-03-09T10:00:00Z")
        purchase.webOrderLineItemId = 0
        purchase.isTrialPeriod = 0
        purchase.isInIntroOfferPeriod = 0
        return purchase
    }

    private func response(_ receipt: AppReceipt, excludingOld: Bool = false) -> VerifyReceiptResponse {
        VerifyReceiptResponse(
            receipt, latestReceipt: "MII=", excludesOldTransactions: excludingOld, requestDate: Self.now)
    }

    private func purchases(_ response: VerifyReceiptResponse, in name: String = "latest_receipt_info") -> [JSONObject] {
        let object = name == "in_app" ? response.members["receipt"]?.object : response.members
        return (object?[name]?.elements ?? []).compactMap(\.object)
    }

    // MARK: Verified receipts

    @Test("a receipt without subscriptions has status, environment and receipt, with each date in three forms")
    func withoutSubscriptions() throws {
        let response = response(try receipt([try product(.consumable)]))
        #expect(response.status == .valid)
        #expect(response.failure == nil)
        #expect(
            response.description == """
                {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","adam_id":1234567890,\
                "app_item_id":1234567890,"bundle_id":"com.example.app","application_version":"42","download_id":7,\
                "version_external_identifier":8,"receipt_creation_date":"2025-07-01 12:00:00 Etc/GMT",\
                "receipt_creation_date_ms":"1751371200000",\
                "receipt_creation_date_pst":"2025-07-01 05:00:00 America/Los_Angeles",\
                "request_date":"2026-01-02 03:04:05 Etc/GMT","request_date_ms":"1767323045678",\
                "request_date_pst":"2026-01-01 19:04:05 America/Los_Angeles",\
                "original_purchase_date":"2013-08-01 07:00:00 Etc/GMT","original_purchase_date_ms":"1375340400000",\
                "original_purchase_date_pst":"2013-08-01 00:00:00 America/Los_Angeles",\
                "original_application_version":"1","in_app":[{"quantity":"3","product_id":"coins",\
                "transaction_id":"5","original_transaction_id":"5","purchase_date":"2025-03-09 09:59:59 Etc/GMT",\
                "purchase_date_ms":"1741514399000","purchase_date_pst":"2025-03-09 01:59:59 America/Los_Angeles",\
                "original_purchase_date":"2025-03-09 10:00:00 Etc/GMT","original_purchase_date_ms":"1741514400000",\
                "original_purchase_date_pst":"2025-03-09 03:00:00 America/Los_Angeles","is_trial_period":"false"}]}}
                """)
        #expect(response.absentMembers == ["receipt.preorder_date"])
    }

    @Test("a receipt with a subscription also has its transactions, latest first, itself, and the renewal's product")
    func withSubscription() throws {
        let first = try subscription()
        let second = try subscription("2", from: "2025-07-01T00:00:00Z")
        let response = response(try receipt([first, try product(.nonConsumable), second]))
        #expect(
            response.members.members.map(\.name) == [
                "status", "environment", "receipt", "latest_receipt_info", "latest_receipt", "pending_renewal_info",
            ])
        #expect(purchases(response).map { $0["transaction_id"]?.text } == ["2", "1", "5"])
        #expect(purchases(response, in: "in_app").map { $0["transaction_id"]?.text } == ["1", "5", "2"])
        #expect(response.members["latest_receipt"]?.text == "MII=")
        #expect(
            response.members["pending_renewal_info"]?.description
                == #"[{"original_transaction_id":"1","product_id":"monthly"}]"#)
        #expect(
            purchases(response)[0].members.map(\.name) == [
                "quantity", "product_id", "transaction_id", "original_transaction_id", "purchase_date",
                "purchase_date_ms", "purchase_date_pst", "original_purchase_date", "original_purchase_date_ms",
                "original_purchase_date_pst", "expires_date", "expires_date_ms", "expires_date_pst",
                "web_order_line_item_id", "is_trial_period", "is_in_intro_offer_period",
            ])
        #expect(purchases(response)[0]["web_order_line_item_id"] == .string("99"))
        #expect(Set(response.absentMembers).count == response.absentMembers.count)
        #expect(response.absentMembers.contains("latest_receipt_info[].subscription_group_identifier"))
        #expect(response.absentMembers.contains("pending_renewal_info[].auto_renew_status"))
    }

    @Test("without old transactions, only the latest of each subscription and the other purchases are listed")
    func excludingOld() throws {
        let purchases = [
            try subscription("2", from: "2025-07-01T00:00:00Z"), try product(.nonConsumable), try subscription(),
        ]
        let response = response(try receipt(purchases), excludingOld: true)
        #expect(self.purchases(response).map { $0["transaction_id"]?.text } == ["2", "5"])
        #expect(self.purchases(response, in: "in_app").count == 3)
    }

    @Test("trial and introductory flags are texts, and the introductory one only of subscriptions")
    func flags() throws {
        let values: [(Int64?, Int64?, String?, String?)] = [
            (1, 0, "true", "false"), (0, 1, "false", "true"), (nil, nil, nil, nil), (2, -1, nil, nil),
        ]
        for (trial, offer, trialText, offerText) in values {
            var purchase = try subscription()
            purchase.isTrialPeriod = trial
            purchase.isInIntroOfferPeriod = offer
            var renewal = purchase
            renewal.transactionId = "2"
            let response = response(try receipt([purchase, renewal]))
            #expect(purchases(response)[0]["is_trial_period"]?.text == trialText)
            #expect(purchases(response)[0]["is_in_intro_offer_period"]?.text == offerText)
            #expect(response.absentMembers.contains("receipt.in_app[].is_trial_period") == (trialText == nil))
            #expect(response.absentMembers.contains("receipt.in_app[].is_in_intro_offer_period") == (offerText == nil))
            #expect(Set(response.absentMembers).count == response.absentMembers.count)
        }
    }

    @Test("a cancelled purchase has the date and the reason, and the purchase that an upgrade ended is not the latest")
    func cancelled() throws {
        var ended = try subscription()
        ended.cancellationDate = try time("2025-06-10T00:00:00Z")
        ended.cancellationReason = 0
        var upgrade = try subscription("2", from: "2025-06-10T00:00:00Z")
        upgrade.productId = "yearly"
        upgrade.promotionalOfferId = "summer"
        let response = response(try receipt([ended, upgrade]))
        #expect(purchases(response)[1]["cancellation_date"] == .string("2025-06-10 00:00:00 Etc/GMT"))
        #expect(purchases(response)[1]["cancellation_date_ms"] == .string("1749513600000"))
        #expect(purchases(response)[1]["cancellation_date_pst"] == .string("2025-06-09 17:00:00 America/Los_Angeles"))
        #expect(purchases(response)[1]["cancellation_reason"] == .string("0"))
        #expect(purchases(response)[0]["cancellation_date"] == nil)
        #expect(purchases(response)[0]["promotional_offer_id"] == .string("summer"))
        #expect(
            response.members["pending_renewal_info"]?.description
                == #"[{"original_transaction_id":"1","product_id":"yearly"}]"#)
        #expect(!response.absentMembers.contains { $0.contains("cancellation") })
        ended.cancellationReason = nil
        #expect(self.response(try receipt([ended])).absentMembers.contains("receipt.in_app[].cancellation_reason"))
    }

    @Test("what a receipt lacks is left out and listed, and is never null or empty")
    func missingAttributes() throws {
        var receipt = AppReceipt()
        receipt.receiptType = .volumePurchaseSandbox
        receipt.bundleId = "a"
        receipt.expirationDate = try time("2025-01-01T00:00:00Z")
        var purchase = AppReceiptPurchase()
        purchase.productType = .autoRenewableSubscription
        receipt.inApp = [purchase]
        let response = response(receipt)
        #expect(response.members["environment"] == .string("Sandbox"))
        #expect(
            response.members["receipt"]?.object?.members.map(\.name) == [
                "receipt_type", "bundle_id", "request_date", "request_date_ms", "request_date_pst", "expiration_date",
                "expiration_date_ms", "expiration_date_pst", "in_app",
            ])
        #expect(purchases(response, in: "in_app") == [[:]])
        let expected =
            [
                "adam_id", "app_item_id", "application_version", "download_id", "version_external_identifier",
                "receipt_creation_date", "original_purchase_date", "original_application_version", "preorder_date",
            ].map { "receipt.\($0)" }
            + [
                "quantity", "product_id", "transaction_id", "original_transaction_id", "purchase_date",
                "original_purchase_date", "expires_date", "web_order_line_item_id", "is_trial_period",
                "is_in_intro_offer_period",
            ].map { "receipt.in_app[].\($0)" }
        #expect(Set(response.absentMembers) == Set(expected))
    }

    @Test("a purchase of an unknown type is listed with what it has, and is no subscription")
    func unknownType() throws {
        var purchase = try product(.init(rawValue: 7))
        purchase.expiresDate = try time("2025-04-01T00:00:00Z")
        let response = response(try receipt([purchase]))
        #expect(response.members["latest_receipt_info"] == nil)
        #expect(purchases(response, in: "in_app")[0]["expires_date"] == .string("2025-04-01 00:00:00 Etc/GMT"))
        #expect(purchases(response, in: "in_app")[0]["is_in_intro_offer_period"] == nil)
        #expect(purchases(response, in: "in_app")[0]["web_order_line_item_id"] == nil)
    }

    @Test("a date before 2007 has no time of Los Angeles, whose rule was another one")
    func oldDates() throws {
        var receipt = try receipt([])
        receipt.originalPurchaseDate = try time("0001-01-01T00:00:00Z")
        let response = response(receipt)
        let object = try #require(response.members["receipt"]?.object)
        #expect(object["original_purchase_date"] == .string("0001-01-01 00:00:00 Etc/GMT"))
        #expect(object["original_purchase_date_ms"] == .string("-62135596800000"))
        #expect(object["original_purchase_date_pst"] == nil)
        #expect(response.absentMembers.contains("receipt.original_purchase_date_pst"))
    }

    @Test("hidden characters of a receipt are escaped, and no text ends its string")
    func hostileText() throws {
        var purchase = try product(.consumable)
        purchase.productId = "\"},\n\u{1B}[31m\u{202E}\u{0}"
        let text = response(try receipt([purchase])).description
        #expect(text.contains(#""product_id":"\"},\n\u001b[31m\u202e\u0000","transaction_id""#))
        #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    }

    @Test("20,000 purchases of as many subscriptions are listed in order, each once")
    func manyPurchases() throws {
        let count = 20_000
        let template = try subscription()
        let start = try time("2025-01-01T00:00:00Z")
        let purchases = (0..<count).map { number in
            var purchase = template
            purchase.transactionId = "\(number)"
            purchase.originalTransactionId = "\(number % 10_000)"
            purchase.purchaseDate = start.adding(milliseconds: Int64(number) * 1000)
            return purchase
        }
        let response = response(try receipt(purchases), excludingOld: true)
        #expect(self.purchases(response, in: "in_app").count == count)
        #expect(self.purchases(response).count == 10_000)
        #expect(self.purchases(response).first?["transaction_id"] == .string("19999"))
        #expect(response.members["pending_renewal_info"]?.elements?.count == 10_000)
    }

    // MARK: Rejected receipts

    @Test("a receipt that is not verified has only a status, which follows from the code of the failure")
    func statuses() {
        let malformed: Set<VerificationFailure.Code> = [
            .formatUnrecognized, .notAReceipt, .searchIncomplete, .legacyReceiptUnsupported, .tooLarge,
            .tooManyReceipts, .empty, .receiptMissing, .recordMalformed, .nothingToVerify, .segmentCount, .encoding,
            .containerMalformed,
            .containerUnsupported, .signerMismatch, .receiptAlgorithm, .headerMalformed, .algorithm,
            .headerUnsupported, .certificateMalformed, .payloadMalformed, .payloadNotAnObject, .attributesMalformed,
            .tooManyAttributes, .tooManyPurchases, .attributeInvalid, .attributeDuplicate, .attributeMissing,
            .signingTimeInvalid, .kindUnrecognized, .kindMismatch, .claimType,
        ]
        let undecided: Set<VerificationFailure.Code> = [
            .noTrustAnchor, .keyNotFound, .keyInvalid, .hashForbidden, .internalError,
        ]
        for code in VerificationFailure.Code.all {
            let response = VerifyReceiptResponse(VerificationFailure(code: code))
            let status =
                malformed.contains(code) ? 21002 : undecided.contains(code) ? 21009 : 21003
            #expect(response.description == "{\"status\":\(status)}", "\(code)")
            #expect(response.failure?.code == code)
            #expect(response.absentMembers.isEmpty)
        }
    }

    @Test("a receipt of an environment that is not accepted has the status that sends a server to the other endpoint")
    func environments() {
        let types: [(AppReceiptType, Int32)] = [
            (.sandbox, 21007), (.volumePurchaseSandbox, 21007), (.production, 21008), (.volumePurchase, 21008),
            (.xcode, 21003), (.init(rawValue: "New"), 21003),
        ]
        for (type, status) in types {
            var receipt = AppReceipt()
            receipt.receiptType = type
            let failure = VerificationFailure(code: .environmentMismatch, untrustedPayload: receipt.members)
            #expect(VerifyReceiptStatus(failure).rawValue == status, "\(type)")
        }
        #expect(VerifyReceiptStatus(VerificationFailure(code: .environmentMismatch)) == .notAuthenticated)
    }
}
