package import ReceiptTypes

/// The largest JSON document that is read, in each dimension.
package struct DocumentLimits: Sendable {
    /// The bytes of the document.
    package let size: Int
    /// The nested arrays and objects, unknown fields included.
    package let depth: Int
    /// The elements of a list.
    package let count: Int
    /// The bytes of a string in UTF-8.
    package let stringSize: Int

    package init(size: Int, depth: Int, count: Int, stringSize: Int) {
        self.size = size
        self.depth = depth
        self.count = count
        self.stringSize = stringSize
    }
}

/// A value of a JSON document, with its place and the checks of its type and size.
package struct DocumentValue: Sendable {
    package let json: JSONValue
    /// The place in the document; empty for the document as one.
    package let path: String
    fileprivate let limits: DocumentLimits

    /// Parses a document in UTF-8.
    package init(json: [UInt8], within limits: DocumentLimits) throws(DocumentError) {
        guard json.count <= limits.size else {
            throw DocumentError(.tooLarge, expected: "at most \(limits.size) bytes", found: "\(json.count) bytes")
        }
        // Before the parser, whose recursion could use up the stack.
        guard DecodedJSON.depth(of: json) <= limits.depth else {
            throw DocumentError(.tooLarge, expected: "at most \(limits.depth) nested levels", found: "more")
        }
        do {
            self.init(try DecodedJSON.value(of: json), "", limits)
        } catch {
            throw DocumentError(
                .malformed, expected: "a JSON object", found: "text that is not JSON", underlying: error)
        }
    }

    fileprivate init(_ json: JSONValue, _ path: String, _ limits: DocumentLimits) {
        self.json = json
        self.path = path
        self.limits = limits
    }

    /// Returns the fields of an object.
    package func fields() throws(DocumentError) -> DocumentFields {
        guard let members = json.object else { throw wrongType("an object") }
        return DocumentFields(members: members, path: path, limits: limits)
    }

    /// Returns the elements of an array.
    package func elements() throws(DocumentError) -> [DocumentValue] {
        guard let elements = json.elements else { throw wrongType("an array") }
        guard elements.count <= limits.count else {
            throw DocumentError(
                .tooLarge, at: path, expected: "at most \(limits.count) elements", found: "\(elements.count) elements")
        }
        return elements.enumerated().map { DocumentValue($0.element, "\(path)[\($0.offset)]", limits) }
    }

    package func flag() throws(DocumentError) -> Bool {
        guard case .boolean(let flag) = json else { throw wrongType("true or false") }
        return flag
    }

    package func integer(within range: ClosedRange<Int>) throws(DocumentError) -> Int {
        guard let integer = json.integer else { throw wrongType("an integer") }
        guard let number = Int(exactly: integer), range.contains(number) else {
            throw wrongValue("an integer from \(range.lowerBound) to \(range.upperBound)", "\(integer)")
        }
        return number
    }

    package func text() throws(DocumentError) -> String {
        guard let text = json.text else { throw wrongType("a string") }
        guard text.utf8.count <= limits.stringSize else {
            throw DocumentError(
                .tooLarge, at: path, expected: "at most \(limits.stringSize) bytes", found: "\(text.utf8.count) bytes")
        }
        return text
    }

    /// Returns a string that is not empty.
    package func name() throws(DocumentError) -> String {
        let text = try text()
        guard !text.isEmpty else { throw wrongValue("a string that is not empty", "\"\"") }
        return text
    }

    package func wrongType(_ expected: String) -> DocumentError {
        DocumentError(.wrongType, at: path, expected: expected, found: json.kind.detail)
    }

    package func wrongValue(_ expected: String, _ found: String) -> DocumentError {
        DocumentError(.wrongValue, at: path, expected: expected, found: found)
    }
}

/// The fields of an object of a JSON document.
package struct DocumentFields: Sendable {
    fileprivate let members: JSONObject
    fileprivate let path: String
    fileprivate let limits: DocumentLimits

    /// Returns the value of a field.
    package func required(_ name: String) throws(DocumentError) -> DocumentValue {
        guard let value = optional(name) else {
            throw DocumentError(.missingField, at: place(of: name), expected: "a value", found: "none")
        }
        return value
    }

    /// Returns the value of a field; nil if it is absent or null.
    package func optional(_ name: String) -> DocumentValue? {
        guard let value = members[name], value != .null else { return nil }
        return DocumentValue(value, place(of: name), limits)
    }

    /// Returns the elements of an array; none if it is absent.
    package func elements(_ name: String) throws(DocumentError) -> [DocumentValue] {
        try optional(name)?.elements() ?? []
    }

    private func place(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}
