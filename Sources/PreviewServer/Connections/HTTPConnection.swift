internal import CMicroHTTPD

/// The state of one connection and of its current request.
///
/// libmicrohttpd serves a connection on one thread, with one request at a time, and keeps a pointer to this object from
/// the opening to the closing of the connection. For each request it calls:
///
/// 1. ``begin(target:at:)`` with the target as it arrived,
/// 2. ``receive(_:)`` with the head, when an answer can still refuse the body,
/// 3. the same with each part of the body,
/// 4. the same with no bytes at the end of the request; again when a task has provided the answer,
/// 5. ``end()``, with or without an answer. A request that is cut off before its head is complete gets no other call.
///
/// So everything about a request begins anew in `begin(target:at:)`, and is freed with the connection at the latest.
/// What other threads may access is in the ``ConnectionTable``.
final class HTTPConnection {
    private let service: HTTPService
    private let id: ConnectionTable.ID
    private let handle: SuspendableConnection
    private var target: RequestTarget?
    private var targetPlace = 0..<0
    private var request: HTTPRequest?
    private var route: Route?
    private var isHandled = false

    init(_ service: HTTPService, _ handle: SuspendableConnection, socket: Int32) {
        self.service = service
        self.handle = handle
        id = service.table.add(socket: socket)
    }

    /// Removes the connection from the table, before its socket is closed.
    func close() { service.table.remove(id) }

    /// - Parameters:
    ///   - target: The bytes of the target up to a NUL.
    ///   - place: Where they are, to be compared with the places of the other parts of the head.
    func begin(target: [UInt8], at place: Range<Int>) {
        self.target = RequestTarget(target)
        targetPlace = place
        request = nil
        route = nil
        isHandled = false
    }

    func end() {
        begin(target: [], at: 0..<0)
        service.table.beginReceiving(id)
    }

    /// Receives the head, a part or the end of a request.
    ///
    /// Returns the answer, if there is one now; throws if the connection must be closed.
    func receive(_ message: RequestMessage) throws(Broken) -> Outcome {
        guard var request else { return beginRequest(message) }
        guard let route else { throw Broken() }
        guard message.part.isEmpty else {
            request.body += message.part
            // The Content-Length was checked, and libmicrohttpd passes on no more bytes than it says.
            guard request.body.count <= service.access.limits.bodyBytes else { throw Broken() }
            self.request = request
            return .proceed
        }
        if isHandled {
            guard let response = service.table.handledResponse(id) else { throw Broken() }
            return answer(response)
        }
        return perform(route, request)
    }

    private func beginRequest(_ message: RequestMessage) -> Outcome {
        guard let target else {
            return answer(.refusal(.badRequest, "The address is not a path with a correct encoding."))
        }
        guard let headers = message.headers(after: targetPlace) else {
            return answer(.refusal(.badRequest, "The head has a NUL, or a line that does not end with CR LF."))
        }
        let request = HTTPRequest(method: message.method, target: target, headers: headers)
        switch service.access.admission(of: request, headSize: message.headSize, port: service.table.port) {
        case .refused(let response): return answer(response)
        case .admitted(let route):
            self.request = request
            self.route = route
            return .proceed
        }
    }

    private func perform(_ route: Route, _ request: HTTPRequest) -> Outcome {
        switch route.answer {
        case .fixed(let response): return answer(response)
        case .events where request.method == "HEAD":
            return answer(HTTPResponse(contentType: "text/event-stream", body: []))
        case .events:
            let lastSeen = request.headers.values(of: "last-event-id").last ?? request.target.query["after"]
            let browser = request.headers.values(of: "user-agent").last
            guard service.table.beginStreaming(id, after: lastSeen, of: browser) else {
                return answer(.refusal(.unavailable, "There are too many streams of events."))
            }
            return .stream
        case .computed(let handler):
            guard service.table.beginHandling(id, handle) else {
                return answer(.refusal(.unavailable, "The server is stopping, or has too much to do."))
            }
            isHandled = true
            var request = request
            request.latestEventID = service.table.latestEventID
            Task { [table = service.table, id, request] in table.finishHandling(id, with: await handler(request)) }
            return .proceed
        }
    }

    private func answer(_ response: HTTPResponse) -> Outcome {
        service.table.beginAnswering(id)
        return .answer(response)
    }

    /// Returns the next bytes of the stream of events, at most `count` of them.
    func readEvents(upTo count: Int) -> ConnectionTable.StreamStep {
        service.table.nextStep(of: id, handle, upTo: count)
    }

    /// What happens after a call.
    enum Outcome {
        /// More of the request is to come, or the connection is suspended.
        case proceed
        case answer(HTTPResponse)
        /// The answer is the stream of events.
        case stream
    }

    /// The error for a connection that must be closed without an answer.
    struct Broken: Error {}
}

/// What the connections of a server share.
final class HTTPService: Sendable {
    let access: RequestAccess
    let table: ConnectionTable

    init(access: RequestAccess, table: ConnectionTable) {
        self.access = access
        self.table = table
    }
}
