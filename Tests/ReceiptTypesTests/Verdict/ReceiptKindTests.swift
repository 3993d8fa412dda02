import ReceiptTypes
import Testing

/// Tests the names of the receipt kinds.
@Suite("Receipt kinds")
struct ReceiptKindTests {
    @Test("the raw values are stable")
    func names() {
        #expect(
            ReceiptKind.allCases.map(\.rawValue)
                == [
                    "transaction", "renewalInfo", "notification", "appTransaction", "realtimeRequest", "playPurchase",
                    "appReceipt",
                ]
        )
    }

    @Test("a kind is created from its raw value and from kebab case")
    func reading() {
        for kind in ReceiptKind.allCases { #expect(ReceiptKind(name: kind.rawValue) == kind) }
        #expect(ReceiptKind(name: "renewal-info") == .renewalInfo)
        #expect(ReceiptKind(name: "app-transaction") == .appTransaction)
        #expect(ReceiptKind(name: "realtime-request") == .realtimeRequest)
        #expect(ReceiptKind(name: "play-purchase") == .playPurchase)
        #expect(ReceiptKind(name: "app-receipt") == .appReceipt)
        for name in ["", "-", "receipt", "transactions", "renewal info"] { #expect(ReceiptKind(name: name) == nil) }
    }

    @Test("each kind has a different title with an article")
    func titles() {
        let titles = ReceiptKind.allCases.map(\.title)
        #expect(Set(titles).count == titles.count)
        #expect(titles.allSatisfy { $0.hasPrefix("a ") || $0.hasPrefix("an ") })
        #expect(ReceiptKind.transaction.title == "a transaction")
        #expect(ReceiptKind.appTransaction.title == "an app transaction")
    }
}
