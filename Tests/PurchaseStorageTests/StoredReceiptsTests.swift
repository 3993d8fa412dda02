import Foundation
import PurchaseCore
import ReceiptTypes
import SQLite
import Testing
import TranscriptSupport

@testable import PurchaseStorage

@Suite("Signed texts in the files", .timeLimit(.minutes(15)))
struct StoredReceiptsTests {
    private let files = TestDatabase()
    private let account = PurchaseSample.alice

    /// Stores a purchase of Google Play and an app receipt beside the rows of the user.
    private func storeOtherForms(
        _ database: PurchaseDatabase
    ) async throws -> (purchase: VerifiedPurchase, content: SignedPlayPurchase, receipt: SignedAppReceipt) {
        let ledger = DatabaseLedger(database)
        let token = "token-1"
        let content = SampleReceipt.play(token, of: account.rawValue)
        let bought = VerifiedPurchase(try PurchaseSample.playPurchase(token).transaction, .play(content))
        let delivery = SignedTransaction(play: content, purchaseToken: token, productID: "pro.lifetime")
        _ = try await ledger.observe(delivery, from: .update, at: PurchaseSample.start)
        #expect(try await PurchaseRecords(database, account).recordPurchase(bought) == .inserted)
        let receipt = SampleReceipt.appReceipt(of: account.rawValue)
        let restored = SignedTransaction(
            appReceipt: receipt, transactionID: "app-receipt-1", bundleID: "com.example.app")
        _ = try await ledger.observe(restored, from: .appReceipt, at: PurchaseSample.start)
        return (bought, content, receipt)
    }

    @Test("No file has a readable part of a signed text, and each text is read back [OTP-7.6]")
    func unreadable() async throws {
        let database = try files.open()
        let rows = try await UserRows.fill(database, for: account, from: 9_100_000_000_000_000)
        let (play, playContent, appReceipt) = try await storeOtherForms(database)
        let texts = rows.receipts + [playContent.data, playContent.signature, appReceipt.base64]
        var search = TraceSearch()
        for text in texts { search.add(receipt: text) }

        let log = try #require(try files.files()["purchases.sqlite-wal"])
        #expect(!log.isEmpty, "the rows are in the write-ahead log")
        #expect(try search.files(in: files.folder).isEmpty)
        try SQLiteConnection(path: files.path, busyTimeout: 60_000).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try search.files(in: files.folder).isEmpty, "the rows are in the database file")
        // The search finds each part of a text that is readable.
        let readable = URL(fileURLWithPath: "\(files.folder)/readable")
        try Data(texts.joined(separator: "\n").utf8).write(to: readable)
        #expect(try Set(search.files(in: files.folder).keys) == Set(search.traces.keys))
        try FileManager.default.removeItem(at: readable)

        let reopened = try files.open()
        let ledger = DatabaseLedger(reopened)
        let entries = try await ledger.entries()
        let contents =
            rows.purchases.map(\.content) + [.jws(rows.quarantinedText), play.content, .appReceipt(appReceipt)]
        #expect(Set(entries.map(\.transaction.content)) == Set(contents))
        #expect(
            entries.filter { $0.quarantineReason != nil }.map(\.transaction.signedText) == [rows.quarantinedText])
        #expect(try await ledger.renewalInfos() == [rows.renewalText])

        let purchases = PurchaseRecords(reopened, account)
        for bought in rows.purchases + [play] {
            #expect(try await purchases.signedContent(of: bought.id) == bought.content)
        }
        // What the server has not acknowledged is sent with its signed content.
        let unsynced = try await purchases.getUnsyncedPurchases().map(\.id)
        #expect(Set(unsynced) == Set((Array(rows.purchases.dropLast()) + [play]).map(\.id)))
        // Closing the database would move its log into the file.
        withExtendedLifetime(database) {}
    }
}
