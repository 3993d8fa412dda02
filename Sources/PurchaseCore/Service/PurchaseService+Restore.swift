internal import ReceiptTypes

extension PurchaseService {
    /// Fetches the store's complete purchase history and ingests it; recorded transactions stay unchanged.
    ///
    /// A recorded purchase that the store neither lists nor has in its history unlocks nothing from then on. An app
    /// with an ``EntitlementStore`` calls ``EntitlementStore/restore()``, which also refreshes it.
    ///
    /// The store may ask for a password, so call it only after a tap on a restore button.
    ///
    /// It returns within ``PurchaseDeadlines/synchronizationMilliseconds``, however many questions it asks. If the
    /// store has not answered, the restore goes on: what it brings later is recorded, and the listeners receive what is
    /// new.
    ///
    /// - Throws: ``StoreError``, with the code ``StoreErrorCode/timedOut`` if the store has not returned its history
    ///   in time, or ``PurchaseFlowError`` with the code ``PurchaseFlowError/Code/rateLimited``.
    public func requestAllPurchaseHistory() async throws -> RestoredHistory {
        do throws(RateLimitError) {
            try pacing?.restores.check()
        } catch {
            throw PurchaseFlowError(.rateLimited, error.message, underlying: error)
        }
        let user = user
        do throws(StoreError) {
            let answer = try await historyAnswer(
                within: deadlines.synchronizationMilliseconds, restoredBy: user)
            try? pacing?.restores.countCall()
            return answer.history
        } catch {
            // Without a connection the store was not asked, and the next attempt is no second restore.
            if error.code != .network { try? pacing?.restores.countCall() }
            throw error
        }
    }

    /// Ingests the history that the device has, after a database was recovered; the customer sees nothing of it.
    ///
    /// In an app with accounts, a purchase that names none and that the ledger no longer knows may belong to another
    /// account. It is not recorded until the customer asks for a restore.
    ///
    /// It returns within ``PurchaseDeadlines/queryMilliseconds``.
    ///
    /// - Returns: The history, and the user for whom it was recorded.
    package func readHistory() async throws(StoreError) -> (history: RestoredHistory, user: AppUser) {
        try await historyAnswer(within: deadlines.queryMilliseconds, restoredBy: nil)
    }

    private func historyAnswer(
        within milliseconds: Int64, restoredBy asking: AppUser?
    ) async throws(StoreError) -> (history: RestoredHistory, user: AppUser) {
        let found = FirstAnswer<FoundHistory>()
        let answer = await answer(within: milliseconds) { () -> Result<FoundHistory, StoreError> in
            do throws(StoreError) {
                if asking != nil { try await self.store.synchronize() }
                return .success(try await self.readHistory(restoredBy: asking, found))
            } catch {
                return .failure(error)
            }
        }
        if let answer = try answer?.get() { return (answer.history, answer.user) }
        // The history is recorded, and something after it takes longer.
        if let found = await found.current, found.userChanges == userChanges { return (found.history, found.user) }
        throw .timedOut("history", milliseconds)
    }

    /// A history that is recorded, with the user for whom it is.
    private struct FoundHistory: Sendable {
        let history: RestoredHistory
        let user: AppUser
        let userChanges: Int
    }

    /// The largest number of times that a restore asks the store for its list.
    private static let restoreAttempts = 3

    /// - Parameters:
    ///   - asking: The user that has asked for a restore. What the store answers says nothing about another one.
    ///   - found: Receives the history as soon as it is recorded.
    private func readHistory(
        restoredBy asking: AppUser?, _ found: FirstAnswer<FoundHistory>
    ) async throws(StoreError) -> FoundHistory {
        while true {
            let (user, changes) = (user, userChanges)
            let isRestore = user == asking
            let outcomes = try await ingestedHistory(by: isRestore || user == .noAccounts ? user : .signedOut)
            let history = FoundHistory(history: RestoredHistory(outcomes), user: user, userChanges: changes)
            await found.give(history)
            for outcome in outcomes { await waitForHandOver(of: outcome) }
            do throws(LedgerError) {
                // A refresh that overtakes a restore need not read the history, so the restore asks again.
                for _ in 0..<Self.restoreAttempts {
                    guard try await askStore(restoredBy: isRestore ? user : nil).isOvertaken else { break }
                }
            } catch {
                logEvent(.ledgerFailed, error: error)
            }
            // The user may have changed while the store answered; the next user sees nothing of the former one.
            if changes == userChanges { return history }
        }
    }

    private func ingestedHistory(by buyer: AppUser) async throws(StoreError) -> [Intake.Outcome] {
        let question = questions.last
        return await ingestAll(try await store.history(), from: .history, by: buyer, in: question)
    }
}
