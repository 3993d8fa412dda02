import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// What a log for support keeps, and what it removes.
@Suite("Log for support", .timeLimit(.minutes(15)))
struct SupportLogTests {
    /// A storage in memory that fails as long as a test says.
    private actor Storage: LogStorage {
        private var entries: [LogEntry] = []
        private(set) var appends = 0
        private var isFull = false

        func setFull(_ isFull: Bool) { self.isFull = isFull }

        func append(_ entries: [LogEntry]) async throws(DatabaseError) {
            appends += 1
            if isFull { throw DatabaseError(.diskFull, "full") }
            self.entries += entries
        }

        func logEntries() async throws(DatabaseError) -> [LogEntry] { entries }
        func removeLogEntries() async throws(DatabaseError) { entries = [] }
    }

    private let storage = Storage()

    private func exported() async throws -> String {
        String(decoding: try await storage.exportedLog(at: Sample.at(0)), as: UTF8.self)
    }

    // MARK: Redaction

    @Test(
        "[OTP-8.5] a secret is removed from a text",
        arguments: [
            "eyJhbGciOiJFUzI1NiJ9.eyJ0cmFuc2FjdGlvbklkIjoiMSJ9.c2lnbmF0dXJl", "eyJhbGciOiJFUzI1NiJ9",
            "a0000000-0000-4000-8000-000000000001", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
            "A0000000-0000-4000-8000-00000000000A", "anna@example.com", "/home/anna/purchases.sqlite",
            "https://example.com/sync?token=abc", "2000000123456789", "sk_live_51H8aB2eZvKYlo2C",
            "gkpbnmjldoaihfegcbakjpin.AO-J1Oy9fNqPzXr2L4bVw", "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
            "0707070707070707070707070707070707070707070707070707070707070707",
            "{\"transactionId\":\"1\",\"productId\":\"pro\"}",
        ])
    func redacted(_ secret: String) {
        for text in [secret, "before \(secret) after", "key=\(secret);", "(\"\(secret)\")", "\(secret)\n"] {
            let redacted = LogRedaction.text(text)
            #expect(!redacted.contains(secret) && redacted.contains(LogRedaction.replacement), "\(redacted)")
            for part in secret.split(separator: ".") where part.count > 8 && secret.hasPrefix("eyJ") {
                #expect(!redacted.contains(part), "\(redacted)")
            }
        }
        #expect(LogRedaction.text("before \(secret)").hasPrefix("before "))
    }

