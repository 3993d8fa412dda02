import LoopbackClient
import PreviewServer
import ReceiptTypes

/// A running server with test pages, and what its calls have changed.
struct ServerHarness: Sendable {
    let server: PreviewServer
    /// The bodies of the calls that changed something.
    let changes: Locked<[String]>

    var port: UInt16 { server.port }

    /// Starts a server without pulses of its own, so that nothing in a test depends on time.
    init(
        _ limits: ServerLimits = ServerLimits(), port: UInt16 = 0, seed: UInt64 = 1, more routes: [Route] = []
    ) throws {
        let changes = Locked<[String]>([])
        var generator = SplitMix64(seed: seed)
        self.changes = changes
        server = try PreviewServer(
            [
                .get("/") { request in .html("<title>Shop</title>\(request.target.query["name"] ?? "")") },
                .file("/style.css", contentType: "text/css", [UInt8]("p {}".utf8)),
                .post("/buy") { request in
                    changes.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
                    return .json("{\"bytes\":\(request.body.count)}")
                },
                .events("/events"),
            ] + routes,
            port: port, limits: limits, pulse: nil, using: &generator)
    }

    /// Sends a request on a connection of its own, and returns the answer.
    ///
    /// - Parameter headers: The header lines; nil for the correct Host, and for the token if the request is a POST.
    func request(
        _ method: String, _ target: String, headers: [String]? = nil, body: String = ""
    ) async throws -> SocketClient.Answer {
        let port = port
        var lines = headers ?? ["Host: 127.0.0.1:\(port)"]
        if headers == nil, method == "POST" { lines.append("X-Preview-Token: \(server.token.text)") }
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        let text = (["\(method) \(target) HTTP/1.1"] + lines).joined(separator: "\r\n") + "\r\n\r\n" + body
        return try await offPool {
            let client = try SocketClient(port: port)
            try client.send(text)
            return try client.readAnswer(toHead: method == "HEAD")
        }
    }
}
