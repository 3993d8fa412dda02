import CMeasurement
import Foundation
import PurchaseCore
import PurchaseStorage
import ReceiptTypes

/// Recorded purchases of one user, compared with SQLite without anything around it and with lookups in a dictionary.
struct PurchaseCases {
    let rounds: Int
    /// The number of the purchases.
    let count: Int
    /// A folder for temporary files, which is removed after the case.
    let folder: URL

    private static let key = [UInt8](repeating: 7, count: 32)
    private static let user = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
    /// The number of bytes of a signed transaction.
    private static let contentSize = 3_000
    /// The number of dictionary lookups that one answer may take.
    private static let lookups = 20

    // MARK: Files

    /// Measures recording, loading and opening.
    func files() throws -> [Figure] {
        // What a run that was ended has left.
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(at: memory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            try? FileManager.default.removeItem(at: folder)
            try? FileManager.default.removeItem(at: memory)
        }
        return [try recording()] + (try reading())
    }

    /// A folder in memory if the system has one: to fill a database takes no disk then, and reading has it in memory anyway.
    private var memory: URL {
        FileManager.default.isWritableFile(atPath: "/dev/shm")
            ? URL(filePath: "/dev/shm/purchase-benchmark") : folder.appending(path: "memory")
    }

    private func records(_ path: String) throws -> DatabasePurchases {
        DatabasePurchases(try PurchaseDatabase(path: path, key: Self.key), user: Self.user)
    }

    private func path(_ name: String, in folder: URL) -> String {
        folder.appending(path: "\(name)/purchases.sqlite").path()
    }

    /// Records purchases and inserts bare rows in turns, each on the disk before the next one begins.
    private func recording() throws -> Figure {
        let records = try records(path("recorded", in: folder))
        try FileManager.default.createDirectory(at: folder.appending(path: "bare"), withIntermediateDirectories: true)
        let bare = path("bare", in: folder)
        let batch = 200
        var next = 0
        let ratios = try (0..<rounds).map { _ in
            func inserting() throws -> Elapsed {
                try Elapsed.measure {
                    guard raw_insert(bare, batch, Self.contentSize) == 1 else { throw Failure("SQLite failed") }
                }
            }
            let purchases = try (next..<next + batch).map(Self.purchase)
            next += batch
            let before = try inserting()
            let time = try Elapsed.measure { try Self.wait { try await Self.record(purchases, in: records) } }
            return Ratio(of: Elapsed.mean(before, try inserting()), to: time)
        }
        return Figure("purchases-record", "recordPurchase against a bare insert in SQLite", ratios)
    }

    /// Loads and opens a large database.
    private func reading() throws -> [Figure] {
        let small = try filled("small", 1_000)
        let large = try filled("large", count)
        let query = """
            SELECT * FROM purchases WHERE user_digest = (SELECT user_digest FROM purchases LIMIT 1)
            ORDER BY purchased_at DESC, id DESC
            """
        let loading = try (0..<rounds).map { _ in
            func selecting() throws -> Elapsed {
                try Elapsed.measure {
                    guard raw_select(large, query) == count else { throw Failure("SQLite failed") }
                }
            }
            let records = try records(large)
            let before = try selecting()
            let time = try Elapsed.measure {
                let found = try Self.wait { try await records.getAllPurchases().count }
                guard found == count else { throw Failure("\(found) of \(count) purchases were loaded") }
            }
            let reference = Elapsed.mean(before, try selecting())
            return Ratio(
                time.seconds / reference.seconds, byProcessor: time.processorSeconds / reference.processorSeconds)
        }
        let opening = try (0..<rounds).map { _ in
            func open(_ path: String) throws -> Elapsed {
                try Elapsed.measure { for _ in 0..<50 { _ = try PurchaseDatabase(path: path, key: Self.key) } }
            }
            let before = try open(small)
            let time = try open(large)
            let reference = Elapsed.mean(before, try open(small))
            return Ratio(
                time.seconds / reference.seconds, byProcessor: time.processorSeconds / reference.processorSeconds)
        }
        return [
            Figure("purchases-load", "loading \(count) purchases against a bare SELECT", loading, better: .lower),
            Figure("purchases-open", "opening \(count) purchases against opening 1000", opening, better: .lower),
        ]
    }

    /// Returns the path of a database with recorded purchases.
    private func filled(_ name: String, _ count: Int) throws -> String {
        let path = path(name, in: memory)
        let records = try records(path)
        for first in stride(from: 0, to: count, by: 1_000) {
            let purchases = try (first..<min(first + 1_000, count)).map(Self.purchase)
            try Self.wait { try await Self.record(purchases, in: records) }
        }
        return path
    }

