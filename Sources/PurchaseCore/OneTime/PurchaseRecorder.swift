internal import ReceiptTypes

/// Records what a service has verified in the purchases of its user, and tries again if that fails.
///
/// The ledger of the service has every purchase before, so nothing is lost while the records cannot be written. One
/// pass over the ledger runs at a time, and at most one more waits, which all later callers share. A pass writes only
/// what no earlier one has written.
actor PurchaseRecorder {
    /// What one pass has found and recorded.
    struct Pass: Sendable {
        /// The verified transactions of the user; several can be versions of one purchase.
        var transactions: [Transaction] = []
        /// The reasons that purchases are not recorded.
        var problems: [Problem] = []
        /// The problem that the records are of another user than the one that is signed in; nil if they are not.
        var userChange: PurchaseFlowError?
    }

    /// The reason that a purchase, or each one, is not recorded.
    struct Problem: Sendable {
        /// The id of the product; nil if the problem is of each purchase.
        var productID: String?
        let error: any Error
        /// Whether the purchase would not be recorded by another attempt either.
        var isLasting = false
        /// Whether another version of the purchase is recorded.
        var isRecorded = false
    }

    /// The facts of a version of a purchase, and the date on which the store signed it.
    private struct Version {
        let facts: ExactString
        let signedDate: Timestamp
    }

    private let service: any PurchaseServicing
    private let records: any PurchaseRecords
    private let catalog: TemplatePriceCatalog?
    private let log: any PurchaseLog
    private let timer: any PurchaseTimer
    /// Whether nothing may be written any more, because the user is signed out or erased.
    private let isStopped = Locked(false)
    private var running: Task<Pass, Never>?
    private var next: Task<Pass, Never>?
    /// The facts of the transactions that need no other attempt, each with its problem if it is not recorded.
    private var settled: [ExactString: Problem?] = [:]
    /// The latest version of each purchase that needs no other attempt.
    private var latest: [Purchase.ID: Version] = [:]
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

    // MARK: Passes

    /// Records the verified purchases. After a failure, the rest is recorded later, while the process runs.
    ///
    /// - Parameter again: Whether to write also what an earlier pass has written, which may have been deleted since.
    @discardableResult
    func record(again: Bool = false) async -> Pass {
        if again { forgetSettled() }
        if let next { return await next.value }
        guard let running else { return await startPass().value }
        let next = Task {
            _ = await running.value
            self.next = nil
            return await self.startPass().value
        }
        self.next = next
        return await next.value
    }

    private func startPass() -> Task<Pass, Never> {
        let task = Task {
            let pass = await self.pass()
            self.running = nil
            return pass
        }
        running = task
        return task
    }

    private func pass() async -> Pass {
        var pass = Pass()
        do {
            guard let found = try await service.verifiedPurchases(of: records.user) else {
                let error = PurchaseFlowError(.conflict, "another user is signed in than the one of the records")
                pass.userChange = error
                pass.problems.append(Problem(error: error, isLasting: true))
                return pass
            }
            pass.transactions = found.purchases.map(\.transaction)
            for purchase in found.purchases {
                if isEnded { return pass.stopped }
                if let problem = try await record(purchase) { pass.problems.append(problem) }
            }
            pass.problems += try await review(found)
            if let open = pass.problems.first(where: { !$0.isLasting }) {
                recordLater(after: open.error)
            } else {
                failures = 0
            }
        } catch {
            pass.problems.append(Problem(error: error))
            recordLater(after: error)
        }
        return pass
    }

    // MARK: Writing

    /// Records a purchase unless that is settled, and returns the problem of this purchase alone.
    private func record(_ purchase: VerifiedPurchase) async throws(DatabaseError) -> Problem? {
        let transaction = purchase.transaction
        let version = Version(facts: ExactString(transaction.facts), signedDate: transaction.signedDate)
        let id = Purchase.ID(transaction)
        // A purchase whose refund was reversed has facts again that were written before the refund.
        let hasReturned = latest[id].map { $0.facts != version.facts && $0.signedDate < version.signedDate } ?? false
        if !hasReturned, let known = settled[version.facts] { return known }
        let complete = purchase.withFeatures(features(of: transaction))
        var problem: Problem?
        do throws(DatabaseError) {
            let outcome = try await StageMeter(log: log, timer: timer).measure(.record) { () throws(DatabaseError) in
                try await timer.databaseAnswer { [records] () throws(DatabaseError) in
                    try await records.recordPurchase(complete)
                }
            }
            if case .conflict(let conflict) = outcome {
                let error = PurchaseFlowError(.conflict, conflict.failure.message, underlying: conflict.failure)
                problem = Problem(productID: transaction.productID, error: error, isLasting: true)
                log.log(
                    PurchaseLogEvent(
                        .conflict, productID: transaction.productID, transactionID: transaction.id,
                        detail: conflict.rawValue))
            }
        } catch {
            // Of this purchase alone; every other failure is one of the database.
            guard error.code == .constraint else { throw error }
            problem = Problem(productID: transaction.productID, error: error, isLasting: true)
            log(error, transaction)
        }
        settled[version.facts] = .some(problem)
        if latest[id].map({ $0.signedDate <= version.signedDate }) ?? true { latest[id] = version }
        return problem
    }

    /// Marks the recorded purchases that the verifier rejects now, such as those of a certificate that is distrusted
    /// since, and returns a problem for each transaction that it has not decided about.
    private func review(_ found: VerifiedPurchases) async throws(DatabaseError) -> [Problem] {
        guard !found.unverified.isEmpty else { return [] }
        let recorded = try await timer.databaseAnswer { [records] () throws(DatabaseError) in
            try await records.getAllPurchases()
        }
        let unverified = Dictionary(grouping: found.unverified) { ExactString($0.delivery.transactionID) }
        let verified = Set(found.purchases.map { Purchase.ID($0.transaction) })
        // A purchase of which one version is verified, or not decided about, stays as it is.
        for id in recorded.filter(\.isVerified).map(\.id) where !verified.contains(id) && !isEnded {
            let versions = (unverified[ExactString(id.transactionID)] ?? []).filter { $0.isVersion(of: id) }
            guard let failure = versions.first?.failure, versions.allSatisfy(\.failure.isLasting) else { continue }
            try await timer.databaseAnswer { [records] () throws(DatabaseError) in
                try await records.updateVerificationStatus(of: id, .unverified(failure.code))
            }
            // It counts again as soon as it is verified and recorded again.
            forgetSettled()
        }
        let recordedIDs = Set(recorded.map { ExactString($0.id.transactionID) })
        return found.unverified.filter { $0.failure.isRetryable && $0.failure.mayCountLater }.map {
            Problem(
                productID: $0.delivery.productID, error: $0.failure,
                isRecorded: recordedIDs.contains(ExactString($0.delivery.transactionID)))
        }
    }

    private func forgetSettled() {
        settled = [:]
        latest = [:]
    }

    /// The ids of the features that a product unlocks, which are all of them for a product that unlocks everything.
    private func features(of transaction: Transaction) -> Set<String> {
        guard let catalog else { return [] }
        let products = [transaction.productID] + transaction.otherProductIDs
        let features =
            products.contains(where: catalog.unlocksPro)
            ? catalog.features.definitions.filter { $0.level == .premium }.map(\.id)
            : products.flatMap(catalog.features.features)
        return Set(features.map(\.rawValue))
    }

    // MARK: Stopping and trying again

    /// Ends each pass before its next write, until the recorder is resumed.
    nonisolated func stop() { isStopped.withLock { $0 = true } }

    /// Allows passes to write again.
    nonisolated func resume() { isStopped.withLock { $0 = false } }

    private var isEnded: Bool { isStopped.withLock { $0 } }

    /// Waits for the passes that have begun.
    func waitForPasses() async { _ = await (next ?? running)?.value }

    private func recordLater(after error: any Error) {
        log(error)
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
        await record()
    }

    private func log(_ error: any Error, _ transaction: Transaction? = nil) {
        log.log(
            PurchaseLogEvent(
                .recordsFailed, productID: transaction?.productID, transactionID: transaction?.id, detail: "\(error)",
                fields: (error as? any CodedError).map(PurchaseLogEvent.fields) ?? [:]))
    }
}

