import ReceiptTypes
import Testing

@testable import ReceiptTestAuthority
@testable import ReceiptVerification

/// Tests the responses of a verifier in the place of the `verifyReceipt` endpoint.
@Suite("Responses to app receipts")
struct ResponseTests {
    private func signed(
        _ type: AppReceiptType = .sandbox, _ form: AppReceiptAuthority.Form = .sha256
    ) throws -> [UInt8] {
        var receipt = try AppReceiptFixture.receipt()
        receipt.receiptType = type
        return try #require(AppReceiptFixture.authority).signer(form).sign(TestAppReceipt(receipt))
    }

    private func verifier(
        _ policy: VerificationPolicy = .init(), _ form: AppReceiptAuthority.Form = .sha256
    ) throws -> ReceiptVerifier {
        var anchors = TrustAnchors()
        let signer = try #require(AppReceiptFixture.authority).signer(form)
        try anchors.add(try #require(signer.chain.last))
        return ReceiptVerifier(
            policy: policy, trustAnchors: anchors, clock: { AppReceiptFixture.createdAt.adding(milliseconds: 1000) })
    }

    private func status(
        _ receipt: [UInt8], _ policy: VerificationPolicy = .init(), _ form: AppReceiptAuthority.Form = .sha256
    ) throws -> Int32 {
        let response = try verifier(policy, form).response(to: VerifyReceiptRequest(receiptData: receipt))
        if response.status != .valid { #expect(response.members.members.map(\.name) == ["status"]) }
        return response.status.rawValue
    }

    @Test("a verified receipt has the clock's time as request date, and itself in base64 without line breaks")
    func verified() throws {
        let der = try signed()
        let base64 = Base64.standard.encode(der)
        let lines = base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "") + "\n"
        for data in [der, [UInt8](base64.utf8), [UInt8](lines.utf8)] {
            let response = try verifier().response(to: VerifyReceiptRequest(receiptData: data))
            #expect(response.status == .valid, "\(String(describing: response.failure))")
            #expect(response.members["latest_receipt"]?.text == base64)
            #expect(response.members["receipt"]?.object?["request_date_ms"] == .string("1703615988000"))
        }
    }

    @Test("the environments of the policy stand for the address of the endpoint")
    func environments() throws {
        for (type, accepted, status) in [
            (.sandbox, .production, 21007), (.sandbox, .sandbox, 0), (.production, .sandbox, 21008),
            (.production, .production, 0), (.volumePurchase, .sandbox, 21008),
        ] as [(AppReceiptType, StoreEnvironment, Int32)] {
            #expect(try self.status(try signed(type), .init(environments: [accepted])) == status)
        }
        let local = try signed(.xcode, .xcode)
        #expect(try status(local, .init(environments: [.production]), .xcode) == 21003)
        #expect(try status(local, .init(environments: [.xcode]), .xcode) == 0)
    }

    @Test("a receipt of another app, product, device or signer is not authenticated, and a damaged one is malformed")
    func rejected() throws {
        let receipt = try signed()
        #expect(try status(receipt, .init(apps: [.init(bundleID: "com.example.other")])) == 21003)
        #expect(try status(receipt, .init(productIDs: ["other"])) == 21003)
        #expect(try status(receipt, .init(device: DeviceID("3c:22:fb:0a:91:5e"))) == 21003)
        #expect(try status(receipt, .init(device: .zero)) == 0)
        #expect(try status(receipt, .init(isStrict: true)) == 21003)
        let place = try #require(receipt.firstRange(of: [UInt8]("com.example.app".utf8))).lowerBound
        var forged = receipt
        forged[place] ^= 1
        #expect(try status(forged) == 21003)
        let stranger = try #require(AppReceiptFixture.authority).makeStranger().signer(.sha256)
        #expect(try status(try stranger.sign(TestAppReceipt(try AppReceiptFixture.receipt()))) == 21003)
        #expect(try status([UInt8](receipt.dropLast())) == 21002)
        for text in ["", "MII", "eyJhbGciOiJFUzI1NiJ9.e30.AA", "not a receipt"] {
            #expect(try status([UInt8](text.utf8)) == 21002, "\(text)")
        }
        let rootless = ReceiptVerifier(trustAnchors: TrustAnchors())
        #expect(rootless.response(to: VerifyReceiptRequest(receiptData: receipt)).status == .internalError)
    }

    @Test("the body of a request is read with its options, and nothing else is a request")
    func requests() throws {
        func request(_ text: String) -> VerifyReceiptRequest? { VerifyReceiptRequest(body: [UInt8](text.utf8)) }
        #expect(
            request(" {\"receipt-data\":\"MII=\",\"password\":\"x\",\"exclude-old-transactions\":true}")
                == VerifyReceiptRequest(receiptData: [UInt8]("MII=".utf8), excludesOldTransactions: true))
        for text in ["{\"receipt-data\":\"a\",\"exclude-old-transactions\":\"true\"}", "{\"receipt-data\":\"a\"}"] {
            #expect(request(text)?.excludesOldTransactions == false)
        }
        for text in ["", "MII=", "{}", "[]", "{\"receipt-data\":1}", "{\"receipt-data\":\"a\""] {
            #expect(request(text) == nil, "\(text)")
        }
        let body = "{\"receipt-data\":\"\(Base64.standard.encode(try signed()))\",\"exclude-old-transactions\":true}"
        let response = try verifier().response(to: try #require(request(body)))
        #expect(response.members["latest_receipt_info"]?.elements?.count == 1)
        #expect(response.members["receipt"]?.object?["in_app"]?.elements?.count == 2)
    }
}

/// Compares the responses to genuine receipts with those of another implementation.
@Suite(
    "Responses to real app receipts",
    .enabled(if: RealReceipts.arePresent, "the folder with app receipts is missing beside the repository")
)
struct RealResponseTests {
    private func response(to receipt: [UInt8]) throws -> VerifyReceiptResponse {
        let now = try #require(Timestamp(rfc3339: "2026-01-02T03:04:05Z"))
        return ReceiptVerifier(clock: { now }).response(to: VerifyReceiptRequest(receiptData: receipt))
    }

