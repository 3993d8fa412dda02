import Foundation
import PurchaseCore
import PurchaseSync

// The code of PurchaseSync's documentation.

/// `PurchaseSync.md`
private func start(
    _ records: PurchaseRecords, _ address: URL, _ connectivity: AsyncStream<Bool>,
    _ token: @escaping @Sendable () async throws -> String
) async throws {
    let transport = try HTTPSyncTransport(address: address) { "Bearer \(try await token())" }
    let reconciler = SyncReconciler(records: records, transport: transport)
    await reconciler.start(connectivity: connectivity)
}

/// `SyncReconciler`
private func reconciler(
    _ records: PurchaseRecords, _ transport: any SyncTransport, _ connectivity: AsyncStream<Bool>
) async {
    let reconciler = SyncReconciler(records: records, transport: transport)
    await reconciler.start(connectivity: connectivity)
}
