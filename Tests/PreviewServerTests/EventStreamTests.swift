import Foundation
import LoopbackClient
import PreviewServer
import Testing

/// Checks the server-sent events over real connections.
@Suite("Event streams", .timeLimit(.minutes(15)))
struct EventStreamTests {
    private func number(_ event: EventClient.Event) -> Int? { event.id.split(separator: "-").last.flatMap { Int($0) } }

    @Test("a client that connects again with its position gets exactly what it has missed")
    func reconnection() async throws {
        let harness = try ServerHarness()
        let server = harness.server
        let port = harness.port
        try await offPool {
            let first = try EventClient(port: port)
            _ = try first.nextBlock()
            for index in 1...3 { server.publish("change", data: "{\"n\":\(index)}") }
            #expect(try first.next(2).map(\.data) == ["{\"n\":1}", "{\"n\":2}"])
            server.publish("change", data: "4")
            let second = try EventClient(port: port, lastID: first.lastID)
            #expect(try second.next(2).map(\.data) == ["{\"n\":3}", "4"])
            server.publish("other", data: "5")
            #expect(try second.next() == .init(id: server.latestEventID, name: "other", data: "5"))
        }
    }

    @Test("a page gets every event since it was made, and the header counts more than the address")
    func pagePosition() async throws {
        let harness = try ServerHarness()
        let server = harness.server
        let port = harness.port
        let made = server.latestEventID
        server.publish("change", data: "1")
        let afterOne = server.latestEventID
        server.publish("change", data: "2")
        try await offPool {
            let page = try EventClient(port: port, path: "/events?after=\(made)")
            #expect(try page.next(2).map(\.data) == ["1", "2"])
            let again = try EventClient(port: port, path: "/events?after=\(made)", lastID: afterOne)
            #expect(try again.next(1).map(\.data) == ["2"])
        }
    }

    @Test("a client whose position is no longer in the log, or of another run, is told to load its state again")
    func reset() async throws {
        var limits = ServerLimits()
        limits.events = 4
        let harness = try ServerHarness(limits)
        let server = harness.server
        let port = harness.port
        let beginning = server.latestEventID
        for index in 1...5 { server.publish("change", data: "\(index)") }
        let otherRun = try ServerHarness(seed: 2).server.latestEventID
        try await offPool {
            for position in [beginning, otherRun] {
                let client = try EventClient(port: port, lastID: position)
                #expect(try client.next() == .init(id: server.latestEventID, name: "reset", data: "{}"))
                server.publish("change", data: "after")
                #expect(try client.next()?.data == "after")
            }
        }
    }

