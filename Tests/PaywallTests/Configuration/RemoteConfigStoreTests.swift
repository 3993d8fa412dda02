import Foundation
import Paywall
import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

@Suite("The store of the remote configuration", .timeLimit(.minutes(15)))
@MainActor
struct RemoteConfigStoreTests {
    struct Offline: Error {}

    /// A source with a scripted answer.
    final class Server: RemoteConfigSource {
        private let answer: Locked<Result<String, any Error>>
        private let requests = Locked(0)
        let gate: FlowGate

        init(_ answer: Result<String, any Error>, gate: FlowGate = FlowGate(isOpen: true)) {
            self.answer = Locked(answer)
            self.gate = gate
        }

        var requestCount: Int { requests.withLock { $0 } }
        func set(_ answer: Result<String, any Error>) { self.answer.withLock { $0 = answer } }

        func remoteConfig() async throws -> [UInt8] {
            requests.withLock { $0 += 1 }
            await gate.pass()
            return Array(try answer.withLock { try $0.get() }.utf8)
        }
    }

    /// A file whose first write does not end before a test says so, whether it is cancelled or not, as one of a disk.
    actor HeldFile: PaywallFile {
        let arrival = FlowGate(isOpen: true)
        private(set) var written: [String] = []
        private var held: CheckedContinuation<Void, Never>?
        private var isReleased = false
        private var isFirst = true

        func read() -> [UInt8]? { nil }

        func write(_ bytes: [UInt8]) async {
            let isHeld = isFirst
            isFirst = false
            await arrival.pass()
            if isHeld, !isReleased { await withCheckedContinuation { held = $0 } }
            written.append(String(decoding: bytes, as: UTF8.self))
        }

        func release() {
            isReleased = true
            held?.resume()
            held = nil
        }
    }

