/// A request as a route receives it.
package struct HTTPRequest: Sendable {
    /// The method, such as GET; its case matters.
    package let method: String
    package let target: RequestTarget
    package let headers: HTTPHeaders
    /// The body; empty as long as only the head has arrived.
    package internal(set) var body: [UInt8] = []
    /// The ID of the latest event when the route is called. A page that is made now gets what follows from the address
    /// of the events with the query `after=` and this ID.
    package internal(set) var latestEventID = ""

    /// Whether the request may change something: every method but GET and HEAD.
    package var changesState: Bool { method != "GET" && method != "HEAD" }
}

/// The headers of a request.
package struct HTTPHeaders: Sendable {
    private var fields: [(name: String, value: String)] = []

    package init() {}

    mutating func append(_ name: String, _ value: String) {
        fields.append((name.lowercased(), value))
    }

    /// Returns all values of a header, whose name is given in lower case.
    package func values(of name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }
}
