import ReceiptTypes
import Testing

@testable import PurchaseCore

@Suite("Analytics dispatcher", .timeLimit(.minutes(15)))
struct AnalyticsDispatcherTests {
    /// A queue without events that counts how often it is read.
    private actor Queue: AnalyticsQueue {
        private(set) var reads = 0

        func append(_ events: [AnalyticsEvent]) async throws(DatabaseError) {}
        func removeEvents(_ ids: [AnalyticsEvent.ID]) async throws(DatabaseError) {}
        func removeAllEvents() async throws(DatabaseError) {}

        func waitingEvents(limit: Int) async throws(DatabaseError) -> [AnalyticsEvent] {
            reads += 1
            return []
        }
    }

    private struct Sink: AnalyticsSink {
        func deliver(_ events: [AnalyticsEvent]) async throws {}
    }

    @Test("a dispatcher that was stopped before its first delivery began reads no event")
    func stoppedBeforeTheDelivery() async throws {
        let queue = Queue()
        let dispatcher = AnalyticsDispatcher(
            queue: queue, sink: Sink(), environment: PurchaseEnvironment(timer: ManualTimer()))
        // As the loop that the stop has cancelled while it waited for the dispatcher.
        let loop = Task {
            while !Task.isCancelled { await Task.yield() }
            return await dispatcher.deliverUnlessStopped()
        }
        loop.cancel()
        #expect(await loop.value == nil)
        #expect(await queue.reads == 0)
        #expect(await dispatcher.deliverUnlessStopped()?.failure == nil)
        #expect(await queue.reads == 1)
    }
}
