import Foundation
import PurchaseCore
import PurchaseStorage
import ReceiptTypes

/// Records purchases in a database, one after the other, until it is killed; the tests run it as a second process.
///
/// `storage-worker ledger|purchases PATH FIRST COUNT [BYTES [USER]]` records the purchases FIRST, FIRST + 1, … in the
/// ledger or as purchases of a user, and prints the number of each one that is durable. If BYTES is not zero, no file
/// may grow beyond that size: a disk that is full. The process first changes to another user, or, if USER is negative,
/// to a real user that is not the effective one.
///
/// `storage-worker coins PATH FIRST COUNT` records purchases in the ledger and counts them in a sealed store beside the
/// database. It first takes up what a killed process has left.
///
/// `storage-worker recover PATH STEP USER [BYTES]` recovers a database, and prints what was wrong with it, or `sound`.
/// The process ends before the change STEP of the folder, and first changes to another user, if the numbers are not
/// zero.
///
/// `storage-worker lock PATH` takes the write lock of a database, prints `locked`, and gives it back when it has read a
/// line.
///
/// `storage-worker secret-service STORE LIBRARY` keeps keys in the Secret Service, as the lines of standard input say.
@main
enum StorageWorker {
    static func main() async {
        let arguments = CommandLine.arguments
        #if !canImport(Security)
            if arguments.count == 4, arguments[1] == "secret-service" {
                return await SecretServiceConversation(store: arguments[2], library: arguments[3]).run()
            }
        #endif
        if arguments.count == 3, arguments[1] == "lock" { return await holdLock(arguments[2]) }
        let numbers = arguments.dropFirst(3).compactMap { Int($0) }
        guard arguments.count > 4, numbers.count >= 2 else { exit(2) }
        if numbers.count > 2, numbers[2] > 0 { limitFiles(to: numbers[2]) }
        if numbers.count > 3, !change(toUser: numbers[3]) { exit(4) }
        if arguments[1] == "recover" { return recover(arguments[2], crashAt: numbers[0], user: numbers[1]) }
        do {
            let database = try PurchaseDatabase(
                path: arguments[2], key: key, busyTimeout: 60_000)
            let folder = URL(filePath: arguments[2]).deletingLastPathComponent().path()
            let coins = arguments[1] == "coins" ? try CoinRecorder(database, in: folder) : nil
            if let coins { try await takeUp(coins) }
            for number in numbers[0]..<numbers[0] + numbers[1] {
                guard let (transaction, jws) = purchase(number) else { exit(2) }
                if let coins {
                    try await coins.record(transaction, jws)
                } else if arguments[1] == "ledger" {
                    try await DatabaseLedger(database).takeThrough(transaction, jws) {}
                } else {
                    let user = UUIDText("0e984725-c51c-4bf4-9960-e1c80e27aba0")
                    let records = PurchaseRecords(DatabaseLedger(database), user: .signedIn(user), catalog: nil)
                    let purchase = VerifiedPurchase(transaction, .jws(jws))
                    guard try await records.recordPurchase(purchase) == .inserted else { exit(3) }
                }
                // Not print, which keeps lines in a buffer.
                FileHandle.standardOutput.write(Data("\(number)\n".utf8))
            }
        } catch let error as LedgerError {
            print("\(error.code) \((error.underlying as? DatabaseError)?.code.rawValue ?? "")")
            exit(1)
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    private static let key = [UInt8](repeating: 7, count: 32)

    private static func holdLock(_ path: String) async {
        do {
            let database = try PurchaseDatabase(path: path, key: key, busyTimeout: 60_000)
            // The change is part of a transaction that has the lock.
            try await DatabaseLedger(database).updateMemory { _ in
                FileHandle.standardOutput.write(Data("locked\n".utf8))
                _ = readLine()
            }
            print("released")
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    private static func recover(_ path: String, crashAt last: Int, user: Int) {
        guard change(toUser: user) else { exit(4) }
        let steps = Locked(0)
        do throws(DatabaseError) {
            let recovery = try PurchaseDatabase.recover(
                path: path, key: key, busyTimeout: 60_000, keeping: 3, clock: PurchaseEnvironment.deviceTime
            ) {
                let step = steps.withLock { steps in
                    steps += 1
                    return steps
                }
                guard step == last else { return }
                FileHandle.standardOutput.write(Data("step \(last)\n".utf8))
                _exit(9)
            }
            print(recovery?.finding.rawValue ?? "sound")
        } catch {
            print(error.code.rawValue)
        }
    }

    /// Records the purchases that a killed process has begun.
    private static func takeUp(_ coins: CoinRecorder) async throws {
        for entry in try await coins.ledger.entries() where entry.stage < .finished {
            guard let (transaction, jws) = Int(entry.transaction.transactionID).flatMap(purchase) else { exit(2) }
            try await coins.record(transaction, jws)
        }
    }

    private static func purchase(_ number: Int) -> (Transaction, jws: String)? {
        // As long as a JWS of the App Store.
        transaction(number).map { ($0, "\(number)." + String(repeating: "x", count: 5_000)) }
    }

    private static func transaction(_ number: Int) -> Transaction? {
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = "\(number)"
        payload.productId = "pro.lifetime"
        payload.type = .nonConsumable
        payload.purchaseDate = Timestamp(milliseconds: 1_760_000_000_000)
        payload.signedDate = payload.purchaseDate
        return Transaction(payload)
    }

    private static func change(toUser user: Int) -> Bool {
        user >= 0 ? user == 0 || setuid(uid_t(user)) == 0 : setreuid(uid_t(-user), geteuid()) == 0
    }

    private static func limitFiles(to bytes: Int) {
        _ = signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
        #if canImport(Darwin)
            _ = unsafe setrlimit(RLIMIT_FSIZE, &limit)
        #else
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #endif
    }
}
