internal import ReceiptTypes

/// Records what a service has verified in the purchases of its user, and tries again if that fails.
///
/// The journal of the service has every purchase before, so nothing is lost while the records cannot be written.
actor PurchaseRecorder {
    /// What one pass has recorded.
    struct Pass: Sendable {
        /// The verified purchases of the service.
        var purchases: [VerifiedPurchase] = []
        /// The ids of the purchases that were not recorded before.
        var inserted: Set<Purchase.ID> = []
        /// The first failure; nil if everything is recorded.
        var error: PurchaseError?
    }

    private let service: any PurchaseServicing
    private let records: any PurchaseRecords
    private let catalog: TemplatePriceCatalog?
    private let log: any PurchaseLog
    private let timer: any PurchaseTimer
    private var failures = 0
    private var isWaiting = false

    /// The pauses after a failure: five seconds, doubled each time, at most two minutes.
    static let schedule = BackoffSchedule(
        firstMilliseconds: 5_000, longestMilliseconds: 120_000, jitterPercent: 0)

    init(
        service: any PurchaseServicing, records: any PurchaseRecords, catalog: TemplatePriceCatalog?,
        log: any PurchaseLog, timer: any PurchaseTimer
    ) {
        self.service = service
        self.records = records
        self.catalog = catalog
        self.log = log
        self.timer = timer
    }

    /// Records the verified purchases of a product, or all of them. What is recorded already stays unchanged.
    ///
    /// After a failure, everything is recorded again later, while the process runs.
    func record(_ productID: String? = nil) async -> Pass {
        var pass = Pass()
        do {
            pass.purchases = try await service.verifiedPurchases(of: records.user).filter { purchase in
                productID?.isIdentical(to: purchase.transaction.productID) ?? true
            }
            var failure: DatabaseError?
            for purchase in pass.purchases {
                do throws(DatabaseError) {
                    if try await record(purchase) == .inserted {
                        pass.inserted.insert(Purchase.ID(purchase.transaction))
                    }
                } catch {
                    // Of this purchase alone; every other failure is one of the database.
                    guard error.code == .constraint else { throw error }
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            if productID == nil { failures = 0 }
        } catch {
            pass.error = PurchaseError(error, productID: productID)
            log.log(PurchaseLogEvent(.recordsFailed, productID: productID, detail: "\(error)"))
            recordLater()
        }
        return pass
    }

    private func record(_ purchase: VerifiedPurchase) async throws(DatabaseError) -> RecordOutcome {
        let transaction = purchase.transaction
        let outcome = try await records.recordPurchase(purchase.withFeatures(features(of: transaction)))
        if case .conflict(let conflict) = outcome {
            // The purchase of another user, or a contradiction that a repetition does not end.
            log.log(
                PurchaseLogEvent(
                    .conflict, productID: transaction.productID, transactionID: transaction.id,
                    detail: conflict.rawValue))
        }
        return outcome
    }

    /// The ids of the features that a product unlocks, which are all of them for a product that unlocks everything.
    private func features(of transaction: Transaction) -> Set<String> {
        guard let catalog else { return [] }
        let features =
            catalog.unlocksPro(transaction.productID)
            ? catalog.features.definitions.filter { $0.level == .premium }.map(\.id)
            : catalog.features.features(unlockedBy: transaction.productID)
        return Set(features.map(\.rawValue))
    }

    private func recordLater() {
        guard !isWaiting else { return }
        isWaiting = true
        failures += 1
        let pause = timer.start(
            milliseconds: Self.schedule.pauseMilliseconds(afterFailures: failures, random: 0))
        // Detached and weak: the wait neither belongs to the caller nor keeps the recorder alive.
        Task.detached { [weak self] in
            await pause.value
            await self?.recordAgain()
        }
    }

    private func recordAgain() async {
        isWaiting = false
        _ = await record()
    }
}

extension VerifiedPurchase {
    /// Returns the purchase with the features that its product unlocks.
    fileprivate func withFeatures(_ features: Set<String>) -> VerifiedPurchase {
        VerifiedPurchase(transaction, content, features: features, verificationKey: verificationKey)
    }
}

extension PurchaseLogEvent.Kind {
    /// Purchases could not be written to their records; they are in the journal, and the flow tries again later.
    public static let recordsFailed = Self(rawValue: "records-failed")
}
