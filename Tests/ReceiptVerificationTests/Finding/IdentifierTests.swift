import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Identifiers in inputs without a receipt")
struct IdentifierTests {
    private static func identifiers(_ text: String) -> [String] {
        (ReceiptVerifier().verifyInput([UInt8](text.utf8)).failure?.identifiers ?? []).map {
            "\($0.kind.rawValue) \($0.value)"
        }
    }

    @Test("an order of Google Play is found in any spelling, and has the spelling of the store")
    func spellings() {
        for text in [
            "GPA.1234-5678-9012-34567", "gpa.1234-5678-9012-34567", "GPA 1234 5678 9012 34567",
            "Gpa.1234 - 5678 - 9012 - 34567",
            "GPA.1234\u{2011}5678\u{2011}9012\u{2011}34567", "GPA.1234\u{2013}5678\u{2013}9012\u{2013}34567",
            "GPA.\u{A0}1234-5678-\u{200B}9012-34567", "the order (gpa.1234-5678-9012-34567), please",
            "x\nGPA.\n1234-5678-9012-34567\n",
            #"{"orderId":"GPA.1234-5678-9012-34567"}"#, #"{"a":[{"text":"order GPA.1234-5678-9012-34567"}]}"#,
        ] {
            #expect(Self.identifiers(text) == ["google-order GPA.1234-5678-9012-34567"], "\(text)")
        }
        #expect(Self.identifiers("gpa.1234-5678-9012-34567..3") == ["google-order GPA.1234-5678-9012-34567..3"])
        for text in ["GPA.1234-5678-9012", "xGPA.1234-5678-9012-34567", "GPA.1234-5678-9012-345678", "GPA", "gpa."] {
            #expect(Self.identifiers(text) == [], "\(text)")
        }
    }

    @Test("all identifiers are found in their order, each once")
    func several() {
        let text =
            "Orders MK5TTJQFXG and GPA.1234-5678-9012-34567, 2000000812345678, 20000008123456789; MK5TTJQFXG again"
        #expect(
            Self.identifiers(text) == [
                "apple-order MK5TTJQFXG", "google-order GPA.1234-5678-9012-34567",
                "app-store-transaction 2000000812345678", "app-store-transaction 20000008123456789",
            ])
        let many = (0..<150).map { "20000008123456\($0 + 100)" }.joined(separator: " ")
        #expect(Self.identifiers(many).count == 100)
    }

    @Test("JSON has the identifiers that its members name, also in base64 and in strings")
    func members() {
        let voided = #"{"voidedPurchases":[{"purchaseToken":"abc","orderId":"GPA.1-2-3-4"},{"purchaseToken":"d"}]}"#
        let expected = ["google-purchase-token abc", "google-order GPA.1-2-3-4", "google-purchase-token d"]
        #expect(Self.identifiers(voided) == expected)
        #expect(Self.identifiers(Base64.standard.encode([UInt8](voided.utf8))) == expected)
        #expect(Self.identifiers(JSONValue.object(["body": .string(voided)]).description) == expected)
        #expect(
            Self.identifiers(#"{"transaction_id":42,"original_transaction_id":"7"}"#) == [
                "app-store-transaction 42", "app-store-transaction 7",
            ])
        let token = #"{"appAppleId":1,"tokenCreationDate":1,"externalPurchaseId":"b2158121"}"#
        #expect(Self.identifiers(Base64.standard.encode([UInt8](token.utf8))) == ["external-purchase b2158121"])
        #expect(Self.identifiers(#"{"transaction_id":"none yet","orderId":null,"purchaseToken":""}"#) == [])
    }

    @Test("a secret has no identifiers, and neither has what is verified or rejected as a receipt")
    func secrets() throws {
        #expect(Self.identifiers("MK5TTJQFXG\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n") == [])
        #expect(Self.identifiers(try Fixture.jws()) == [])
    }

    @Test("results have the identifiers in a member of their own, and a redaction replaces them")
    func results() throws {
        let text = "order GPA.1234-5678-9012-34567"
        let report = ReceiptVerifier().verifyInput([UInt8](text.utf8)).reports[0]
        let member = try #require(report.failure?.identifiers.first?.json.object)
        #expect(member["kind"]?.text == "google-order")
        #expect(member["value"]?.text == "GPA.1234-5678-9012-34567")
        #expect(member["lookup"]?.text?.contains("orders.get") == true)
        let redaction = try Redaction.random()
        let redacted = redaction.redacted(report).failure?.identifiers.first
        #expect(redacted?.value == redaction.pseudonym(of: "GPA.1234-5678-9012-34567"))
        var runner = BatchRunner(format: .lines)
        #expect(try runner(text).rows[0]["identifiers"]?.elements?.first?.object == member)
        runner.contents = ResultContents(redaction: redaction)
        #expect(try !runner(text).text.contains("34567"))
        #expect(try runner("no receipt").rows[0]["identifiers"] == nil)
    }

    @Test("hostile texts end at once")
    func hostile() {
        for text in [
            "GPA.", "gpa 1234-", "GPA.1234-5678-9012-34567 ", "{\"orderId\":", "[", "{\"a\":\"{\\\"a\\\":", "e30=",
            "\u{2011}",
        ] {
            let input = [UInt8](String(repeating: text, count: 100_000 / text.utf8.count).utf8)
            #expect(IdentifierScan.identifiers(in: input).count <= IdentifierScan.maximumCount)
        }
    }
}
