import CMeasurement
import Foundation
import PurchaseCore
import PurchaseStorage
import ReceiptTypes

/// Recorded purchases of one user, compared with SQLite without anything around it.
struct PurchaseCases {
    let rounds: Int
    /// The number of the purchases.
    let count: Int
    /// A folder for temporary files, which is removed after the case.
    let folder: URL

    private static let key = [UInt8](repeating: 7, count: 32)
    private static let user = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
    /// The number of bytes of a signed transaction, about.
    private static let contentSize = 3_000
    private static let content = String(repeating: "a", count: contentSize)

    /// Measures loading, opening and recording.
    func files() throws -> [Figure] {
        // What a run that was ended has left.
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(at: memory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            try? FileManager.default.removeItem(at: folder)
            try? FileManager.default.removeItem(at: memory)
        }
        let (small, large) = (memory.appending(path: "small"), memory.appending(path: "large"))
        try fill(small, Self.smallCount)
        try fill(large, count)
        return [try loading(large), try opening(large, small)] + (try recording(large))
    }

    /// The number of purchases in the database that opening a large one is compared with.
    private static let smallCount = 100

    /// A folder in memory if the system has one: to fill a database takes no disk then, and reading has it in memory anyway.
    private var memory: URL {
        FileManager.default.isWritableFile(atPath: "/dev/shm")
            ? URL(filePath: "/dev/shm/purchase-benchmark") : folder.appending(path: "memory")
    }

    private static func path(in folder: URL) -> String { folder.appending(path: "purchases.sqlite").path() }

    private static func purchases(in folder: URL) throws -> PurchaseRecords {
        let database = try PurchaseDatabase(path: path(in: folder), key: key)
        return PurchaseRecords(DatabaseLedger(database), user: .signedIn(user), catalog: nil)
    }

    // MARK: Reading

    /// Loads all purchases.
    private func loading(_ large: URL) throws -> Figure {
        let query = """
            SELECT * FROM purchases WHERE user_digest = (SELECT user_digest FROM purchases LIMIT 1)
            ORDER BY purchased_at DESC, id DESC
            """
        let ratios = try (0..<rounds).map { _ in
            func select() throws -> Elapsed {
                try Elapsed.measure {
                    guard raw_select(Self.path(in: large), query) == count else { throw Failure("SQLite failed") }
                }
            }
            let purchases = try Self.purchases(in: large)
            let before = try select()
            let time = try Elapsed.measure {
                let found = try Self.wait { try await purchases.getAllPurchases().count }
                guard found == count else { throw Failure("\(found) of \(count) purchases were loaded") }
            }
            return Ratio(processorOf: time, to: .mean(before, try select()))
        }
        return Figure(
            "purchases-load", "processor time of loading \(count) purchases against a bare SELECT", ratios,
            better: .lower)
    }

    /// Opens a large and a small database.
    private func opening(_ large: URL, _ small: URL) throws -> Figure {
        let ratios = try (0..<rounds).map { _ in
            func open(_ folder: URL) throws -> Elapsed {
                try Elapsed.measure { for _ in 0..<50 { _ = try Self.purchases(in: folder) } }
            }
            let before = try open(small)
            let time = try open(large)
            return Ratio(processorOf: time, to: .mean(before, try open(small)))
        }
        return Figure(
            "purchases-open", "processor time of opening \(count) purchases against opening \(Self.smallCount)",
            ratios, better: .lower)
    }

    // MARK: Recording

    /// The number of records in one round: enough for checkpoints of all databases.
    private static let turns = 400

    /// Records further purchases and inserts bare rows in turns, each on the disk before the next one begins.
    private func recording(_ large: URL) throws -> [Figure] {
        let (recorded, rows) = (folder.appending(path: "recorded"), folder.appending(path: "rows"))
        try FileManager.default.copyItem(at: large, to: recorded)
        try FileManager.default.copyItem(at: large, to: rows)
        // Otherwise the first records would wait until the copies are on the disk.
        sync()
        let further = try (0..<rounds).map { round in
            try (0..<Self.turns).map { try Self.purchase(count + round * Self.turns + $0) }
        }
        let bare = folder.appending(path: "bare.sqlite").path()
        let costs = try Self.wait {
            let purchases = try Self.purchases(in: recorded)
            return try await Self.recordInTurns(further, in: purchases, bare, Self.path(in: rows))
        }
        var figures = [
            Figure(
                "purchases-record", "recordPurchase after \(count) others against an insert without an index",
                costs.map { Ratio(of: $0.bare.time, to: $0.recorded.time) }),
            Figure(
                "purchases-record-row", "recordPurchase against a bare insert of its row and its text in SQLite",
                costs.map { Ratio(of: $0.row.time, to: $0.recorded.time) }),
            Figure(
                "purchases-record-processor", "processor time of recordPurchase against that of the bare insert",
                costs.map { Ratio(processorOf: $0.recorded.time, to: $0.bare.time) }, better: .lower),
        ]
        guard count_writes().bytes >= 0 else { return figures }
        guard costs.allSatisfy({ min($0.bare.synchronizations, $0.row.synchronizations) >= Self.turns }) else {
            throw Failure("what the process writes is not counted")
        }
        figures += [
            Figure(
                "purchases-record-syncs", "synchronizations with the disk, against the bare insert",
                costs.map { Ratio(Double($0.recorded.synchronizations) / Double($0.bare.synchronizations)) },
                better: .lower),
            Figure(
                "purchases-record-bytes", "bytes written, against the bare insert",
                costs.map { Ratio(Double($0.recorded.bytes) / Double($0.bare.bytes)) }, better: .lower),
        ]
        return figures
    }

