import Paywall
import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

@Suite("The counted views of paywalls", .timeLimit(.minutes(15)))
@MainActor
struct PaywallViewCounterTests {
    /// A file that fails while a test wants it to.
    actor FailingFile: PaywallFile {
        struct Locked: Error {}

        private(set) var bytes: [UInt8]?
        private(set) var writes = 0
        private var isReadable = true
        private var isWritable = true

        init(_ bytes: [UInt8]? = nil) {
            self.bytes = bytes
        }

        func set(isReadable: Bool = true, isWritable: Bool = true) {
            (self.isReadable, self.isWritable) = (isReadable, isWritable)
        }

        func read() throws -> [UInt8]? {
            guard isReadable else { throw Locked() }
            return bytes
        }

        func write(_ bytes: [UInt8]) throws {
            guard isWritable else { throw Locked() }
            writes += 1
            self.bytes = bytes
        }
    }

    private let clock = SetClock()
    private let log = RecordedLog()

    private func counter(_ file: (any PaywallFile)?) async -> PaywallViewCounter {
        let counter = PaywallViewCounter(file: file, log: log, timer: StoppedTimer(), clock: clock.now)
        await counter.load()
        return counter
    }

    @Test("views are counted for seven days, and each leaves the window by itself [PWF-5]")
    func window() async {
        let counter = await counter(nil)
        #expect(counter.viewsWithinSevenDays() == 0)
        counter.recordView()
        clock.advance(days: 1)
        counter.recordView()
        counter.recordView()
        #expect(counter.viewsWithinSevenDays() == 3)
        clock.advance(days: 5.999)
        #expect(counter.viewsWithinSevenDays() == 3)
        clock.advance(days: 0.001)
        #expect(counter.viewsWithinSevenDays() == 2)
        clock.advance(days: 1)
        #expect(counter.viewsWithinSevenDays() == 0)
    }

    @Test("views are there after a restart, also one from before the file was read [PWF-5]")
    func restart() async {
        let file = InMemoryPaywallFile()
        let first = await counter(file)
        first.recordView()
        first.recordView()
        await first.flush()
        let second = PaywallViewCounter(file: file, log: log, timer: StoppedTimer(), clock: clock.now)
        second.recordView()
        await second.load()
        #expect(second.viewsWithinSevenDays() == 3)
        await second.flush()
        #expect(await counter(file).viewsWithinSevenDays() == 3)
        #expect(log.kinds.isEmpty)
    }

    @Test("a clock set back keeps all views in the window, and gives no new ones more time [PWF-5]")
    func clockSetBack() async {
        let file = InMemoryPaywallFile()
        let first = await counter(file)
        first.recordView()
        clock.advance(days: 6)
        first.recordView()
        await first.flush()
        clock.advance(days: -30)
        #expect(first.viewsWithinSevenDays() == 2)
        let second = await counter(file)
        #expect(second.viewsWithinSevenDays() == 2)
        second.recordView()
        clock.advance(days: 31.5)
        // The first view is seven and a half days old.
        #expect(second.viewsWithinSevenDays() == 2)
    }

    @Test("a clock that once ran ahead loses no view and counts none for ages, as soon as the store answers [PWF-5]")
    func clockAhead() async {
        let file = InMemoryPaywallFile()
        let counter = await counter(file)
        counter.recordView()
        clock.advance(days: 365)
        counter.recordView()
        #expect(counter.viewsWithinSevenDays() == 1)
        clock.advance(days: -364)
        await counter.flush()
        let restarted = await self.counter(file)
        // Until the store vouches for the clock, time stands still at its latest.
        #expect(restarted.viewsWithinSevenDays() == 1)
        restarted.recordStoreAnswer()
        #expect(restarted.viewsWithinSevenDays() == 2)
        await restarted.flush()
        let afterwards = await self.counter(file)
        #expect(afterwards.viewsWithinSevenDays() == 2, "the store's answer lasts")
        clock.advance(days: 6.5)
        #expect(restarted.viewsWithinSevenDays() == 1)
        clock.advance(days: 1)
        #expect(restarted.viewsWithinSevenDays() == 0)
    }

    @Test("a file that cannot be read is not replaced; as soon as it can be, all views are in it [PWF-5]")
    func unreadableFile() async {
        let file = FailingFile()
        let first = await counter(file)
        first.recordView()
        await first.flush()
        let before = await file.bytes
        await file.set(isReadable: false)
        let second = await counter(file)
        second.recordView()
        await second.flush()
        #expect(await file.bytes == before && second.viewsWithinSevenDays() == 1)
        #expect(!log.kinds.isEmpty && log.kinds.allSatisfy { $0 == .paywallViewsFailed })
        await file.set()
        await second.flush()
        #expect(second.viewsWithinSevenDays() == 2)
        #expect(await counter(file).viewsWithinSevenDays() == 2)
    }

    @Test("a write that fails is tried again with the next view [PWF-5]")
    func unwritableFile() async {
        let file = FailingFile()
        let counter = await counter(file)
        await file.set(isWritable: false)
        counter.recordView()
        await counter.flush()
        #expect(await file.writes == 0 && log.kinds.contains(.paywallViewsFailed))
        await file.set()
        counter.recordView()
        await counter.flush()
        #expect(await self.counter(file).viewsWithinSevenDays() == 2)
    }

    @Test("a damaged file counts as empty and is replaced by the next view [PWF-5]")
    func damagedFile() async {
        let damages = [
            "", "{}", #"{"schema": 2, "views": []}"#, #"{"schema": 1, "views": ["1"]}"#,
            #"{"schema": 1, "views": [9223372036854775807]}"#, #"{"schema": 1, "views": [[[1]]]}"#,
        ]
        for damage in damages {
            let file = InMemoryPaywallFile(Array(damage.utf8))
            let counter = await counter(file)
            #expect(counter.viewsWithinSevenDays() == 0, "\(damage)")
            counter.recordView()
            await counter.flush()
            #expect(await self.counter(file).viewsWithinSevenDays() == 1, "\(damage)")
        }
        #expect(log.kinds.count == damages.count)
    }

    @Test("the number of views is bounded, and all can be removed, also from the file [PWF-5]")
    func bounds() async {
        let file = InMemoryPaywallFile()
        let counter = await counter(file)
        for _ in 0..<(PaywallViewCounter.maximumCount + 5) { counter.recordView() }
        #expect(counter.viewsWithinSevenDays() == PaywallViewCounter.maximumCount)
        await counter.flush()
        #expect(await self.counter(file).viewsWithinSevenDays() == PaywallViewCounter.maximumCount)
        counter.removeAll()
        await counter.flush()
        #expect(await self.counter(file).viewsWithinSevenDays() == 0)
    }
}
