import Foundation
import PurchaseCore
import PurchaseStorage
import ReceiptTypes

/// Records purchases in a database, one after the other, until it is killed; the tests run it as a second process.
///
/// `storage-worker PATH FIRST COUNT [BYTES]` records the purchases FIRST, FIRST + 1, … and prints the number of each one
/// that is durable. With BYTES, no file may grow beyond that size: a disk that is full.
@main
enum StorageWorker {
    static func main() async {
        let numbers = CommandLine.arguments.dropFirst(2).compactMap { Int($0) }
        guard CommandLine.arguments.count > 3, numbers.count >= 2 else { exit(2) }
        if numbers.count > 2 { limitFiles(to: numbers[2]) }
        do {
            let key = [UInt8](repeating: 7, count: 32)
            let journal = DatabaseJournal(try PurchaseDatabase(path: CommandLine.arguments[1], key: key))
            for number in numbers[0]..<numbers[0] + numbers[1] {
                try await record(number, in: journal)
                // Not print, which keeps lines in a buffer.
                FileHandle.standardOutput.write(Data("\(number)\n".utf8))
            }
        } catch let error as JournalError {
            print("\(error.code) \((error.underlying as? DatabaseError)?.code.rawValue ?? "")")
            exit(1)
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    /// Takes a purchase through every stage, as the purchase service does.
    private static func record(_ number: Int, in journal: DatabaseJournal) async throws {
        guard let now = Timestamp(milliseconds: 1_760_000_000_000) else { return }
        var payload = JWSTransactionDecodedPayload()
        payload.transactionId = "\(number)"
        payload.productId = "coins"
        payload.type = .consumable
        payload.purchaseDate = now
        payload.signedDate = now
        guard let transaction = Transaction(payload) else { return }
        // As long as a JWS of the App Store.
        let jws = "\(number)." + String(repeating: "x", count: 5_000)
        let delivery = SignedTransaction(jws: jws, transactionID: transaction.id, productID: transaction.productID)
        _ = try await journal.observe(delivery, from: .purchase, at: now)
        _ = try await journal.markVerified(transaction, signedText: jws)
        _ = try await journal.record(transaction, signedText: jws, for: nil)
        let key = transaction.purchaseKey
        guard let claim = try await journal.claimFulfilment(of: key, from: now, until: now) else { return }
        try await journal.markGranted(signedText: jws, .granted, under: claim)
        try await journal.markFinished(signedText: jws)
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