    /// What was spent until a moment, or on some work.
    private struct Cost {
        var time = Elapsed.zero
        var synchronizations = 0
        var bytes = 0

        static var now: Cost {
            let writes = count_writes()
            return Cost(time: .now, synchronizations: writes.synchronizations, bytes: writes.bytes)
        }

        mutating func add(from start: Cost, to end: Cost) {
            time = time + (end.time - start.time)
            synchronizations += end.synchronizations - start.synchronizations
            bytes += end.bytes - start.bytes
        }
    }

    /// The costs of one round.
    private struct Round {
        var recorded = Cost()
        /// Of inserts in a table without an index.
        var bare = Cost()
        /// Of inserts in the tables of the purchases and of their texts.
        var row = Cost()
    }

    /// Returns the costs of each round.
    ///
    /// A record and the inserts follow each other at once, so other work on the machine and on its disk falls on all of
    /// them alike.
    private static func recordInTurns(
        _ rounds: [[VerifiedPurchase]], in purchases: PurchaseRecords, _ barePath: String, _ rowsPath: String
    ) async throws -> [Round] {
        guard let bare = raw_open(barePath, bareTable, "INSERT INTO rows (content) VALUES (?)", nil) else {
            throw Failure("SQLite failed")
        }
        defer { raw_close(bare) }
        guard let rows = raw_open(rowsPath, "", textInsertion, rowInsertion) else { throw Failure("SQLite failed") }
        defer { raw_close(rows) }
        var costs: [Round] = []
        for round in rounds {
            var cost = Round()
            for purchase in round {
                let start = Cost.now
                guard raw_insert(bare, contentSize) == 1 else { throw Failure("SQLite failed") }
                let second = Cost.now
                guard raw_insert(rows, contentSize) == 1 else { throw Failure("SQLite failed") }
                let third = Cost.now
                try await record(purchase, in: purchases)
                cost.bare.add(from: start, to: second)
                cost.row.add(from: second, to: third)
                cost.recorded.add(from: third, to: .now)
            }
            costs.append(cost)
        }
        return costs
    }

    private static let bareTable = "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, content BLOB)"
    private static let textInsertion = "INSERT INTO signed_texts (digest, sealed) VALUES (randomblob(32), ?)"

    /// Inserts the first purchase once more, with an id of its own and the latest text.
    private static let rowInsertion: String = {
        let copied = [
            "user_digest", "store", "environment", "product_id", "product_type", "quantity", "remaining_quantity",
            "ownership", "price", "currency_code", "is_revoked", "revoked_at", "is_verified", "is_synced", "synced_at",
            "signed_date", "created_at", "updated_at", "seal",
        ].joined(separator: ", ")
        return """
            INSERT INTO purchases (\(copied), transaction_id, purchased_at, text_digest)
            SELECT \(copied), 2000000000000000 + (SELECT max(id) FROM purchases),
                1760000000000 + 1000 * (SELECT max(id) FROM purchases),
                (SELECT digest FROM signed_texts WHERE rowid = last_insert_rowid())
            FROM purchases WHERE id = 1
            """
    }()

    // MARK: Purchases

    /// Creates a database with recorded purchases.
    private func fill(_ folder: URL, _ count: Int) throws {
        let purchases = try Self.purchases(in: folder)
        for first in stride(from: 0, to: count, by: 1_000) {
            let next = try (first..<min(first + 1_000, count)).map(Self.purchase)
            try Self.wait { for purchase in next { try await Self.record(purchase, in: purchases) } }
        }
    }

    private static func record(_ purchase: VerifiedPurchase, in purchases: PurchaseRecords) async throws {
        let outcome = try await purchases.recordPurchase(purchase)
        guard outcome == .inserted else { throw Failure("a purchase was not recorded: \(outcome)") }
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
        return VerifiedPurchase(transaction, .jws("\(number).\(content)"), verificationKey: "key")
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
