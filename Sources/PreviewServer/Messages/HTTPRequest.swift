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
    /// Whether each name is a token (RFC 9110 5.1).
    ///
    /// A name with a blank before the colon is none (RFC 9112 5.1): for one server `Content-Length : 5` is a
    /// Content-Length, for another a header that it does not know, and an attacker can hide a request in between.
    private(set) var hasOnlyTokens = true

    package init() {}

    mutating func append(_ name: String, _ value: String) {
        if name.isEmpty || !name.utf8.allSatisfy(Self.isPartOfToken) { hasOnlyTokens = false }
        // White space around a value is no part of it (RFC 9110 5.5).
        let end = value.utf8.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        fields.append((name.lowercased(), end.map { String(value[...$0]) } ?? ""))
    }

    private static func isPartOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Returns all values of a header, whose name is given in lower case.
    package func values(of name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }
}
