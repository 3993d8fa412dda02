import Testing

@testable import PreviewServer

/// Checks the log of events and the positions of its readers, without a server.
@Suite("Event log")
struct EventLogTests {
    private func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }

    private func makeLog(_ count: Int, limit: Int = 4, byteLimit: Int = 1_000_000) -> EventLog {
        var log = EventLog(run: "run", countLimit: limit, byteLimit: byteLimit)
        for number in 0..<count { log.append("change", data: "\(number + 1)") }
        return log
    }

    /// Returns everything that a reader is sent until it has caught up; nil if it has missed an event.
    private func readAll(_ reader: inout EventReader, _ log: EventLog, upTo count: Int = 1_000) -> String? {
        var bytes: [UInt8] = []
        while true {
            switch reader.read(log, upTo: count) {
            case .bytes(let more):
                #expect(more.count <= count && !more.isEmpty)
                bytes += more
            case .caughtUp: return text(bytes)
            case .missed, .ended: return nil
            }
        }
    }

    @Test("an event has an ID, its name and each line of its data")
    func format() throws {
        var log = makeLog(0)
        log.append("a\nb: c\r", data: "one\ntwo\r\nthree\rfour")
        let expected = "id: run-1\nevent: ab: c\ndata: one\ndata: two\ndata: three\ndata: four\n\n"
        #expect(text(try log.event(after: 0)) == expected)
        log.append("empty", data: "")
        #expect(text(try log.event(after: 1)) == "id: run-2\nevent: empty\ndata: \n\n")
    }

    @Test("the log keeps the latest events, bounded by their number and by their bytes")
    func bounds() throws {
        let log = makeLog(10)
        #expect(log.latestID == "run-10")
        #expect(throws: EventLog.Missed.self) { try log.event(after: 5) }
        #expect(text(try log.event(after: 6)).contains("data: 7\n"))
        #expect(try log.event(after: 10) == nil)
        // An event has 31 bytes here.
        let short = makeLog(9, limit: 100, byteLimit: 100)
        #expect(throws: EventLog.Missed.self) { try short.event(after: 5) }
        #expect(text(try short.event(after: 6)).contains("data: 7\n"))
        #expect(text(try makeLog(3, byteLimit: 0).event(after: 2)).contains("data: 3\n"))
    }

    @Test("a reader without a position gets the position of now and every later event")
    func newReader() throws {
        var log = makeLog(2)
        var reader = EventReader(of: log, after: nil)
        #expect(readAll(&reader, log) == "retry: 500\nid: run-2\n\n")
        log.append("change", data: "3")
        #expect(readAll(&reader, log) == "id: run-3\nevent: change\ndata: 3\n\n")
    }

    @Test("a reader with a position gets exactly what it has missed", arguments: 0...4)
    func position(_ seen: Int) throws {
        let log = makeLog(4)
        var reader = EventReader(of: log, after: "run-\(seen)")
        let all = try #require(readAll(&reader, log))
        let numbers = all.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map { $0.dropFirst(6) }
        #expect(numbers == (seen..<4).map { "\($0 + 1)" })
        #expect(!all.contains("reset"))
    }

    @Test(
        "a reader gets a reset if its position is of another run, unknown, or no longer in the log",
        arguments: ["other-7", "run-5", "run-0", "run-11", "run-", "run", "", "run-07", "run-+7", "run-7-7", "é", "-1"])
    func reset(_ position: String) throws {
        var log = makeLog(10)
        var reader = EventReader(of: log, after: position)
        #expect(readAll(&reader, log) == "id: run-10\nevent: reset\ndata: {}\n\n")
        log.append("change", data: "11")
        #expect(readAll(&reader, log)?.contains("data: 11") == true)
    }

    @Test("a reader that is too slow is told that it has missed an event, after the one that it was reading")
    func slowReader() throws {
        var log = makeLog(2)
        var reader = EventReader(of: log, after: "run-0")
        #expect(reader.read(log, upTo: 100) == .bytes(EventLog.retry[...]))
        let event = [UInt8]("id: run-1\nevent: change\ndata: 1\n\n".utf8)
        #expect(reader.read(log, upTo: 10) == .bytes(event.prefix(10)))
        for number in 3...20 { log.append("change", data: "\(number)") }
        #expect(reader.read(log, upTo: 100) == .bytes(event.dropFirst(10)))
        #expect(reader.read(log, upTo: 100) == .missed)
    }

    @Test("events arrive complete through a buffer of any size", arguments: [1, 2, 7, 31, 64])
    func smallBuffers(_ size: Int) throws {
        let log = makeLog(4)
        var whole = EventReader(of: log, after: "run-0")
        var parts = whole
        #expect(readAll(&whole, log) == readAll(&parts, log, upTo: size))
    }

    @Test("a requested comment is sent once, and only if there is no event")
    func comment() throws {
        var log = makeLog(1)
        var reader = EventReader(of: log, after: nil)
        _ = readAll(&reader, log)
        reader.requestComment()
        #expect(readAll(&reader, log) == ":\n\n")
        reader.requestComment()
        log.append("change", data: "2")
        #expect(readAll(&reader, log) == "id: run-2\nevent: change\ndata: 2\n\n")
    }
}
