/// An address of the server: a method, a path, and what answers.
///
/// A server has a fixed list of routes. It opens no files, so a path can only reach what a route has.
package struct Route: Sendable {
    enum Answer: Sendable {
        case fixed(HTTPResponse)
        case computed(@Sendable (HTTPRequest) async -> HTTPResponse)
        case events
    }

    let method: String
    let path: String
    let answer: Answer

    /// A file that is part of the program, such as a style sheet.
    package static func file(_ path: String, contentType: String, _ bytes: [UInt8]) -> Route {
        Route(method: "GET", path: path, answer: .fixed(HTTPResponse(contentType: contentType, body: bytes)))
    }

    /// A page that is made for each request. It answers HEAD as well, and must change nothing.
    package static func get(
        _ path: String, _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) -> Route {
        Route(method: "GET", path: path, answer: .computed(answer))
    }

    /// A call that changes something. It needs the token of the server.
    package static func post(
        _ path: String, _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) -> Route {
        Route(method: "POST", path: path, answer: .computed(answer))
    }

    /// The server-sent events of the server.
    package static func events(_ path: String) -> Route { Route(method: "GET", path: path, answer: .events) }

    /// Whether the route answers requests with a method.
    func serves(_ method: String) -> Bool { method == self.method || method == "HEAD" && self.method == "GET" }
}