    private static func record(_ purchases: [VerifiedPurchase], in records: DatabasePurchases) async throws {
        for purchase in purchases {
            let outcome = try await records.recordPurchase(purchase)
            guard outcome == .inserted else { throw Failure("a purchase was not recorded: \(outcome)") }
        }
    }

    private static func purchase(_ number: Int) throws -> VerifiedPurchase {
        let bought = Timestamp(milliseconds: 1_760_000_000_000 + Int64(number) * 1_000)
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = "\(2_000_000_000_000_000 + number)"
        payload.productId = "com.example.export"
        payload.type = .nonConsumable
        payload.purchaseDate = bought
        payload.signedDate = bought
        payload.environment = .production
        payload.price = Milliunits(4_990)
        payload.currency = "USD"
        guard let transaction = Transaction(payload) else { throw Failure("a transaction payload was rejected") }
        let jws = "\(number)." + String(repeating: "a", count: contentSize)
        return VerifiedPurchase(transaction, .jws(jws), features: ["export"], verificationKey: "key")
    }

    // MARK: Gating

    /// Measures an answer of the gate against lookups in a dictionary, and counts its allocations.
    @MainActor
    func gating() throws -> [Figure] {
        let features = (0..<100).map { number in
            FeatureDefinition(
                id: FeatureID(rawValue: "feature.\(number)"), name: "\(number)", level: .premium,
                productIDs: ["product.\(number)"])
        }
        let catalog = TemplatePriceCatalog(version: 1, proProductIDs: [], features: try FeatureCatalog(features))
        let ids = features.map(\.id)
        let halves = ids.indices.filter { $0.isMultiple(of: 2) }.map { Entitlement.feature(ids[$0]) }
        let entitlements = FixedEntitlements(Entitlements(granting: Set(halves)))
        let gating = FeatureGatingService(entitlements: entitlements, catalog: catalog)
        let dictionary = Dictionary(uniqueKeysWithValues: ids.map { ($0.rawValue, $0.rawValue.count) })
        let repetitions = 2_000
        func answers() -> Int {
            var granted = 0
            for _ in 0..<repetitions { for id in ids where gating.canAccessSync(id) { granted += 1 } }
            return granted
        }
        func lookups() -> Int {
            var sum = 0
            for _ in 0..<repetitions { for id in ids { sum += dictionary[id.rawValue] ?? 0 } }
            return sum
        }
        guard answers() == repetitions * ids.count / 2 else { throw Failure("the gate has answered wrongly") }
        var sums = 0
        let ratios = (0..<rounds).map { _ in
            let before = Elapsed.measure { sums += lookups() }
            let time = Elapsed.measure { sums += answers() }
            let reference = Elapsed.mean(before, Elapsed.measure { sums += lookups() }) * Double(Self.lookups)
            return Ratio(
                time.seconds / reference.seconds, byProcessor: time.processorSeconds / reference.processorSeconds)
        }
        guard sums > 0 else { throw Failure("nothing was looked up") }
        var figures = [
            Figure(
                "gating-access", "canAccessSync against \(Self.lookups) dictionary lookups", ratios, better: .lower)
        ]
        if let count = try allocations({ _ = answers() }) {
            let perAnswer = Double(count) / Double(repetitions * ids.count)
            figures.append(
                Figure("gating-allocations", "allocations of one canAccessSync", [Ratio(perAnswer)], better: .lower))
        }
        return figures
    }

    /// Returns the number of allocations of some work; nil if the system does not count them.
    private func allocations(_ work: () -> Void) throws -> Int? {
        let start = allocation_count()
        guard start >= 0 else { return nil }
        let control = [UInt8](repeating: 1, count: rounds + 100)
        let before = allocation_count()
        guard before > start, control.count > rounds else { throw Failure("allocations are not counted") }
        work()
        return allocation_count() - before
    }

    // MARK: Waiting

    /// Waits for asynchronous work on a thread that runs no other.
    private static func wait<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let end = DispatchSemaphore(value: 0)
        let answer = Answer<Value>()
        Task.detached {
            do { answer.result = .success(try await work()) } catch { answer.result = .failure(error) }
            end.signal()
        }
        end.wait()
        guard let result = answer.result else { throw Failure("the work has no result") }
        return try result.get()
    }

    /// The result of the work, which is written before the end is signalled and read after it.
    private final class Answer<Value>: @unchecked Sendable {
        var result: Result<Value, any Error>?
    }
}