    private static func json(_ revision: Int) -> String { #"{"schema": 1, "revision": \#(revision)}"# }

    @Test("the source's configuration is in force and is there at the next launch without a network [PWF-5]")
    func lastGoodIsKept() async throws {
        let file = InMemoryPaywallFile()
        let first = RemoteConfigStore(source: Server(.success(Self.json(7))), file: file, timer: StoppedTimer())
        #expect(first.snapshot == RemoteConfig() && first.origin == .defaults)
        await first.refresh()
        #expect(first.snapshot.revision == 7 && first.origin == .source && first.error == nil)
        await first.flush()

        let log = RecordedLog()
        let second = RemoteConfigStore(source: Server(.failure(Offline())), file: file, log: log, timer: StoppedTimer())
        await second.refresh()
        #expect(second.snapshot.revision == 7 && second.origin == .file && second.error?.code == .unavailable)
        #expect(log.kinds == [.remoteConfigFailed])
    }

    @Test("a write that misses its deadline replaces no later configuration, however late it ends [PWF-5]")
    func lateWrite() async {
        let (file, server, timer, log) = (HeldFile(), Server(.success(Self.json(1))), PausedTimer(), RecordedLog())
        let store = RemoteConfigStore(source: server, file: file, log: log, timer: timer)
        await store.refresh()
        await file.arrival.arrived()
        for revision in 1...2 {
            server.set(.success(Self.json(revision)))
            await store.refresh()
            let isFlushed = Locked(false)
            let flush = Task {
                await store.flush()
                isFlushed.withLock { $0 = true }
            }
            while !isFlushed.withLock({ $0 }), !Task.isCancelled {
                timer.endWaits()
                await Task.yield()
            }
            await flush.value
        }
        #expect(await file.written.isEmpty && log.kinds.allSatisfy { $0 == .remoteConfigFailed })
        #expect(log.kinds.count >= 2, "the deadlines are reported")
        await file.release()
        server.set(.success(Self.json(3)))
        await store.refresh()
        await store.flush()
        #expect(await file.written.last == Self.json(3))
        #expect(await file.written == file.written.sorted())
    }

    @Test("a document that is wrong changes neither the configuration nor the file [PWF-5]")
    func wrongDocument() async throws {
        let file = InMemoryPaywallFile()
        let server = Server(.success(Self.json(7)))
        let store = RemoteConfigStore(source: server, file: file, timer: StoppedTimer())
        await store.refresh()
        await store.flush()
        for wrong in ["", "{}", #"{"schema": 2}"#, #"{"schema": 1, "offers": 1}"#] {
            server.set(.success(wrong))
            await store.refresh()
            #expect(store.snapshot.revision == 7 && store.error != nil)
            #expect(await file.read() == Array(Self.json(7).utf8))
        }
        server.set(.success(Self.json(8)))
        await store.refresh()
        #expect(store.snapshot.revision == 8 && store.error == nil)
    }

    @Test("a damaged file leaves the app's defaults, and the next good configuration replaces it [PWF-5]")
    func damagedFile() async throws {
        let file = InMemoryPaywallFile([1, 2, 3])
        let server = Server(.failure(Offline()))
        let store = RemoteConfigStore(
            source: server, file: file, defaults: RemoteConfig(revision: 1), timer: StoppedTimer())
        await store.refresh()
        #expect(store.snapshot.revision == 1 && store.origin == .defaults)
        server.set(.success(Self.json(2)))
        await store.refresh()
        #expect(store.snapshot.revision == 2)
        await store.flush()
        #expect(await file.read() == Array(Self.json(2).utf8))
    }

    @Test("concurrent refreshes share one request, and a source that never answers ends with the deadline [PWF-5]")
    func deadline() async throws {
        let gate = FlowGate()
        let server = Server(.success(Self.json(7)), gate: gate)
        let timer = PausedTimer()
        let store = RemoteConfigStore(source: server, timer: timer)
        let refreshes = (0..<3).map { _ in Task { await store.refresh() } }
        await gate.arrived()
        timer.endWaits()
        for refresh in refreshes { await refresh.value }
        #expect(server.requestCount == 1)
        #expect(store.snapshot == RemoteConfig() && store.error?.code == .unavailable)
        await gate.open()
    }

    @Test("a file that cannot be written, or never answers, neither delays a session nor counts as an error [PWF-5]")
    func unwritableFile() async {
        let gate = FlowGate()
        let log = RecordedLog()
        let timer = PausedTimer()
        let store = RemoteConfigStore(
            source: Server(.success(Self.json(7))), file: BlockedFile(gate: gate), log: log, timer: timer)
        await store.refresh()
        #expect(store.origin == .source && store.error == nil)
        await gate.arrived()
        timer.endWaits()
        await store.flush()
        #expect(log.kinds == [.remoteConfigFailed])
        await gate.open()
    }

    @Test("without a source, an error of the file is gone as soon as the file can be read [PWF-5]")
    func curedFile() async {
        let file = InMemoryPaywallFile([1, 2, 3])
        let store = RemoteConfigStore(file: file, timer: StoppedTimer())
        await store.refresh()
        #expect(store.origin == .defaults && store.error != nil)
        await file.write(Array(Self.json(3).utf8))
        await store.refresh()
        #expect(store.origin == .file && store.error == nil && store.snapshot.revision == 3)
    }

    /// A file without content whose writes wait.
    private struct BlockedFile: PaywallFile {
        let gate: FlowGate
        func read() -> [UInt8]? { nil }
        func write(_ bytes: [UInt8]) async { await gate.pass() }
    }

    @Test("a file on disk is absent at first, is replaced as one, and is not read beyond its size [PWF-5]")
    func diskFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "paywall-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "config.json").path()
        let file = PaywallDiskFile(path: path)
        #expect(try await file.read() == nil)
        try await file.write([1, 2, 3])
        try await file.write([4])
        #expect(try await file.read() == [4])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["config.json"])
        try Data(count: PaywallDiskFile.maximumSize + 1).write(to: folder.appending(path: "config.json"))
        await #expect(throws: DocumentError.self) { try await file.read() }
        await #expect(throws: (any Error).self) {
            try await PaywallDiskFile(path: folder.appending(path: "none/config.json").path()).write([1])
        }
    }

    // MARK: Risk

    @Test("the last answer about the risk stays if a later refresh fails or does not end [PWF-5]")
    func risk() async throws {
        let clock = SetClock()
        let good = RiskStore(source: ScriptedRisk(answer: .success(.high)), timer: StoppedTimer(), clock: clock.now)
        #expect(good.snapshot == .unknown)
        #expect(await good.refresh() == RiskSnapshot(level: .high, asOf: SetClock.start))
        good.removeSnapshot()
        #expect(good.snapshot == .unknown)

        let log = RecordedLog()
        let failing = RiskStore(source: ScriptedRisk(answer: .failure(Offline())), log: log, timer: StoppedTimer())
        #expect(await failing.refresh() == .unknown && log.kinds == [.riskRefreshFailed])

        let timer = PausedTimer()
        let gate = FlowGate()
        let hanging = RiskStore(source: ScriptedRisk(gate: gate), log: log, timer: timer)
        let refresh = Task { await hanging.refresh() }
        await gate.arrived()
        timer.endWaits()
        #expect(await refresh.value == .unknown && log.kinds.count == 2)
        await gate.open()
    }

    @Test("an answer that was asked for before another user has signed in is not that user's risk [PWF-5]")
    func riskOfFormerUser() async {
        let gate = FlowGate()
        let store = RiskStore(source: ScriptedRisk(answer: .success(.high), gate: gate), timer: StoppedTimer())
        let refresh = Task { await store.refresh() }
        await gate.arrived()
        store.removeSnapshot()
        await gate.open()
        _ = await refresh.value
        #expect(store.snapshot == .unknown)
    }
}
