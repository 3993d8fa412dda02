import LedgerConformance
import ReceiptTypes
import Testing

@testable import PurchaseCore

/// Checks the ledger that others are compared with.
@Suite("InMemoryLedger")
struct InMemoryLedgerTests {
    private let ledger = InMemoryLedger()

    /// Returns the row of a verified delivery.
    private static func row(_ text: String, productID: String = "coins", version: String = "1") -> DeliveryRow {
        let digest = TextDigest([UInt8](text.utf8))
        return DeliveryRow(
            text: digest, isPlay: false, transactionID: "1", productID: productID, objection: nil, source: .update,
            observedAt: at(0), stage: .verified,
            verified: .init(
                versionID: version, commonFacts: digest, purchase: PurchaseKey.transaction(id: version).description,
                facts: digest, signedDate: at(0)))
    }

    private func change(
        _ body: @escaping @Sendable (inout any LedgerRows) throws(LedgerError) -> Void
    ) async throws {
        try await ledger.transact(.observe, body)
    }

    private func insert(_ texts: String...) async throws {
        try await change { (rows) throws(LedgerError) in
            for text in texts { try rows.insert(Self.row(text), .jws(text)) }
        }
    }

    private func expectDeliveries(
        _ expected: [DeliveryRow], ofVersion id: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await ledger.read(.readDeliveries) { (rows) throws(LedgerError) in
            guard let id else { return [try rows.deliveries()] }
            return [try rows.deliveries(ofVersion: id), try rows.deliveries(of: .transaction(id: id))]
        }
        for rows in found { #expect(exactText(of: rows) == exactText(of: expected), sourceLocation: sourceLocation) }
    }

    private func content(_ text: String) async throws -> SignedContent? {
        try await ledger.read(.readDeliveries) { (rows) throws(LedgerError) in
            try rows.content(rows.digest(of: text))
        }
    }

    @Test("a replacement keeps its place, and is found by its own version and purchase alone")
    func replacement() async throws {
        try await insert("first", "second")
        let moved = Self.row("first", version: "2")
        try await change { (rows) throws(LedgerError) in try rows.replace(moved.text, by: moved) }
        try await expectDeliveries([moved, Self.row("second")])
        try await expectDeliveries([moved], ofVersion: "2")
        try await expectDeliveries([Self.row("second")], ofVersion: "1")
    }

    @Test("a replacement that differs only in Unicode normalization is stored")
    func normalization() async throws {
        try await insert("text")
        for productID in ["caf\u{e9}", "cafe\u{301}", "caf\u{e9}"] {
            let row = Self.row("text", productID: productID)
            try await change { (rows) throws(LedgerError) in try rows.replace(row.text, by: row) }
            try await expectDeliveries([row])
        }
    }

    @Test("a content is deleted with its last row, at the end of the transaction")
    func contents() async throws {
        try await insert("first", "second", "third")
        let (first, third) = (Self.row("first"), Self.row("third"))
        try await change { (rows) throws(LedgerError) in
            try rows.deleteDelivery(third.text)
            try rows.replace(first.text, by: third)
        }
        try await expectDeliveries([third, Self.row("second")])
        #expect(try await content("first") == nil)
        #expect(try await content("third") == .jws("third"))
        try await change { (rows) throws(LedgerError) in
            try rows.put(RenewalRow(originalID: "1", signedDate: at(0), text: third.text), jws: "third")
            try rows.deleteDelivery(third.text)
        }
        #expect(try await content("third") == .jws("third"))
        let later = TextDigest([UInt8]("later".utf8))
        try await change { (rows) throws(LedgerError) in
            try rows.put(RenewalRow(originalID: "1", signedDate: at(1), text: later), jws: "later")
        }
        #expect(try await content("third") == nil)
        #expect(try await content("later") == .jws("later"))
    }
}
