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
        for member in object.members {
            let (key, value) = (member.name, member.value)
            guard let field = self[key], let mismatch = field.shape.firstMismatch(of: value) else { continue }
            return ClaimMismatch(path: key + mismatch.path, expected: mismatch.expected, actual: mismatch.actual)
        }
        return nil
    }
}

extension FieldShape {
    /// Returns the first mismatch, with its path relative to this value; the path of the value itself is empty.
    fileprivate func firstMismatch(of value: JSONValue) -> ClaimMismatch? {
        let kind = value.kind
        guard accepts(kind) else { return ClaimMismatch(path: "", expected: name, actual: kind.detail) }
        switch (self, value) {
        case (.object(let schema), .object(let object)):
            return schema.firstMismatch(in: object).map { mismatch in
                ClaimMismatch(path: "." + mismatch.path, expected: mismatch.expected, actual: mismatch.actual)
            }
        case (.list(let shape), .array(let elements)):
            for (index, element) in elements.enumerated() {
                let found =
                    element.kind == .null
                    ? ClaimMismatch(path: "", expected: shape.name, actual: element.kind.name)
                    : shape.firstMismatch(of: element)
                guard let found else { continue }
                return ClaimMismatch(path: "[\(index)]" + found.path, expected: found.expected, actual: found.actual)
            }
            return nil
        default: return nil
        }
    }
}
