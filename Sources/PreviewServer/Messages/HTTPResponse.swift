/// What a route answers.
package struct HTTPResponse: Sendable, Equatable {
    package var status: HTTPStatus
    /// The type of the body, such as `text/html; charset=utf-8`.
    package var contentType: String
    package var body: [UInt8]
    /// The methods that the address has, for the answer to another method.
    package var allowedMethods: [String] = []

    package init(_ status: HTTPStatus = .ok, contentType: String, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    package static func html(_ text: String) -> HTTPResponse {
        HTTPResponse(contentType: "text/html; charset=utf-8", body: [UInt8](text.utf8))
    }

    package static func json(_ text: String, _ status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status, contentType: "application/json", body: [UInt8](text.utf8))
    }

    /// The answer to a request that is not served, with a sentence that says why.
    package static func refusal(_ status: HTTPStatus, _ reason: String) -> HTTPResponse {
        HTTPResponse(status, contentType: "text/plain; charset=utf-8", body: [UInt8]("\(reason)\n".utf8))
    }

    /// The headers of every answer.
    ///
    /// A page runs only the scripts and styles that the server has as files, is not shown in a frame, tells no other
    /// site its address, which has the token, and is not kept. With `no-referrer`, browsers would send the forms of
    /// these pages with the Origin `null`, which the server refuses.
    static let securityHeaders: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
                + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]
}

/// The status of an answer (RFC 9110, section 15).
package struct HTTPStatus: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let ok = Self(rawValue: 200)
    package static let badRequest = Self(rawValue: 400)
    package static let forbidden = Self(rawValue: 403)
    package static let notFound = Self(rawValue: 404)
    package static let methodNotAllowed = Self(rawValue: 405)
    package static let lengthRequired = Self(rawValue: 411)
    package static let contentTooLarge = Self(rawValue: 413)
    /// The request is for another host than this server.
    package static let misdirected = Self(rawValue: 421)
    package static let headersTooLarge = Self(rawValue: 431)
    package static let unavailable = Self(rawValue: 503)
}
