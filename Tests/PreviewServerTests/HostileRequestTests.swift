import Foundation
import LoopbackClient
import PreviewServer
import ReceiptTypes
import Testing

/// Sends requests that an attacker would send, and checks that the server refuses them, lives on and has changed
/// nothing.
@Suite("Hostile requests", .timeLimit(.minutes(15)))
struct HostileRequestTests {
    /// Checks that the server serves the next request, and that no call has changed anything.
    private func expectUnharmed(_ harness: ServerHarness) async throws {
        #expect(try await harness.request("GET", "/").status == 200)
        #expect(harness.changes.withLock { $0 } == [])
    }

    // MARK: Other sites

    @Test("a request for another Host is refused, so that no name of another site leads here")
    func host() async throws {
        let harness = try ServerHarness()
        let port = harness.port
        let token = "X-Preview-Token: \(harness.server.token.text)"
        for host in [
            "example.com", "example.com:\(port)", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.example.com:\(port)",
            "localhost:\(port).example.com", "localhost.:\(port)", "", "127.0.0.1:\(port)@example.com",
            "0.0.0.0:\(port)",
            "[::]:\(port)", "127.1:\(port)", "127.0.0.1:\(port),example.com",
        ] {
            for method in ["GET", "POST"] {
                let path = method == "GET" ? "/" : "/buy"
                let answer = try await harness.request(method, path, headers: ["Host: \(host)", token])
                #expect([400, 421].contains(answer.status), "\(method) \(host)")
                #expect(!answer.body.contains("Shop"))
            }
        }
        for host in ["localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", "LOCALHOST:\(port)"] {
            #expect(try await harness.request("GET", "/", headers: ["Host: \(host)"]).status == 200, "\(host)")
        }
        #expect(try await harness.request("GET", "/", headers: []).status == 400)
        let two = ["Host: 127.0.0.1:\(port)", "Host: example.com"]
        #expect(try await harness.request("GET", "/", headers: two).status == 400)
        try await expectUnharmed(harness)
    }

    @Test("a page of another origin cannot change anything, even with the token")
    func origin() async throws {
        let harness = try ServerHarness()
        let port = harness.port
        let own = ["Host: 127.0.0.1:\(port)", "X-Preview-Token: \(harness.server.token.text)"]
        for header in [
            "Origin: http://example.com", "Origin: null", "Origin: https://127.0.0.1:\(port)",
            "Origin: http://127.0.0.1",
            "Origin: http://127.0.0.1:\(port).example.com", "Origin: http://localhost:\(port)", "Origin:",
            "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Sec-Fetch-Site:",
        ] {
            #expect(try await harness.request("POST", "/buy", headers: own + [header]).status == 403, "\(header)")
        }
        for site in ["cross-site", "same-site"] {
            let headers = ["Host: 127.0.0.1:\(port)", "Sec-Fetch-Site: \(site)"]
            #expect(try await harness.request("GET", "/events", headers: headers).status == 403)
        }
        try await expectUnharmed(harness)
        let same = own + ["Origin: http://127.0.0.1:\(port)", "Sec-Fetch-Site: same-origin"]
        #expect(try await harness.request("POST", "/buy", headers: same).status == 200)
    }

