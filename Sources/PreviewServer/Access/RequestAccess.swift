/// Decides which requests the server serves, from their heads.
///
/// The server listens on the loopback address, where every page in a browser of this machine can send requests to it.
/// These rules keep those pages out:
///
/// 1. The Host must be this server. A page of another site whose name was changed to lead here (DNS rebinding) sends
///    that name.
/// 2. A request that may change something must not come from another origin, if the browser says where it comes from.
/// 3. Such a request must have the token, in the header `X-Preview-Token` or in the query field `token`.
/// 4. A page of another site must not read the events, if the browser says where it comes from: it could take all
///    streams.
///
/// Reading needs no token: browsers let no other site read an answer, and what programs and users of this machine can
/// read is the simulated store, which has no customer. No page has the token unless the request for it had it.
struct RequestAccess: Sendable {
    static let tokenHeader = "x-preview-token"
    static let tokenField = "token"

    let token: AccessToken
    let routes: [Route]
    let limits: ServerLimits

    /// The decision about a request.
    enum Admission: Sendable {
        case admitted(Route)
        case refused(HTTPResponse)
    }

    /// Decides about a request before its body is read.
    ///
    /// - Parameter port: The port of the server; 0 as long as it is not known, which no Host has.
    func admission(of request: HTTPRequest, headSize: Int, port: UInt16) -> Admission {
        if let refusal = boundsRefusal(request, headSize: headSize) ?? originRefusal(request, port: port) {
            return .refused(refusal)
        }
        let candidates = routes.filter { $0.path == request.target.path }
        guard !candidates.isEmpty else { return .refused(.refusal(.notFound, "There is nothing at this address.")) }
        guard let route = candidates.first(where: { $0.serves(request.method) }) else {
            var refusal = HTTPResponse.refusal(.methodNotAllowed, "This address does not have this method.")
            refusal.allowedMethods = candidates.flatMap { $0.method == "GET" ? ["GET", "HEAD"] : [$0.method] }
            return .refused(refusal)
        }
        if case .events = route.answer, isFromOtherSite(request) {
            return .refused(.refusal(.forbidden, "A page of another site cannot read the events."))
        }
        return .admitted(route)
    }

    // MARK: Size

    private func boundsRefusal(_ request: HTTPRequest, headSize: Int) -> HTTPResponse? {
        guard headSize <= limits.headBytes else {
            return .refusal(.headersTooLarge, "The headers have more than \(limits.headBytes) bytes.")
        }
        guard request.headers.values(of: "transfer-encoding").isEmpty else {
            return .refusal(.lengthRequired, "A body needs a Content-Length.")
        }
        let lengths = request.headers.values(of: "content-length")
        guard lengths.count <= 1,
            lengths.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return .refusal(.badRequest, "The Content-Length is not a number.") }
        // A number that Int cannot represent is too large as well.
        guard lengths.allSatisfy({ Int($0).map { $0 <= limits.bodyBytes } ?? false }) else {
            return .refusal(.contentTooLarge, "The body has more than \(limits.bodyBytes) bytes.")
        }
        return nil
    }

    // MARK: Origin

    private func originRefusal(_ request: HTTPRequest, port: UInt16) -> HTTPResponse? {
        let hosts = request.headers.values(of: "host")
        guard hosts.count == 1 else { return .refusal(.badRequest, "A request needs one Host.") }
        let host = hosts[0].lowercased()
        guard Self.hosts(port: port).contains(host) else {
            return .refusal(.misdirected, "This server does not serve this Host.")
        }
        guard request.changesState else { return nil }
        let origins = request.headers.values(of: "origin")
        guard origins.isEmpty || origins.map({ $0.lowercased() }) == ["http://\(host)"] else {
            return .refusal(.forbidden, "A page of another origin cannot change anything here.")
        }
        guard !isFromOtherSite(request) else {
            return .refusal(.forbidden, "A page of another site cannot change anything here.")
        }
        guard hasToken(request) else {
            return .refusal(.forbidden, "The token is missing or wrong. Open the address that the program has printed.")
        }
        return nil
    }

    /// Whether the browser says that a page of another site sends the request.
    private func isFromOtherSite(_ request: HTTPRequest) -> Bool {
        !request.headers.values(of: "sec-fetch-site").allSatisfy { $0 == "same-origin" || $0 == "none" }
    }

    /// The names of this server; none as long as its port is not known. Browsers leave out port 80.
    private static func hosts(port: UInt16) -> [String] {
        guard port != 0 else { return [] }
        let names = ["localhost", "127.0.0.1", "[::1]"]
        return names.map { "\($0):\(port)" } + (port == 80 ? names : [])
    }

    private func hasToken(_ request: HTTPRequest) -> Bool {
        let header = request.headers.values(of: Self.tokenHeader)
        if !header.isEmpty { return header.count == 1 && token.matches(header[0]) }
        return request.target.query[Self.tokenField].map(token.matches) ?? false
    }
}
