import Foundation
import LocalStore
import PurchaseCore
import ReceiptTypes

/// Counts steps, and kills the process before one of them.
final class KillSwitch: Sendable {
    private let last: Int
    private let count = Locked(0)

    init(_ step: Int) {
        last = step
    }

    var passed: Int { count.withLock { $0 } }

    func pass(_ name: String) {
        let step = count.withLock { count in
            count += 1
            return count
        }
        guard step == last else { return }
        // Not print, which keeps lines in a buffer.
        FileHandle.standardOutput.write(Data("killed \(name)\n".utf8))
        _ = kill(getpid(), SIGKILL)
    }

    func around<Value, Failure: Error>(
        _ name: String, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        pass("before \(name)")
        let value = try await body()
        pass("after \(name)")
        return value
    }
}

/// A fulfiller that writes each order to a file once.
struct Ledger: PurchaseFulfilling {
    let path: String
    let kill: KillSwitch

    func fulfil(_ order: FulfilmentOrder) async throws {
        try await kill.around("fulfil") { () async throws in
            let line = "\(order.transaction.productID) \(order.key) \(order.quantity)"
            guard try !lines().contains(line) else { return }
            try Data(((try lines() + [line]).joined(separator: "\n")).utf8)
                .write(to: URL(fileURLWithPath: path), options: .atomic)
        }
    }

    /// The products and quantities of all orders.
    func orders() throws -> [String] {
        try lines().map { line in
            let words = line.split(separator: " ")
            return "\(words.first ?? "") \(words.last ?? "")"
        }.sorted()
    }

    private func lines() throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}

/// A store that remembers its sales when the process is killed.
struct KilledStore: Store {
    let base: any Store
    let simulator: StoreSimulator
    let folder: String
    let kill: KillSwitch

    private func save() throws(StoreError) {
        do throws(StoreSimulatorError) {
            try StateFile.write(simulator.durableState, to: "\(folder)/store.state")
        } catch {
            throw StoreError(.system, "\(error)", underlying: error)
        }
    }

    func products(for ids: [String]) async throws(StoreError) -> [Product] {
        try await kill.around("products") { () async throws(StoreError) in try await base.products(for: ids) }
    }

    func purchase(_ productID: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchase {
        try await kill.around("purchase") { () async throws(StoreError) in
            let answer = try await base.purchase(productID, options: options)
            try save()
            return answer
        }
    }

    func updates() -> AsyncStream<StoreUpdate> { base.updates() }

    func unfinishedTransactions() async throws(StoreError) -> [SignedTransaction] {
        try await kill.around("unfinished") { () async throws(StoreError) in try await base.unfinishedTransactions() }
    }

    func currentEntitlements() async throws(StoreError) -> [SignedTransaction] {
        try await kill.around("entitlements") { () async throws(StoreError) in try await base.currentEntitlements() }
    }

    func subscriptionStatuses() async throws(StoreError) -> [SignedSubscriptionStatus] {
        try await kill.around("statuses") { () async throws(StoreError) in try await base.subscriptionStatuses() }
    }

    func history() async throws(StoreError) -> [SignedTransaction] {
        try await kill.around("history") { () async throws(StoreError) in try await base.history() }
    }

    func finish(transactionID: String) async throws(StoreError) {
        try await kill.around("finish") { () async throws(StoreError) in
            try await base.finish(transactionID: transactionID)
            try save()
        }
    }

    func synchronize() async throws(StoreError) {
        try await kill.around("synchronize") { () async throws(StoreError) in try await base.synchronize() }
    }
}

/// The recorded purchases, with a step before and after each recording.
struct KilledRecords: PurchaseRecords {
    let base: any PurchaseRecords
    let kill: KillSwitch

    var user: UUIDText? { base.user }

    func recordPurchase(_ purchase: VerifiedPurchase) async throws(DatabaseError) -> RecordOutcome {
        try await kill.around("recordPurchase") { () async throws(DatabaseError) in
            try await base.recordPurchase(purchase)
        }
    }

    func getPurchase(_ id: Purchase.ID) async throws(DatabaseError) -> Purchase? { try await base.getPurchase(id) }
    func getAllPurchases() async throws(DatabaseError) -> [Purchase] { try await base.getAllPurchases() }

    func getPurchasesByFeature(_ featureID: String) async throws(DatabaseError) -> [Purchase] {
        try await base.getPurchasesByFeature(featureID)
    }

    func updateSyncStatus(
        of id: Purchase.ID, _ synchronization: Purchase.Synchronization
    ) async throws(DatabaseError) { try await base.updateSyncStatus(of: id, synchronization) }

    func updateVerificationStatus(
        of id: Purchase.ID, _ verification: Purchase.Verification
    ) async throws(DatabaseError) { try await base.updateVerificationStatus(of: id, verification) }

    func deletePurchase(_ id: Purchase.ID) async throws(DatabaseError) { try await base.deletePurchase(id) }

    func signedContent(of id: Purchase.ID) async throws(DatabaseError) -> SignedContent? {
        try await base.signedContent(of: id)
    }

    func events(since id: PurchaseEvent.ID?) async throws(DatabaseError) -> [PurchaseEvent] {
        try await base.events(since: id)
    }

    func purchaseUpdates() -> AsyncThrowingStream<[Purchase], any Error> { base.purchaseUpdates() }

    func purchaseUpdates(unlocking featureID: String) -> AsyncThrowingStream<[Purchase], any Error> {
        base.purchaseUpdates(unlocking: featureID)
    }

    func purchaseUpdates(of id: Purchase.ID) -> AsyncThrowingStream<Purchase?, any Error> {
        base.purchaseUpdates(of: id)
    }
}
