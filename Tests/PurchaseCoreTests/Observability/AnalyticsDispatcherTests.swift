import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Analytics dispatcher", .timeLimit(.minutes(15)))
struct AnalyticsDispatcherTests {
    /// A queue that always has an event, and counts the reads after the dispatcher was stopped.
    private actor Queue: AnalyticsQueue {
        private(set) var readsWhileStopped = 0
        private(set) var reads = 0
        private var isStopped = false

        func setStopped(_ isStopped: Bool) { self.isStopped = isStopped }
        func append(_ events: [AnalyticsEvent]) async throws(DatabaseError) {}
        func removeEvents(_ ids: [AnalyticsEvent.ID]) async throws(DatabaseError) {}
        func removeAllEvents() async throws(DatabaseError) {}

        func waitingEvents(limit: Int) async throws(DatabaseError) -> [AnalyticsEvent] {
            reads += 1
            if isStopped { readsWhileStopped += 1 }
            return []
        }
    }

    private struct Sink: AnalyticsSink {
        func deliver(_ events: [AnalyticsEvent]) async throws {}
    }

    @Test("a dispatcher that is stopped at once after its start reads no event after that")
    func stoppedAtOnce() async throws {
        let queue = Queue()
        let dispatcher = AnalyticsDispatcher(queue: queue, sink: Sink(), timer: ManualTimer())
        for _ in 0..<500 {
            await queue.setStopped(false)
            await dispatcher.start()
            await dispatcher.stop()
            await queue.setStopped(true)
            // A delivery that begins too late has its turn before these calls end.
            for _ in 0..<10 { _ = await queue.reads }
        }
        #expect(await queue.readsWhileStopped == 0)
        await queue.setStopped(false)
        let reads = await queue.reads
        await dispatcher.start()
        while await queue.reads == reads, !Task.isCancelled { await Task.yield() }
        await dispatcher.stop()
    }
}
