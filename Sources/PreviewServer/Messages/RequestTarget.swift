/// The path and the query of a request, decoded.
package struct RequestTarget: Sendable, Equatable {
    package let path: String
    package let query: QueryFields

    /// Creates a target from the bytes of the request's first line; nil if they are not a path with a correct encoding.
    ///
    /// An address has no space; libmicrohttpd passes one on.
    ///
    /// The path is only ever compared with the paths of the routes, so `..` and an encoded slash have no effect.
    package init?(_ bytes: [UInt8]) {
        guard bytes.first == UInt8(ascii: "/"), !bytes.contains(UInt8(ascii: "#")), !bytes.contains(UInt8(ascii: " "))
        else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = PercentDecoding.text(parts[0], plusIsSpace: false),
            let query = QueryFields(parts.count > 1 ? parts[1] : [])
        else { return nil }
        self.path = path
        self.query = query
    }
}

/// The names and values of a query.
package struct QueryFields: Sendable, Equatable {
    private struct Field: Sendable, Equatable {
        let name: String
        let value: String
    }

    private let fields: [Field]

    /// Decodes fields; returns nil if an escape is malformed, or if a name or a value is not UTF-8.
    package init?(_ bytes: ArraySlice<UInt8>) {
        var fields: [Field] = []
        for part in bytes.split(separator: UInt8(ascii: "&")) {
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentDecoding.text(sides[0], plusIsSpace: true),
                let value = PercentDecoding.text(sides.count > 1 ? sides[1] : [], plusIsSpace: true)
            else { return nil }
            fields.append(Field(name: name, value: value))
        }
        self.fields = fields
    }

    /// The value of a field; nil if there is none with this name, or more than one.
    package subscript(name: String) -> String? {
        let found = fields.filter { $0.name == name }
        return found.count == 1 ? found[0].value : nil
    }
}
