import Foundation

/// A client of the events of a server.
package final class EventClient {
    package struct Event: Equatable {
        package var id = ""
        package var name = ""
        package var data = ""

        package init(id: String = "", name: String = "", data: String = "") {
            self.id = id
            self.name = name
            self.data = data
        }
    }

    private let client: SocketClient
    private var received = Data()
    /// The ID that a browser would send when it connects again.
    package private(set) var lastID: String?

    /// Connects, and reads the head of the answer.
    ///
    /// - Parameter browser: The name of a browser, which has few connections.
    package init(
        port: UInt16, path: String = "/events", lastID: String? = nil, browser: String? = nil,
        receiveBuffer: Int32? = nil
    ) throws {
        self.lastID = lastID
        client = try SocketClient(port: port, receiveBuffer: receiveBuffer)
        let position = lastID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        let agent = browser.map { "User-Agent: \($0)\r\n" } ?? ""
        try client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(position)\(agent)\r\n")
        let (status, headers) = try client.readHead()
        guard status == 200, headers["content-type"] == "text/event-stream" else {
            throw SocketClient.Failure(description: "the events have the status \(status) and \(headers)")
        }
    }

    /// Returns the next block of the stream, which can be an event, a comment or a field of its own; nil at its end.
    package func nextBlock() throws -> String? {
        while true {
            if let end = received.range(of: Data("\n\n".utf8)) {
                defer { received.removeSubrange(..<end.upperBound) }
                return String(decoding: received[..<end.lowerBound], as: UTF8.self)
            }
            // The stream is in chunks, each with its length in hexadecimal digits.
            guard let line = try client.read(to: "\r\n"), let count = Int(line, radix: 16), count > 0,
                let bytes = try client.read(count: count), try client.read(count: 2) != nil
            else { return nil }
            received += bytes
        }
    }

    /// Returns the next event; nil if the stream ends.
    package func next() throws -> Event? {
        while let block = try nextBlock() {
            var event = Event()
            var data: [String] = []
            for line in block.components(separatedBy: "\n") {
                let value = String(line.drop { $0 != ":" }.dropFirst(2))
                if line.hasPrefix("id:") { event.id = value }
                if line.hasPrefix("event:") { event.name = value }
                if line.hasPrefix("data:") { data.append(value) }
            }
            if !event.id.isEmpty { lastID = event.id }
            guard !data.isEmpty else { continue }
            event.data = data.joined(separator: "\n")
            return event
        }
        return nil
    }

    /// Returns a number of events, or fewer if the stream ends.
    package func next(_ count: Int) throws -> [Event] {
        var events: [Event] = []
        while events.count < count, let event = try next() { events.append(event) }
        return events
    }

    /// Returns the next event with a name; nil if the stream ends before.
    package func next(named name: String) throws -> Event? {
        while let event = try next() {
            if event.name == name { return event }
        }
        return nil
    }
}
