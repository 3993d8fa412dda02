/// A known field whose value has the wrong JSON type.
public struct ClaimMismatch: Sendable, Hashable {
    /// The path of the field, such as `advancedCommerceInfo.items[2].price`.
    public let path: String
    /// The type that the field requires, in words.
    public let expected: String
    /// The type that was found, in words.
    public let actual: String

    /// Creates a mismatch.
    public init(path: String, expected: String, actual: String) {
        self.path = path
        self.expected = expected
        self.actual = actual
    }
}

extension Schema {
    /// Returns the first known field of the wrong type, in the order of the members; nil if all types fit.
    ///
    /// Nested models and lists are checked too. Null counts as an absent field, but is not accepted as an element of a
    /// list. The recursion is bounded, because no model contains itself.
    public func firstMismatch(in object: JSONObject) -> ClaimMismatch? {
        firstMismatch(in: JSONValue.object(object))
    }

    /// Returns the first mismatch in an object of any representation.
    // Inlinable, so that the verifier gets a specialization for the nodes of its parser: it runs for each receipt.
    @inlinable
    package func firstMismatch<Value: JSONTree & ~Escapable>(in object: borrowing Value) -> ClaimMismatch? {
        var found: ClaimMismatch?
        object.forEachMember { name, value in
            guard let field = field(named: name) else { return true }
            found = field.shape.firstMismatch(of: value).map { $0.prefixed(with: field.name) }
            return found == nil
        }
        return found
    }
}

extension FieldShape {
    /// Returns the first mismatch, with its path relative to this value; the path of the value itself is empty.
    @inlinable
    package func firstMismatch<Value: JSONTree & ~Escapable>(of value: borrowing Value) -> ClaimMismatch? {
        let kind = value.kind
        guard accepts(kind) else { return ClaimMismatch(path: "", expected: name, actual: kind.detail) }
        switch (self, kind) {
        case (.object(let schema), .object):
            return schema.firstMismatch(in: value).map { $0.prefixed(with: ".") }
        case (.list(let shape), .array):
            var found: ClaimMismatch?
            var index = 0
            value.forEachElement { element in
                found =
                    element.kind == .null
                    ? ClaimMismatch(path: "", expected: shape.name, actual: "null") : shape.firstMismatch(of: element)
                found = found?.prefixed(with: "[\(index)]")
                index += 1
                return found == nil
            }
            return found
        default: return nil
        }
    }
}

extension ClaimMismatch {
    @usableFromInline
    package func prefixed(with prefix: String) -> ClaimMismatch {
        ClaimMismatch(path: prefix + path, expected: expected, actual: actual)
    }
}

/// A JSON value of any representation: a tree of Swift values, or a node of the verifier's parser.
@usableFromInline
package protocol JSONTree: ~Escapable {
    /// The type of the value.
    var kind: JSONKind { get }

    /// Calls `body` with each member of an object in the order of the text, until it returns false.
    func forEachMember(_ body: (_ name: RawSpan, _ value: borrowing Self) -> Bool)

    /// Calls `body` with each element of an array, until it returns false.
    func forEachElement(_ body: (borrowing Self) -> Bool)
}

extension JSONValue: JSONTree {
    @usableFromInline
    package func forEachMember(_ body: (_ name: RawSpan, _ value: borrowing JSONValue) -> Bool) {
        guard case .object(let object) = self else { return }
        for member in object.members {
            // Safe: a span of UInt8 has no padding, and the bytes are initialised.
            guard unsafe body([UInt8](member.name.utf8).span.bytes, member.value) else { return }
        }
    }

    @usableFromInline
    package func forEachElement(_ body: (borrowing JSONValue) -> Bool) {
        guard case .array(let elements) = self else { return }
        for element in elements { guard body(element) else { return } }
    }
}
