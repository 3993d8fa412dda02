internal import ReceiptTypes

extension PurchaseService {
    /// How long an approval is waited for, in milliseconds: a day, after which the store forgets the question too.
    public static let approvalTimeout: Int64 = 86_400_000

    /// The purchases that wait for somebody's approval. That one was declined is never told: it goes when its time is up.
    public func pendingPurchases() async throws(JournalError) -> [PendingPurchase] {
        let memory = try await journal.memory()
        let now = memory.clock.time(byClock: clock())
        return memory.pending.filter { now < $0.since.adding(milliseconds: Self.approvalTimeout) }
    }

    func noteApprovalPending(_ productID: String) async {
        let now = await time()
        await remember { memory in
            memory.pending.removeAll { $0.productID.isIdentical(to: productID) }
            memory.pending.append(PendingPurchase(productID: productID, since: now))
        }
    }

    /// The time to judge by; the device's clock where the journal cannot tell how late it has been.
    func time() async -> Timestamp {
        let now = clock()
        guard let memory = try? await journal.memory() else { return now }
        return memory.clock.time(byClock: now)
    }

    /// Changes what is kept beside the deliveries, one change after the other. A failure is noted and costs nothing that
    /// the next change or delivery would not bring again.
    func remember(_ change: @escaping @Sendable (inout JournalMemory) -> Void) async {
        await queue.run("memory") { [journal] in
            do throws(JournalError) {
                let before = try await journal.memory()
                var after = before
                change(&after)
                if after != before { try await journal.save(after) }
            } catch {
                await self.note(.journalFailed, detail: error.description)
            }
        }
    }
}
