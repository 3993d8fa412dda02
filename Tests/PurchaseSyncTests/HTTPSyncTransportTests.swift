import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@testable import PurchaseSync

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Purchases sent by HTTP", .timeLimit(.minutes(15)))
struct HTTPSyncTransportTests {
    private let submission: PurchaseSubmission

    init() throws {
        let purchase = Purchase(
            id: .init(transactionID: "1", origin: .appStore, environment: .sandbox), user: UUIDText("alice"),
            productID: "pro", type: .nonConsumable, purchasedAt: Timestamp(clamping: 0), quantity: 1,
            remainingQuantity: 1, ownership: .purchased, price: nil, currency: nil, isRevoked: false,
            revocationDate: nil, verification: .verified(key: nil), synchronization: .unsynced)
        submission = PurchaseSubmission(try #require(purchase), .jws("a.b.c"))
    }

    /// Sends a purchase to a server that behaves in one way; returns the error, if any, and what the server has
    /// received.
    private func send(
        _ behaviour: LoopbackServer.Behaviour, content: SignedContent? = nil,
        authorization: @escaping @Sendable () async throws -> String? = { nil }
    ) async throws -> (error: SyncError?, requests: [LoopbackServer.Request]) {
        let server = try LoopbackServer([behaviour])
        defer { server.stop() }
        let transport = try HTTPSyncTransport(address: server.address, authorization: authorization)
        do throws(SyncError) {
            try await transport.send(PurchaseSubmission(submission.purchase, content ?? submission.content))
            return (nil, server.requests)
        } catch {
            return (error, server.requests)
        }
    }

    @Test("A purchase is one POST request with its signed content, and 2xx acknowledges it [OTP-3.5]")
    func request() async throws {
        let (error, requests) = try await send(.answer("204 No Content")) {
            "Bearer token"
        }
        #expect(error == nil)
        let request = try #require(requests.first)
        #expect(requests.count == 1)
        #expect(request.head.hasPrefix("POST /purchases HTTP/1.1\r\n"))
        #expect(request.head.contains("Authorization: Bearer token"))
        #expect(request.head.contains("Content-Type: application/json"))
        #expect(
            request.body == """
                {"store":"app-store","transactionId":"1","productId":"pro","environment":"Sandbox","user":"alice",\
                "signedTransaction":"a.b.c"}
                """)
    }

    @Test("A Google Play purchase is sent with its exact data and its signature [OTP-3.5]")
    func play() async throws {
        let content = SignedContent.play(SignedPlayPurchase(data: #"{"a": "é"}"#, signature: "c2ln"))
        let (error, requests) = try await send(.answer("200 OK", body: "{}"), content: content)
        #expect(error == nil)
        #expect(requests.first?.body.hasSuffix(#""purchaseData":"{\"a\": \"é\"}","signature":"c2ln"}"#) == true)
    }

    @Test(
        "Each status of the server has its error [OTP-3.5]",
        arguments: [
            ("400 Bad Request", SyncError.Code.rejected), ("409 Conflict", .rejected),
            ("422 Unprocessable Content", .rejected), ("401 Unauthorized", .unauthorized),
            ("403 Forbidden", .unauthorized), ("404 Not Found", .unknownAnswer),
            ("429 Too Many Requests", .unavailable),
            ("500 Internal Server Error", .unavailable), ("503 Service Unavailable", .unavailable),
        ])
    func status(line: String, code: SyncError.Code) async throws {
        let (error, requests) = try await send(.answer(line, body: "no"))
        #expect(error?.code == code)
        #expect(error?.retryAfterMilliseconds == nil)
        #expect(requests.count == 1)
    }

    @Test("Retry-After in seconds reaches the reconciler, and any other text does not [OTP-3.5]")
    func retryAfter() async throws {
        let seconds = try await send(.answer("503 Busy", headers: ["Retry-After: 120"]))
        #expect(seconds.error?.retryAfterMilliseconds == 120_000)
        for text in ["-1", "99999999999999999999", "Wed, 21 Oct 2026 07:28:00 GMT", ""] {
            let (error, _) = try await send(.answer("503 Busy", headers: ["Retry-After: \(text)"]))
            #expect(error?.code == .unavailable && error?.retryAfterMilliseconds == nil)
        }
    }

    @Test("A redirect is not followed, so that no other server receives the credentials [OTP-3.5]")
    func redirect() async throws {
        let other = try LoopbackServer([.answer("200 OK")])
        defer { other.stop() }
        let (error, requests) = try await send(
            .answer("307 Temporary Redirect", headers: ["Location: \(other.address)"])
        ) { "Bearer token" }
        #expect(error?.code == .unknownAnswer)
        #expect(requests.count == 1)
        #expect(other.requests.isEmpty)
    }

    @Test("A response before the last one decides nothing [OTP-3.5]")
    func interimResponse() async throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        let last = "HTTP/1.1 422 Unprocessable Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        #expect(try await send(.bytes(hints + last)).error?.code == .rejected)
        #expect(try await send(.bytes(hints)).error?.code == .unreachable)
    }

    @Test("The answer of a proxy is not taken for the server's if the connection fails after it [OTP-3.5]")
    func proxy() async throws {
        let server = try LoopbackServer([.silence])
        defer { server.stop() }
        let answers = HTTPAnswers()
        let session = URLSession(configuration: .ephemeral, delegate: answers, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: server.address)
        let answer = Task { await answers.answer(to: task) }
        while server.requests.isEmpty, !Task.isCancelled { await Task.yield() }
        // As URLSession tells the delegate of "200 Connection established" on Linux.
        let established = try #require(
            HTTPURLResponse(url: server.address, statusCode: 200, httpVersion: nil, headerFields: nil))
        answers.urlSession(session, dataTask: task, didReceive: established) { _ in }
        answers.urlSession(session, task: task, didCompleteWithError: URLError(.secureConnectionFailed))
        if case .success = await answer.value { Issue.record("the proxy's answer counts") }
        task.cancel()
    }

