import LoopbackClient
import PreviewServer
import ReceiptTypes
import Testing

/// Checks what the server answers to correct requests, and how it starts and stops.
@Suite("Preview server", .timeLimit(.minutes(15)))
struct PreviewServerTests {
    @Test("a page is served with headers that keep other sites, other scripts and caches out")
    func page() async throws {
        let harness = try ServerHarness()
        let answer = try await harness.request("GET", "/?name=caf%C3%A9+%26")
        #expect(answer.status == 200)
        #expect(answer.body == "<title>Shop</title>café &")
        #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
        #expect(answer.headers["x-content-type-options"] == "nosniff")
        #expect(answer.headers["x-frame-options"] == "DENY")
        #expect(answer.headers["referrer-policy"] == "same-origin", "or forms have no Origin")
        #expect(answer.headers["cache-control"] == "no-store")
        let policy = try #require(answer.headers["content-security-policy"])
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"))
        #expect(!policy.contains("unsafe"))
        #expect(try await harness.request("GET", "/style.css").body == "p {}")
    }

    @Test("HEAD has the headers of GET and no body")
    func head() async throws {
        let harness = try ServerHarness()
        let page = try await harness.request("GET", "/")
        var head = try await harness.request("HEAD", "/")
        #expect(head.body.isEmpty)
        head = .init(status: head.status, headers: head.headers, body: page.body)
        #expect(head.headers["content-length"] == page.headers["content-length"] && head.status == 200)
        #expect(try await harness.request("HEAD", "/events").headers["content-type"] == "text/event-stream")
    }

    @Test("an unknown address is not found, and another method is refused with the methods that there are")
    func unknown() async throws {
        let harness = try ServerHarness()
        #expect(try await harness.request("GET", "/none").status == 404)
        let buy = try await harness.request("GET", "/buy")
        #expect(buy.status == 405 && buy.headers["allow"] == "POST")
        let page = try await harness.request("POST", "/")
        #expect(page.status == 405 && page.headers["allow"] == "GET, HEAD")
        #expect(harness.changes.withLock { $0.isEmpty })
    }

    @Test("a call with the token, in a header or in the address, receives the complete body")
    func post() async throws {
        let harness = try ServerHarness()
        let body = String(repeating: "0123456789abcdef", count: 4_096)
        #expect(try await harness.request("POST", "/buy", body: body).body == "{\"bytes\":65536}")
        let address = "/buy?token=\(harness.server.token.text)"
        let answer = try await harness.request("POST", address, headers: ["Host: localhost:\(harness.port)"], body: "a")
        #expect(answer.status == 200)
        #expect(harness.changes.withLock { $0 } == [body, "a"])
    }

    @Test("a connection serves one request after the other, also when they arrive together")
    func keptConnection() async throws {
        let harness = try ServerHarness()
        let port = harness.port
        let token = harness.server.token.text
        let statuses = try await offPool {
            let client = try SocketClient(port: port)
            let host = "Host: 127.0.0.1:\(port)\r\n"
            let post = "POST /buy HTTP/1.1\r\n\(host)X-Preview-Token: \(token)\r\nContent-Length: 1\r\n\r\n"
            try client.send("GET / HTTP/1.1\r\n\(host)\r\n\(post)xGET /style.css HTTP/1.1\r\n\(host)\r\n\(post)y")
            return try (0..<4).map { _ in try client.readAnswer().status }
        }
        #expect(statuses == [200, 200, 200, 200])
        #expect(harness.changes.withLock { $0 } == ["x", "y"])
    }

    // MARK: Start and stop

    @Test("a port in use is an error, and is free again when the server has stopped")
    func port() async throws {
        let first = try ServerHarness()
        let error = #expect(throws: PreviewServerError.self) { try ServerHarness(port: first.port) }
        #expect(error?.code == .portInUse)
        first.server.stop()
        let second = try ServerHarness(port: first.port)
        #expect(second.port == first.port)
        #expect(second.server.address == "http://127.0.0.1:\(first.port)/?token=\(second.server.token.text)")
        #expect(try await second.request("GET", "/").status == 200)
    }

    @Test("stopping closes streams and idle connections, and a second stop has no effect")
    func stop() async throws {
        let harness = try ServerHarness()
        let port = harness.port
        let server = harness.server
        try await offPool {
            let streams = try (0..<20).map { _ in try EventClient(port: port) }
            for stream in streams { _ = try stream.nextBlock() }
            let idle = try SocketClient(port: port)
            try idle.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
            #expect(try idle.readAnswer().status == 200)
            server.stop()
            for stream in streams { #expect(try stream.next() == nil) }
            #expect(try idle.readToEnd() == "")
            server.stop()
        }
        #expect(server.connectionCount == 0)
        await #expect(throws: SocketClient.Failure.self) { try await harness.request("GET", "/") }
        server.publish("late", data: "")
        server.pulse()
    }

    @Test("stopping does not wait for a route that is still working, whose answer is then dropped")
    func stopDuringRoute() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let slow = Route.get("/slow") { _ in
            start.yield()
            for await _ in released { break }
            return .html("late")
        }
        let harness = try ServerHarness(more: [slow])
        async let answer = harness.request("GET", "/slow")
        for await _ in started { break }
        let server = harness.server
        try await offPool { server.stop() }
        release.yield()
        // The answer is either that the server stops, or the end of the connection.
        #expect(((try? await answer)?.status ?? 503) == 503)
    }

    @Test(
        "a route that does not answer is given up after some pulses, and too many of them leave none for further requests"
    )
    func silentRoutes() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let slow = Route.get("/slow") { _ in
            start.yield()
            for await _ in released {}
            return .html("late")
        }
        var limits = ServerLimits()
        limits.answerPulses = 2
        limits.answers = 1
        let harness = try ServerHarness(limits, more: [slow])
        async let answer = harness.request("GET", "/slow")
        for await _ in started { break }
        #expect(try await harness.request("GET", "/").status == 503, "the route has the only place")
        #expect(try await harness.request("GET", "/style.css").status == 200, "a file needs none")
        for _ in 0..<3 { harness.server.pulse() }
        let refusal = try await answer
        #expect(refusal.status == 503 && refusal.body.contains("in time"))
        release.finish()
        // The place is free a moment after the route has ended.
        while try await harness.request("GET", "/").status == 503, !Task.isCancelled { await Task.yield() }
        #expect(try await harness.request("GET", "/").status == 200)
    }

    @Test("everything that routes hold is freed after the server")
    func lifetimes() async throws {
        final class Held: Sendable {}
        weak var held: Held?
        for round in 0..<5 {
            let object = Held()
            held = object
            let route = Route.get("/held") { _ in .html("\(ObjectIdentifier(object))") }
            let harness = try ServerHarness(more: [route])
            #expect(try await harness.request("GET", "/held").status == 200)
            let port = harness.port
            try await offPool { _ = try EventClient(port: port).nextBlock() }
            if round.isMultiple(of: 2) { harness.server.stop() }
        }
        // The task of a route can end a moment after its answer.
        while held != nil, !Task.isCancelled { await Task.yield() }
        #expect(held == nil)
    }
}