    @Test("a call without the token changes nothing")
    func token() async throws {
        let harness = try ServerHarness()
        let token = harness.server.token.text
        let host = "Host: 127.0.0.1:\(harness.port)"
        let other = try ServerHarness(seed: 2).server.token.text
        let wrong = [
            [], ["X-Preview-Token:"], ["X-Preview-Token: \(other)"], ["X-Preview-Token: \(token)0"],
            ["X-Preview-Token: \(token.dropLast())"], ["X-Preview-Token: \(token), \(token)"],
            ["X-Preview-Token: \(token)", "X-Preview-Token: \(other)"], ["Cookie: token=\(token)"],
            ["Authorization: Bearer \(token)"],
        ]
        for headers in wrong {
            #expect(try await harness.request("POST", "/buy", headers: [host] + headers).status == 403, "\(headers)")
        }
        for query in [
            "token=", "token=\(other)", "token=\(token)&token=\(token)", "Token=\(token)", "a=token=\(token)",
        ] {
            #expect(try await harness.request("POST", "/buy?\(query)", headers: [host]).status == 403, "\(query)")
        }
        let both = [host, "X-Preview-Token: \(other)"]
        #expect(try await harness.request("POST", "/buy?token=\(token)", headers: both).status == 403)
        for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "BREW"] {
            #expect(try await harness.request(method, "/buy", headers: [host]).status == 403, "\(method)")
        }
        try await expectUnharmed(harness)
    }

    // MARK: Addresses

    @Test("no address leads out of the list of routes, however its dots and slashes are written")
    func traversal() async throws {
        let harness = try ServerHarness()
        for path in [
            "/../etc/passwd", "/../../../../etc/passwd", "/./style.css", "/%2e%2e/etc/passwd", "/%2e%2e%2fetc%2fpasswd",
            "/..%2f..%2fetc/passwd", "/%252e%252e/etc/passwd", "/..%5cetc%5cpasswd", "/..\\etc\\passwd", "//etc/passwd",
            "/style.css/../../etc/passwd", "/style.css/", "/style.css%20", "/STYLE.CSS", "/....//etc/passwd",
            "/%e2%80%a5/etc/passwd", "/file:///etc/passwd", "/~root",
        ] {
            #expect(try await harness.request("GET", path).status == 404, "\(path)")
        }
        for path in ["/%c0%ae%c0%ae/etc/passwd", "/style.css%00.html", "/%", "/%2", "/%xy", "/?a=%", "etc/passwd", "*"]
        {
            #expect(try await harness.request("GET", path).status == 400, "\(path)")
        }
        try await expectUnharmed(harness)
    }

    @Test("a NUL hides nothing of a method, an address or a header: the request is malformed, and changes nothing")
    func nul() async throws {
        let harness = try ServerHarness()
        let (port, token) = (harness.port, harness.server.token.text)
        let host = "Host: 127.0.0.1:\(port)"
        let rest = "HTTP/1.1\r\n\(host)\r\n\r\n"
        let requests =
            [
                "GET /\0 \(rest)", "GET /\0.html \(rest)", "GET /style.css\0/../x \(rest)", "GET /?name=a\0b \(rest)",
                "GET\0 / \(rest)", "GET\0X / \(rest)", "GET / HTTP/1.1\0\r\n\(host)\r\n\r\n", "GET /%00 \(rest)",
                "GET /?name=%00 \(rest)",
            ]
            + [
                "Host: 127.0.0.1:\(port)\0.example.com", "Host: 127.0.0.1:\(port)\0", "Host\0: 127.0.0.1:\(port)",
                "X-First: a\0b\r\n\(host)", "\(host)\r\nX-Last: a\0b", "\(host)\r\nX-Last: \0",
            ].map { "GET / HTTP/1.1\r\n\($0)\r\n\r\n" }
            + ["Origin: http://127.0.0.1:\(port)\0.example.com", "Sec-Fetch-Site: same-origin\0, cross-site"].map {
                "POST /buy?token=\(token) HTTP/1.1\r\n\(host)\r\n\($0)\r\nContent-Length: 0\r\n\r\n"
            }
        try await offPool {
            for request in requests {
                let client = try SocketClient(port: port)
                try client.send(request)
                #expect(try client.readAnswer().status == 400, "\(request.debugDescription)")
            }
        }
        try await expectUnharmed(harness)
    }

    @Test("a request with a malformed line, Host or header gets exactly one answer, and its connection ends")
    func oneAnswer() async throws {
        let harness = try ServerHarness()
        let port = harness.port
        let host = "Host: 127.0.0.1:\(port)"
        let heads = [
            "GET / HTTP/1.1", "GET / HTTP/1.1\r\nHost : 127.0.0.1:\(port)", "GET / HTTP/1.1\r\nHost: example.com",
            "GET / HTTP/1.1\r\n\(host)\r\nX-Nothing", "GET / HTTP/1.1\r\n\(host)\r\n continued",
            "GET /a b HTTP/1.1\r\n\(host)", "GET /\0 HTTP/1.1\r\n\(host)", "POST /buy HTTP/1.1\r\n\(host)",
            "POST /buy HTTP/1.1\r\n\(host)\r\nContent-Length: 1\r\nContent-Length: 2\r\nExpect: 100-continue",
        ]
        try await offPool {
            for head in heads {
                let client = try SocketClient(port: port)
                try client.send("\(head)\r\n\r\n")
                let answer = try client.readToEnd() ?? ""
                #expect(answer.hasPrefix("HTTP/1.1 4"), "\(head.debugDescription)")
                #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(head.debugDescription): \(answer)")
            }
        }
        try await expectUnharmed(harness)
    }

    @Test("a header whose name is no token makes a request malformed, and blanks behind a value do not")
    func names() async throws {
        let harness = try ServerHarness()
        let host = "Host: 127.0.0.1:\(harness.port)"
        let names = [
            "Host ", "Host\t", "X-A ", "X-A\t", " X-A", "X A", "Content-Length ", "Transfer-Encoding ", "", "X\u{1}A",
            "X\u{7f}",
            "X\u{e9}", "X(A)", "X,A", "X;A", "X/A", "X\"A", "X@A", "X[A]", "X{A}", "X=A", "X?A", "X\\A", "<X>",
        ]
        try await offPool {
            for name in names {
                for header in ["\(name): 0\r\n\(host)", "\(host)\r\n\(name): 0"] {
                    let client = try SocketClient(port: harness.port)
                    try client.send("GET / HTTP/1.1\r\n\(header)\r\n\r\n")
                    let answer = try client.readToEnd() ?? ""
                    #expect(answer.hasPrefix("HTTP/1.1 400"), "\(header.debugDescription): \(answer.prefix(40))")
                    #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(header.debugDescription)")
                }
            }
        }
        for value in ["\(host) ", "\(host)\t \t", "\(host)\r\nX-Empty:", "\(host)\r\n!#$%&'*+-.^_`|~09aZ: x"] {
            let headers = value.components(separatedBy: "\r\n")
            #expect(try await harness.request("GET", "/", headers: headers).status == 200, "\(value.debugDescription)")
        }
        try await expectUnharmed(harness)
    }

    // MARK: Sizes

    @Test("a body that is too long is refused before it is sent, and one of unknown length as well")
    func bodies() async throws {
        let harness = try ServerHarness()
        let own = ["Host: 127.0.0.1:\(harness.port)", "X-Preview-Token: \(harness.server.token.text)"]
        for length in ["65537", "1000000000", "9223372036854775807", "9223372036854775808", "18446744073709551615"] {
            let headers = own + ["Content-Length: \(length)"]
            #expect(try await harness.request("POST", "/buy", headers: headers).status == 413, "\(length)")
            let expecting = headers + ["Expect: 100-continue"]
            #expect(try await harness.request("POST", "/buy", headers: expecting).status == 413, "\(length)")
        }
        let beyond = own + ["Content-Length: 99999999999999999999999"]
        #expect([400, 413].contains(try await harness.request("POST", "/buy", headers: beyond).status))
        for length in ["-1", "+1", "0x10", "1 1", "a", "1,1"] {
            let headers = own + ["Content-Length: \(length)"]
            #expect(try await harness.request("POST", "/buy", headers: headers).status == 400, "\(length)")
        }
        let chunked = own + ["Transfer-Encoding: chunked"]
        #expect(try await harness.request("POST", "/buy", headers: chunked).status == 411)
        try await expectUnharmed(harness)
    }

    @Test("a client that sends a body that is too long all the same is cut off")
    func sentBody() async throws {
        let harness = try ServerHarness()
        let (port, token) = (harness.port, harness.server.token.text)
        let chunk = [UInt8](repeating: 0x78, count: 65_536)
        let limit = 64 * 1_048_576
        let sent = try await offPool {
            let client = try SocketClient(port: port)
            try client.send(
                "POST /buy HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-Preview-Token: \(token)\r\n"
                    + "Content-Length: 1000000000\r\n\r\n")
            var sent = 0
            while sent < limit, (try? client.send(chunk)) != nil { sent += chunk.count }
            return sent
        }
        #expect(sent < limit)
        try await expectUnharmed(harness)
    }

    @Test("headers that are too long are refused")
    func headers() async throws {
        let harness = try ServerHarness()
        let host = "Host: 127.0.0.1:\(harness.port)"
        let long = String(repeating: "a", count: 9_000)
        #expect(try await harness.request("GET", "/", headers: [host, "X-Long: \(long)"]).status == 431)
        #expect(try await harness.request("GET", "/?\(long)", headers: [host]).status == 431)
        let many = (0..<500).map { "X-Header-\($0): value" }
        #expect(try await harness.request("GET", "/", headers: [host] + many).status == 431)
        try await expectUnharmed(harness)
    }

    // MARK: Broken and slow clients

    @Test("bytes that are no request end their connection, and only that")
    func noRequests() async throws {
        let harness = try ServerHarness()
        let port = harness.port
        let server = harness.server
        let requests: [[UInt8]] =
            [
                "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1 HTTP/1.1\r\n\r\n",
                "\0\0\0\0",
                " / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/1.1\r\n: a\r\n\r\n",
                "GET /\0 HTTP/1.1\r\nHost: example.com\r\n\r\n", "GET / HTTP/1.1\r\n Host: a\r\n b\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", String(repeating: "A", count: 100_000),
            ].map { [UInt8]($0.utf8) } + [[0x16, 0x03, 0x01, 0x02, 0x00, 0x01], [0xff, 0xfe, 0x0d, 0x0a, 0x0d, 0x0a]]
        var generator = SplitMix64(seed: 3)
        let random = (0..<50).map { _ in
            (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) } + [13, 10, 13, 10]
        }
        try await offPool {
            for bytes in requests + random {
                let client = try SocketClient(port: port)
                // The server can close the connection before it has taken all bytes.
                try? client.send(bytes)
                client.finishSending()
                let answer = try client.readToEnd(pulsing: server.pulse)
                #expect(answer?.contains(" 200 ") == false, "\(bytes.prefix(40))")
            }
        }
        try await expectUnharmed(harness)
    }

    @Test("a client that sends its request too slowly is disconnected, and one that reads events is not")
    func slowHeaders() async throws {
        let harness = try ServerHarness()
        let port = harness.port
        let server = harness.server
        try await offPool {
            let stream = try EventClient(port: port)
            let opening = try stream.nextBlock()
            #expect(opening?.contains("retry: ") == true)
            let token = "Host: 127.0.0.1:\(port)\r\nX-Preview-Token: \(server.token.text)\r\n"
            let beginnings = [
                "", "G", "GET / HTTP/1.1\r\nHost: 127", "POST /buy HTTP/1.1\r\n\(token)Content-Length: 10\r\n\r\n12345",
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n",
            ]
            for beginning in beginnings {
                let client = try SocketClient(port: port)
                try client.send(beginning)
                // Without the limit the connection would stay open for all pulses.
                #expect(try client.readToEnd(pulsing: server.pulse) != nil, "\(beginning)")
            }
            server.publish("alive", data: "1")
            #expect(try stream.next()?.name == "alive")
        }
        try await expectUnharmed(harness)
    }

    @Test("streams that a client leaves behind do not take the connections of pages, and end with the next pulses")
    func abandonedStreams() async throws {
        var limits = ServerLimits()
        limits.streams = 5
        let harness = try ServerHarness(limits)
        let port = harness.port
        let server = harness.server
        try await offPool {
            for _ in 0..<5 { _ = try EventClient(port: port).nextBlock() }
            let refused = try SocketClient(port: port)
            try refused.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
            #expect(try refused.readAnswer().status == 503)
            for _ in 0..<300 where server.connectionCount > 0 {
                server.pulse()
                _ = try SocketClient(port: port).readToEnd(pulsing: server.pulse)
            }
            let stream = try EventClient(port: port)
            server.publish("change", data: "1")
            #expect(try stream.next()?.data == "1")
        }
        try await expectUnharmed(harness)
    }

    @Test("connections in turn, each with another misuse, leave a server that serves and has changed nothing")
    func manyConnections() async throws {
        let count = ProcessInfo.processInfo.environment["PREVIEW_CONNECTIONS"].flatMap { Int($0) } ?? 200
        let harness = try ServerHarness()
        let port = harness.port
        let server = harness.server
        try await offPool {
            for index in 0..<count {
                // libmicrohttpd can miss that a client has gone away. Then a pulse closes its connection.
                if index.isMultiple(of: 100) { server.pulse() }
                let client = try SocketClient(port: port)
                let host = "Host: 127.0.0.1:\(port)\r\n"
                switch index % 5 {
                case 0: try client.send("GET / HTTP/1.1\r\nHost: ")
                case 1: try client.send("POST /buy HTTP/1.1\r\n\(host)Content-Length: 1000000000\r\n\r\n")
                case 2: try client.send("GET /events HTTP/1.1\r\n\(host)\r\n")
                case 3:
                    try client.send("GET /none HTTP/1.1\r\n\(host)\r\n")
                    #expect(try client.readAnswer().status == 404)
                default: break
                }
            }
        }
        try await expectUnharmed(harness)
        try await offPool { server.stop() }
        #expect(server.connectionCount == 0)
    }
}