extension PurchaseRecorder.Pass {
    /// The pass as it is when the recorder was stopped in it.
    fileprivate var stopped: Self {
        var pass = self
        pass.problems.append(PurchaseRecorder.Problem(error: CancellationError(), isLasting: true))
        return pass
    }

    /// Returns the latest version of a transaction.
    func transaction(_ id: String) -> Transaction? {
        transactions.filter { $0.id.isIdentical(to: id) }.latestVersions().first
    }

    /// Returns the latest purchase of a product that is not revoked.
    func latest(of productID: String) -> Transaction? {
        transactions.filter { $0.productID.isIdentical(to: productID) }.latestVersions().filter { !$0.isRevoked }.max {
            ($0.purchaseDate, $0.signedDate) < ($1.purchaseDate, $1.signedDate)
        }
    }

    /// Returns whether a purchase of a product is missing that the verifier has not decided about.
    func isIncomplete(of productID: String) -> Bool {
        problems.contains {
            !$0.isLasting && !$0.isRecorded && $0.productID?.isIdentical(to: productID) ?? false
        }
    }

    /// Returns the reason that a purchase of a product is not recorded.
    func problem(of productID: String) -> (any Error)? {
        problems.first { $0.productID?.isIdentical(to: productID) ?? true }?.error
    }
}

extension VerificationFailure {
    /// Whether another verification of the same signature fails too.
    fileprivate var isLasting: Bool { verdict == .unverified && !isRetryable }
}

extension VerifiedPurchase {
    /// Returns the purchase with the features that its product unlocks.
    fileprivate func withFeatures(_ features: Set<String>) -> VerifiedPurchase {
        VerifiedPurchase(transaction, content, features: features, verificationKey: verificationKey)
    }
}

extension PurchaseLogEvent.Kind {
    /// Purchases could not be written to their records; they are in the ledger, and the flow tries again later.
    public static let recordsFailed = Self(rawValue: "records-failed")
}