    @Test("each of 200 clients gets the sequence of the log, also those that connect again on the way")
    func manyClients() async throws {
        let harness = try ServerHarness()
        let server = harness.server
        let port = harness.port
        try await offPool {
            var clients: [EventClient?] = try (0..<200).map { _ in try EventClient(port: port) }
            for client in clients { #expect(try client?.nextBlock()?.hasPrefix("retry") == true) }
            for index in 1...20 { server.publish("change", data: "\(index)") }
            var received = try clients.map { try $0?.next(20) ?? [] }
            // Every second client is gone while further events come.
            let positions = clients.map { $0?.lastID }
            for index in stride(from: 0, to: clients.count, by: 2) { clients[index] = nil }
            for index in 21...40 { server.publish("change", data: "\(index)") }
            for index in stride(from: 0, to: clients.count, by: 2) {
                clients[index] = try EventClient(port: port, lastID: positions[index])
            }
            for index in clients.indices { received[index] += try clients[index]?.next(20) ?? [] }
            for events in received {
                #expect(events.map(\.data) == (1...40).map { "\($0)" })
                #expect(events.compactMap(number) == Array(1...40))
            }
        }
    }

    @Test("of too many streams of one browser the oldest ends, and gets what it has missed when it connects again")
    func manyTabs() async throws {
        let harness = try ServerHarness()
        let server = harness.server
        let port = harness.port
        try await offPool {
            let other = try EventClient(port: port, browser: "other")
            _ = try other.nextBlock()
            let tabs = try (0..<6).map { _ in
                let tab = try EventClient(port: port, browser: "browser")
                #expect(try tab.nextBlock()?.hasPrefix("retry: 500\n") == true)
                return tab
            }
            for tab in tabs.prefix(2) {
                #expect(try tab.nextBlock() == "retry: 5000")
                #expect(try tab.nextBlock() == nil)
            }
            server.publish("change", data: "1")
            for tab in tabs.dropFirst(2) + [other] { #expect(try tab.next()?.data == "1") }
            let position = String(server.latestEventID.dropLast()) + "0"
            let again = try EventClient(port: port, lastID: position, browser: "browser")
            #expect(try again.next()?.data == "1")
        }
    }

    @Test("a client that reads nothing neither holds up others nor costs memory; its stream ends, and it is reset")
    func slowClient() async throws {
        var limits = ServerLimits()
        limits.events = 16
        let harness = try ServerHarness(limits)
        let server = harness.server
        let port = harness.port
        try await offPool {
            let slow = try EventClient(port: port, receiveBuffer: 4_096)
            let fast = try EventClient(port: port)
            _ = try fast.nextBlock()
            let data = String(repeating: "x", count: 20_000)
            // More than the buffers of the system hold for the slow client.
            var count = 0
            for _ in 0..<50 {
                for _ in 0..<8 { server.publish("change", data: data) }
                let events = try fast.next(8)
                count += events.count
                guard events.count == 8 else { break }
            }
            #expect(count == 400)
            let lastID = server.latestEventID
            #expect(fast.lastID == lastID)
            let read = try slow.next(400)
            #expect(read.count < 400)
            #expect(read.compactMap(number) == Array(1...max(1, read.count)))
            let again = try EventClient(port: port, lastID: slow.lastID)
            #expect(try again.next() == .init(id: lastID, name: "reset", data: "{}"))
        }
    }

    /// The number of events of the long run, which a test of memory needs for itself.
    private static let longRun = ProcessInfo.processInfo.environment["PREVIEW_EVENTS"].flatMap { Int($0) }

    @Test("memory stays flat over thousands of events to many clients", .enabled(if: longRun != nil))
    func memory() async throws {
        let harness = try ServerHarness()
        let server = harness.server
        let port = harness.port
        let data = String(repeating: "x", count: 1_000)
        try await offPool {
            let clients = try (0..<20).map { _ in try EventClient(port: port) }
            for client in clients { _ = try client.nextBlock() }
            // The log is full after these, so that nothing grows from then on.
            var before: Int?
            for round in 0..<(Self.longRun ?? 0) / 10 {
                if round == 200 { before = try Self.residentBytes() }
                for _ in 0..<10 { server.publish("change", data: data) }
                for client in clients { #expect(try client.next(10).count == 10) }
            }
            let growth = try Self.residentBytes() - (before ?? 0)
            print("memory grew by \(growth) bytes")
            #expect(growth < 4_194_304)
        }
    }

    private static func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (Int(fields[1]) ?? 0) * 4_096
    }

    @Test("a pulse sends a comment to streams that wait, so that the server notices clients that have gone away")
    func keepAlive() async throws {
        let harness = try ServerHarness()
        let server = harness.server
        let port = harness.port
        try await offPool {
            let client = try EventClient(port: port)
            _ = try client.nextBlock()
            // Until the stream waits, a pulse can come before its opening has left.
            server.pulse()
            #expect(try client.nextBlock() == ":")
            for _ in 0..<10 {
                server.pulse()
                #expect(try client.nextBlock() == ":")
            }
            var gone: EventClient? = try EventClient(port: port)
            _ = try gone?.nextBlock()
            #expect(server.connectionCount == 2)
            gone = nil
            // The first comment to a closed socket is answered by a reset, which a later one notices.
            for _ in 0..<3_000 where server.connectionCount == 2 {
                server.pulse()
                _ = try client.nextBlock()
            }
            #expect(server.connectionCount == 1)
        }
    }
}
