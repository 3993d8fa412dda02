import Foundation
import Paywall
import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import Testing
import TimerSupport

@Suite("The events of the paywall", .timeLimit(.minutes(15)))
@MainActor
struct PaywallAnalyticsTests {
    /// An event store that fails while a test wants it to.
    actor Queue: AnalyticsQueue {
        private(set) var events: [AnalyticsEvent] = []
        private var isFull = false
        private var gate: FlowGate?
        private var awaiting: CheckedContinuation<AnalyticsEvent, Never>?

        /// Returns the first event as soon as there is one.
        func firstEvent() async -> AnalyticsEvent {
            if let event = events.first { return event }
            return await withCheckedContinuation { awaiting = $0 }
        }

        func setFull(_ isFull: Bool) { self.isFull = isFull }

        /// Holds every call back.
        func wait(for gate: FlowGate) { self.gate = gate }

        func append(_ events: [AnalyticsEvent]) async throws(DatabaseError) {
            await gate?.pass()
            if isFull { throw DatabaseError(.diskFull, "the disk is full") }
            self.events += events
            if let event = self.events.first { awaiting?.resume(returning: event) }
            awaiting = nil
        }

        func waitingEvents(limit: Int) -> [AnalyticsEvent] { Array(events.prefix(limit)) }
        func removeEvents(_ ids: [AnalyticsEvent.ID]) { events.removeAll { ids.contains($0.id) } }
        func removeAllEvents() { events = [] }
    }

    private let offer = FlowHarness.offer

    @Test("each event has the name of the document, its offer, its plan and its reason [PWF-7]")
    func names() {
        let events: [(PaywallEvent, String, [String: String])] = [
            (.paywallView(offer: offer), "paywallView", ["offer": "B", "layout": "cards"]),
            (.paywallNotNow(), "paywallNotNow", [:]),
            (.paywallNotNow(offerID: .a), "paywallNotNow", ["offer": "A"]),
            (.paywallPlanSelected(offerID: .a, planID: "w"), "paywallPlanSelected", ["offer": "A", "plan": "w"]),
            (.paywallCTAClick(offerID: .a, planID: "w"), "paywallCTAClick", ["offer": "A", "plan": "w"]),
            (.purchaseSuccess(offerID: .c, planID: "w"), "purchaseSuccess", ["offer": "C", "plan": "w"]),
            (
                .purchaseFail(offerID: .a, planID: "w", reason: .entitlementInactive), "purchaseFail",
                ["offer": "A", "plan": "w", "reason": "entitlement_inactive"]
            ),
            (
                .purchaseFail(offerID: .a, planID: "w", reason: .storeKitOrNetwork, code: "rate-limited"),
                "purchaseFail",
                ["offer": "A", "plan": "w", "reason": "storekit_or_network", "code": "rate-limited"]
            ),
            (.restoreSuccess(offerID: .a, result: "restored"), "restoreSuccess", ["offer": "A", "result": "restored"]),
            (.restoreFail(reason: "NETWORK_ERROR"), "restoreFail", ["reason": "NETWORK_ERROR"]),
        ]
        for (event, name, properties) in events {
            #expect(event.name.rawValue == name)
            #expect(event.properties == properties.mapValues { .text($0) })
        }
    }

    @Test("events go to the event store of the database in their order, each with an id of its own [PWF-7]")
    func database() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "paywall-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try PurchaseDatabase(
            path: folder.appending(path: "purchases.sqlite").path(), key: Array(repeating: 7, count: 32))
        let clock = SetClock()
        let queue = DatabaseAnalytics(database, user: .noAccounts, environment: PurchaseEnvironment(clock: clock.now))
        let analytics = StoredPaywallAnalytics(queue: queue, timer: StoppedTimer(), clock: clock.now)
        analytics.track(.paywallView(offer: offer))
        clock.advance(days: 1)
        analytics.track(.paywallNotNow(offerID: .b))
        await analytics.flush()
        let events = try await queue.waitingEvents(limit: 10)
        #expect(events.map(\.name.rawValue) == ["paywallView", "paywallNotNow"])
        #expect(events.last?.properties == ["offer": .text("B")])
        #expect(events.map(\.occurredAt) == [SetClock.start, clock.now()])
        #expect(Set(events.map(\.id)).count == 2 && events.allSatisfy { $0.id.count == 32 })
        for _ in 0..<2 { analytics.track(.purchaseSuccess(offerID: .b, planID: "w"), id: "sale") }
        await analytics.flush()
        #expect(try await queue.waitingEvents(limit: 10).map(\.id) == events.map(\.id) + ["sale"])
    }

    @Test("events wait while the event store fails, and none is lost or stored twice [PWF-7]")
    func failingStore() async {
        let queue = Queue()
        let log = RecordedLog()
        await queue.setFull(true)
        let analytics = StoredPaywallAnalytics(queue: queue, log: log, timer: StoppedTimer())
        analytics.track(.paywallView(offer: offer))
        #expect(await !analytics.flush(), "the event is not stored")
        #expect(await queue.events.isEmpty && log.kinds.contains(.analyticsFailed))
        await queue.setFull(false)
        analytics.track(.paywallNotNow(offerID: .b))
        #expect(await analytics.flush())
        #expect(await analytics.flush())
        #expect(await queue.events.map(\.name.rawValue) == ["paywallView", "paywallNotNow"])
    }

    @Test("the last event of a session is stored without a further event or call, once the event store works [PWF-7]")
    func lastEvent() async {
        let queue = Queue()
        let timer = PausedTimer()
        await queue.setFull(true)
        let analytics = StoredPaywallAnalytics(queue: queue, timer: timer)
        analytics.track(.purchaseSuccess(offerID: .a, planID: "w"))
        await analytics.flush()
        await queue.setFull(false)
        timer.endWaits()
        #expect(await queue.firstEvent().name.rawValue == "purchaseSuccess")
    }

    @Test("an event store that never answers ends with a deadline, and the event waits for the next attempt [PWF-7]")
    func silentStore() async {
        let (queue, log, timer, gate) = (Queue(), RecordedLog(), PausedTimer(), FlowGate())
        await queue.wait(for: gate)
        let analytics = StoredPaywallAnalytics(queue: queue, log: log, timer: timer)
        analytics.track(.purchaseSuccess(offerID: .a, planID: "w"))
        let flush = Task { await analytics.flush() }
        await gate.arrived()
        timer.endWaits()
        #expect(await !flush.value, "the event is not stored")
        #expect(log.kinds == [.analyticsFailed])
        await gate.open()
        await analytics.flush()
        #expect(await queue.events.last?.name == .purchaseSuccess)
    }

    @Test("beyond the bound, the oldest waiting events are lost, which is logged [PWF-7]")
    func bound() async {
        let queue = Queue()
        let log = RecordedLog()
        await queue.setFull(true)
        let analytics = StoredPaywallAnalytics(queue: queue, log: log, timer: StoppedTimer())
        for number in 0..<(StoredPaywallAnalytics.waitingLimit + 3) {
            analytics.track(.paywallPlanSelected(offerID: .a, planID: "\(number)"))
        }
        await queue.setFull(false)
        await analytics.flush()
        let events = await queue.events
        #expect(events.count == StoredPaywallAnalytics.waitingLimit)
        #expect(events.first?.properties["plan"] == .text("3") && !log.kinds.isEmpty)
    }
}