    @Test("[OTP-8.5] what explains an error stays")
    func readable() {
        for text in [
            "timed-out: the store did not answer (products) within 30000 ms", "x5c: 3 certificates; expected: 2",
            "store-objection: The store reports that the transaction is not valid", "com.example.pro.yearly",
            "NATIVE error -1009 in NSURLErrorDomain", "disk-full (SQLite 13)", "",
        ] {
            #expect(LogRedaction.text(text) == text)
        }
        #expect(LogRedaction.text(String(repeating: "word ", count: 500)).count == 400)
        #expect(
            !LogRedaction.text("line\u{202e}\u{1b}[31m").unicodeScalars.contains {
                $0.value == 0x1b || $0.value == 0x202e
            })
    }

    @Test(
        "[OTP-8.5] a transaction of the App Store keeps its number, and of a purchase token at most six characters stay"
    )
    func references() {
        #expect(LogRedaction.reference(ofTransaction: "2000000123456789") == "2000000123456789")
        let token = "gkpbnmjldoaihfegcbakjpin.AO-J1Oy9fNqPzXr2L4bVw"
        #expect(LogRedaction.reference(ofTransaction: token) == "gkpbnm…")
        #expect(LogRedaction.reference(ofTransaction: "short") == "s…")
        #expect(LogRedaction.reference(ofTransaction: "") == "…")
        #expect(LogRedaction.reference(ofTransaction: String(repeating: "1", count: 60)).count == 7)
    }

    @Test("[OTP-8.5] [OTP-8.6] the export of a service's failures has their time and code, and none of the secrets")
    func service() async throws {
        struct Foreign: Error {
            let customer = "anna@example.com"
            let key = "sk_live_51H8aB2eZvKYlo2C"
        }
        struct FailingFulfiller: PurchaseFulfilling {
            func fulfil(_ order: FulfilmentOrder) async throws { throw Foreign() }
        }
        let clock = ManualClock()
        let log = SupportLog(storage, environment: PurchaseEnvironment(clock: clock.now))
        let verifier = ScriptedVerifier()
        let store = ScriptedStore(verifier: verifier)
        let account = UUIDText("a0000000-0000-4000-8000-000000000001")
        let service = PurchaseService(
            store: store, verifier: verifier, fulfiller: FailingFulfiller(), user: .signedIn(account),
            environment: PurchaseEnvironment(log: log, timer: ManualTimer(), clock: clock.now))
        let token = "gkpbnmjldoaihfegcbakjpin.AO-J1Oy9fNqPzXr2L4bVw"
        let forgedPlay = SignedTransaction(
            play: SignedPlayPurchase(
                data: Sample.playPurchase(token, "coins").members.description, signature: "forged"),
            purchaseToken: token, productID: "coins")
        let forged = verifier.forge(Sample.payload("2000000123456789", "template.a") { $0.appAccountToken = account })
        for delivery in [forgedPlay, forged, verifier.sign(Sample.payload("1", "coins"))] {
            await store.deliver(delivery)
        }
        await service.resumeUnfinishedPurchases()
        await log.flush()
        let document = try await exported()
        for secret in [token, forged.signedText, account.rawValue, "purchaseToken", "anna@", "sk_live", "GPA."] {
            #expect(!document.contains(secret), "\(secret)")
        }
        let entries = try await storage.logEntries()
        #expect(entries.allSatisfy { $0.date == Sample.at(0) })
        let rejected = entries.filter { $0.kind == .unverified && $0.fields["code"] == "signature-invalid" }
        #expect(Set(rejected.map(\.transaction)) == ["gkpbnm…", "2000000123456789"])
        #expect(document.contains("\"date\":\"2025-10-09T08:53:20Z\"") && document.hasSuffix("}\n"))
        #expect(entries.contains { $0.kind == .notFulfilled && $0.detail.contains("Foreign") })
        #expect(!entries.contains { $0.severity == .notice })
    }

    @Test(
        "[OTP-8.5] an error of a flow has the platform, the store's own number, the product and the reason in the log")
    func errorFields() {
        let error = PurchaseError(
            .purchaseInvalid, "refunded", underlying: StoreError(.system, ""), platform: .ios, nativeErrorCode: 7,
            productID: "pro", reason: .revoked)
        let entry = LogEntry(PurchaseLogEvent(.flowFailed, error: error), at: Sample.at(0))
        #expect(entry.productID == "pro" && entry.severity == .error)
        #expect(
            entry.fields == [
                "error": "PurchaseError", "code": "PURCHASE_INVALID", "cause": "StoreError system", "platform": "ios",
                "native-code": "7", "reason": "revoked", "retryable": "no",
            ])
    }

    // MARK: Failures of the storage

    @Test(
        "[OTP-8.5] entries that cannot be written are written later in their order, and a full memory says how many are lost"
    )
    func failingStorage() async throws {
        let log = SupportLog(storage, environment: PurchaseEnvironment(clock: { Sample.at(0) }))
        await storage.setFull(true)
        for number in 0..<1_200 { log.log(PurchaseLogEvent(.storeFailed, detail: "number \(number)")) }
        #expect(await !log.flush())
        #expect(try await storage.logEntries().isEmpty)
        await storage.setFull(false)
        log.log(PurchaseLogEvent(.storeFailed, detail: "last"))
        #expect(await log.flush())
        let entries = try await storage.logEntries()
        #expect(entries.filter { $0.kind == .entriesLost }.map(\.detail) == ["entries that could not be written: 201"])
        let others = entries.filter { $0.kind == .storeFailed }.map(\.detail)
        #expect(others == (201..<1_200).map { "number \($0)" } + ["last"])
    }

    @Test("[OTP-8.5] notices are kept only on request, and every event and timing is passed on")
    func minimum() async throws {
        let next = LogRecorder()
        let all = SupportLog(
            storage, minimum: .notice, environment: PurchaseEnvironment(log: next, clock: { Sample.at(0) }))
        let warnings = SupportLog(storage, environment: PurchaseEnvironment(log: next, clock: { Sample.at(0) }))
        for log in [warnings, all] {
            log.log(PurchaseLogEvent(.recorded, detail: "consumable"))
            log.log(StageTiming(.verify, milliseconds: -5))
            await log.flush()
        }
        #expect(try await storage.logEntries().map(\.kind) == [.recorded])
        #expect(next.kinds == [.recorded, .recorded] && next.timings.map(\.milliseconds) == [0, 0])
        #expect(PurchaseLogEvent.Kind(rawValue: "of-an-app").severity == .error)
        try await storage.removeLogEntries()
        #expect(try await exported().contains("\"entries\":[]"))
    }
}
