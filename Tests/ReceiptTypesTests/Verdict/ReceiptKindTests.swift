import ReceiptTypes
import Testing

/// The kinds of receipts by name.
@Suite("Kinds of receipts")
struct ReceiptKindTests {
    @Test("machine names are stable")
    func names() {
        #expect(
            ReceiptKind.allCases.map(\.rawValue)
                == ["transaction", "renewalInfo", "notification", "appTransaction", "realtimeRequest", "playPurchase"]
        )
    }

    @Test("a kind is read from its machine name and from kebab case")
    func reading() {
        for kind in ReceiptKind.allCases { #expect(ReceiptKind(name: kind.rawValue) == kind) }
        #expect(ReceiptKind(name: "renewal-info") == .renewalInfo)
        #expect(ReceiptKind(name: "app-transaction") == .appTransaction)
        #expect(ReceiptKind(name: "realtime-request") == .realtimeRequest)
        #expect(ReceiptKind(name: "play-purchase") == .playPurchase)
        for name in ["", "-", "receipt", "transactions", "renewal info"] { #expect(ReceiptKind(name: name) == nil) }
    }

    @Test("a kind has a title of its own with an article")
    func titles() {
        let titles = ReceiptKind.allCases.map(\.title)
        #expect(Set(titles).count == titles.count)
        #expect(titles.allSatisfy { $0.hasPrefix("a ") || $0.hasPrefix("an ") })
        #expect(ReceiptKind.transaction.title == "a transaction")
        #expect(ReceiptKind.appTransaction.title == "an app transaction")
    }
}