    @Test("No cookie of the server is sent again, also to a session of another user [OTP-9.4]")
    func cookies() async throws {
        let server = try LoopbackServer([.answer("200 OK", headers: ["Set-Cookie: session=alice"])])
        defer { server.stop() }
        let transport = try HTTPSyncTransport(address: server.address, configuration: .default)
        for _ in 0..<2 { try await transport.send(submission) }
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { !$0.head.lowercased().contains("cookie") })
    }

    @Test("Transports that are dropped after each answer leave nothing behind [OTP-3.5]")
    func dropped() async throws {
        let server = try LoopbackServer([.answer("200 OK", body: "{}"), .answer("302 Found", headers: ["Location: /"])])
        defer { server.stop() }
        for _ in 0..<200 {
            let transport = try HTTPSyncTransport(address: server.address)
            try? await transport.send(submission)
        }
        #expect(server.requests.count == 200)
    }

    @Test("A server that hangs up, and one that is not there, are unreachable [OTP-3.5]")
    func unreachable() async throws {
        #expect(try await send(.hangUp).error?.code == .unreachable)
        let server = try LoopbackServer([.answer("200 OK")])
        server.stop()
        let transport = try HTTPSyncTransport(address: server.address)
        await #expect(throws: SyncError(.unreachable, "")) { try await transport.send(submission) }
    }

    @Test("A body that does not end is not read [OTP-3.5]")
    func endless() async throws {
        let server = try LoopbackServer([.endless])
        defer { server.stop() }
        let transport = try HTTPSyncTransport(address: server.address)
        try await transport.send(submission)
        // The client ends the connection: the server would write without an end.
        while server.endedConnections == 0, !Task.isCancelled { await Task.yield() }
        #expect(server.endedConnections == 1)
    }

    @Test("A server that never answers is given up when the caller is cancelled [OTP-3.5]")
    func cancelled() async throws {
        let server = try LoopbackServer([.silence])
        defer { server.stop() }
        let transport = try HTTPSyncTransport(address: server.address)
        let sending = Task { await Self.code(transport, submission) }
        while server.requests.isEmpty, !Task.isCancelled { await Task.yield() }
        sending.cancel()
        #expect(await sending.value == .unreachable)
        // A task that is cancelled before it begins sends nothing.
        let early = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await Self.code(transport, submission)
        }
        #expect(await early.value == .unreachable)
        #expect(server.requests.count == 1)
    }

    private static func code(_ transport: HTTPSyncTransport, _ submission: PurchaseSubmission) async -> SyncError.Code?
    {
        do throws(SyncError) {
            try await transport.send(submission)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("Without credentials nothing is sent [OTP-3.5]")
    func noCredentials() async throws {
        struct SignedOut: Error {}
        let (error, requests) = try await send(.answer("200 OK")) { throw SignedOut() }
        #expect(error?.code == .unauthorized)
        #expect(error?.underlying is SignedOut)
        #expect(requests.isEmpty)
    }

    @Test(
        "Only https, or this machine, can be the address [OTP-9.1]",
        arguments: [
            ("https://example.com/purchases", true), ("http://127.0.0.1:80/", true), ("http://localhost/", true),
            ("http://[::1]/", true), ("HTTPS://example.com", true), ("http://example.com/", false),
            ("http://127.0.0.1.example.com/", false), ("ftp://example.com/", false), ("file:///etc/passwd", false),
            ("https:", false), ("/purchases", false),
        ])
    func address(text: String, isAccepted: Bool) throws {
        let address = try #require(URL(string: text))
        #expect(((try? HTTPSyncTransport(address: address)) != nil) == isAccepted)
    }
}

extension LoopbackServer {
    var address: URL { URL(string: "http://127.0.0.1:\(port)/purchases") ?? URL(fileURLWithPath: "/") }
}
