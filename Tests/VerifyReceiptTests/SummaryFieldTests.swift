import ReceiptTypes
import Testing

@testable import ReceiptVerification
@testable import verify_receipt

@Suite("Lines of a summary")
struct SummaryFieldTests {
    /// Returns the lines of a payload, each with its label.
    private func lines(_ kind: ReceiptKind, _ json: String, _ environment: StoreEnvironment? = nil) throws -> [String] {
        let payload = try #require(try JSONDocument.value(of: [UInt8](json.utf8)).object)
        let now = Timestamp(milliseconds: 1_760_000_000_000)
        let source = SummaryField.Source(kind: kind, payload: payload, environment: environment, now: now)
        return SummaryField.fields(of: kind).flatMap { field in field.texts(in: source).map { "\(field.label): \($0)" }
        }
    }

    @Test(
        "a commitment says whether it renews, and that monthly charges go on only where the plan is monthly",
        arguments: [
            (
                #"{"commitmentAutoRenewStatus":1,"commitmentRenewalDate":1760000000001,"commitmentRenewalPrice":59880,"#
                    + #""commitmentAutoRenewProductId":"p","commitmentRenewalBillingPlanType":"MONTHLY"}"#,
                "renews 2025-10-09T08:53:20.001Z, as p, billed MONTHLY, 59.88 in all"
            ),
            (#"{"commitmentAutoRenewStatus":0}"#, "does not renew, and ends"),
            (
                #"{"commitmentAutoRenewStatus":0,"commitmentRenewalBillingPlanType":"MONTHLY"}"#,
                "does not renew; monthly charges go on to its end"
            ),
            (#"{"commitmentAutoRenewStatus":7}"#, "auto-renew 7"), (#"{"later":1}"#, "in --json"),
        ])
    func commitments(info: String, text: String) throws {
        let lines = try lines(.renewalInfo, #"{"commitmentInfo":\#(info)}"#)
        #expect(lines == ["commitment: \(text)"])
    }

    @Test("items of a renewal have their pending price increase, and many are cut short")
    func items() throws {
        let item =
            #"{"SKU":"a","price":1000,"priceIncreaseInfo":{"price":2000,"status":"PENDING","dependentSKUs":[]}}"#
        let lines = try lines(
            .renewalInfo,
            #"{"currency":"EUR","advancedCommerceInfo":{"items":[\#(item)\#(String(repeating: ",{}", count: 14))]}}"#)
        #expect(lines.first == "items: a, 1.00 EUR, price increase to 2.00 EUR, PENDING")
        #expect(lines.last == "items: and 5 more, in --json")
    }

    @Test("an environment is the derived one, and an unknown one is not said to be a test")
    func environments() throws {
        #expect(
            try lines(.appReceipt, #"{"receiptType":"ProductionVPP"}"#, .production).contains("environment: Production")
        )
        #expect(
            try lines(.transaction, #"{"environment":"Xcode"}"#, .xcode)
                == ["environment: Xcode (not a real purchase)"])
        #expect(
            try lines(.transaction, #"{"environment":"Staging"}"#, StoreEnvironment(rawValue: "Staging"))
                == ["environment: Staging (this version does not know the environment)"])
    }

    @Test(
        "a share is printed as what was refunded only where it counts in sums as well",
        arguments: [
            ("Consumable", "REFUND_PRORATED", 33_333, "33.333 %"), ("Consumable", "REFUND_FULL", 100_000, "100 %"),
            ("Consumable", "REFUND_PRORATED", 0, "0 % (the complete purchase is revoked, whatever the share)"),
            ("Consumable", "REFUND_FULL", 50_000, "50 % (the complete purchase is revoked, whatever the share)"),
            (
                "Auto-Renewable Subscription", "REFUND_PRORATED", 40_000,
                "40 % (the complete purchase is revoked, whatever the share)"
            ),
        ])
    func revokedShares(type: String, revocation: String, share: Int, text: String) throws {
        let json =
            #"{"type":"\#(type)","price":1000,"quantity":3,"revocationDate":1760000000000,"#
            + #""revocationType":"\#(revocation)","revocationPercentage":\#(share)}"#
        #expect(try lines(.transaction, json).contains("revoked share: \(text)"))
        let members = try #require(try JSONDocument.value(of: [UInt8](json.utf8)).object)
        let payload = JWSTransactionDecodedPayload(members: members)
        #expect((payload.refundedAmount == payload.price) == payload.isRevoked)
        #expect(payload.isRevoked == (text != "33.333 %"))
    }

    @Test("an integer that is no date stays a number")
    func noDate() throws {
        let lines = try lines(.notification, #"{"externalPurchaseToken":{"tokenCreationDate":9223372036854775807}}"#)
        #expect(lines == ["token created: 9223372036854775807"])
    }
}