    // A program in Python made the expected responses, with openssl cms, its zoneinfo and its json; it wrote the same
    // members in the same order.

    @Test("the response to the receipt of 2015 is that of another implementation, byte for byte")
    func sha1() throws {
        let response = try response(to: RealReceipts.sha1)
        let receipt = try #require(response.members["receipt"]?.object)
        #expect(receipt["receipt_creation_date_pst"] == .string("2015-05-25 08:22:10 America/Los_Angeles"))
        #expect(receipt["in_app"]?.elements?.count == 6)
        #expect(
            response.members["pending_renewal_info"]?.elements == [
                .object([
                    "original_transaction_id": .string("1000000156444989"),
                    "product_id": .string("com.cocoanetics.EmmiView.OneMonth"),
                ])
            ])
        let latest = response.members["latest_receipt_info"]?.elements?.compactMap(\.object) ?? []
        #expect(latest.first?["transaction_id"] == .string("1000000156578120"))
        #expect(latest.map { $0["is_trial_period"]?.text } == [String](repeating: "false", count: 5) + ["true"])
        // Receipts of that time have no attribute for introductory offers.
        #expect(response.absentMembers.contains("receipt.in_app[].is_in_intro_offer_period"))
        #expect(try digest(response) == "b62d311fbde8789909d23506b010fb14f939e0e2aa502df0177f39a1f3a71ce9")
    }

    @Test("the response to the receipt of 2025 is that of another implementation, byte for byte")
    func sha256() throws {
        let response = try response(to: RealReceipts.sha256)
        #expect(response.members["environment"] == .string("Sandbox"))
        #expect(
            response.members["latest_receipt_info"]?.elements?.first?.description == """
                {"quantity":"1","product_id":"dev.bonzer.weeka.app.subscription.pro.annual",\
                "transaction_id":"2000001092148094","original_transaction_id":"2000001092134138",\
                "purchase_date":"2025-12-26 18:19:07 Etc/GMT","purchase_date_ms":"1766773147000",\
                "purchase_date_pst":"2025-12-26 10:19:07 America/Los_Angeles",\
                "original_purchase_date":"2025-12-26 17:43:07 Etc/GMT","original_purchase_date_ms":"1766770987000",\
                "original_purchase_date_pst":"2025-12-26 09:43:07 America/Los_Angeles",\
                "expires_date":"2025-12-26 18:55:07 Etc/GMT","expires_date_ms":"1766775307000",\
                "expires_date_pst":"2025-12-26 10:55:07 America/Los_Angeles",\
                "web_order_line_item_id":"2000000123357230","is_trial_period":"false",\
                "is_in_intro_offer_period":"false"}
                """)
        #expect(!response.absentMembers.contains { $0.hasPrefix("receipt.in_app") })
        #expect(try digest(response) == "3aca4e34cfcff689848a2bdf56af71eca5ab3c047640f1a1fc4eac7b6c172eaf")
    }

    private func digest(_ response: VerifyReceiptResponse) throws -> String {
        try SHA256Digest.of(bytes: [UInt8](response.description.utf8)).description
    }
}
