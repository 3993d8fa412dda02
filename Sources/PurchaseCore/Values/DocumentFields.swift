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
    fileprivate let reading: DocumentReading

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
            self.init(try DecodedJSON.value(of: json), "", limits, DocumentReading())
        } catch {
            throw DocumentError(
                .malformed, expected: "a JSON object", found: "text that is not JSON", underlying: error)
        }
    }

    fileprivate init(_ json: JSONValue, _ path: String, _ limits: DocumentLimits, _ reading: DocumentReading) {
        self.json = json
        self.path = path
        self.limits = limits
        self.reading = reading
    }

    /// The places of the members that were not read, in each object whose other members were: the reader does not know
    /// them.
    package var unreadMembers: [String] { reading.unread() }

    /// Returns the fields of an object.
    package func fields() throws(DocumentError) -> DocumentFields {
        guard let members = json.object else { throw wrongType("an object") }
        let fields = DocumentFields(members: members, path: path, limits: limits, reading: reading)
        reading.begin(members.members.map { fields.place(of: $0.name) })
        return fields
    }

    /// Returns the elements of an array.
    package func elements() throws(DocumentError) -> [DocumentValue] {
        guard let elements = json.elements else { throw wrongType("an array") }
        guard elements.count <= limits.count else {
            throw DocumentError(
                .tooLarge, at: path, expected: "at most \(limits.count) elements", found: "\(elements.count) elements")
        }
        return elements.enumerated().map { DocumentValue($0.element, "\(path)[\($0.offset)]", limits, reading) }
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
    fileprivate let reading: DocumentReading

    /// Returns the value of a field.
    package func required(_ name: String) throws(DocumentError) -> DocumentValue {
        guard let value = optional(name) else {
            throw DocumentError(.missingField, at: place(of: name), expected: "a value", found: "none")
        }
        return value
    }

    /// Returns the value of a field; nil if it is absent or null.
    package func optional(_ name: String) -> DocumentValue? {
        let place = place(of: name)
        reading.note(place)
        guard let value = members[name], value != .null else { return nil }
        return DocumentValue(value, place, limits, reading)
    }

    /// Returns the elements of an array; none if it is absent.
    package func elements(_ name: String) throws(DocumentError) -> [DocumentValue] {
        try optional(name)?.elements() ?? []
    }

    fileprivate func place(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}

/// What the reader of a document has asked for.
private final class DocumentReading: Sendable {
    private struct Members {
        /// The places of all members of the objects that were read, in their order.
        var present: [String] = []
        var read: Set<ExactString> = []
    }

    private let members = Locked(Members())

    /// Adds the members of an object that is read now.
    func begin(_ places: [String]) { members.withLock { $0.present += places } }

    /// Notes that the reader has asked for the member at a place.
    func note(_ place: String) { members.withLock { members in _ = members.read.insert(ExactString(place)) } }

    func unread() -> [String] {
        members.withLock { members in members.present.filter { !members.read.contains(ExactString($0)) } }
    }
}
