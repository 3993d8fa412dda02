extension Schema {
    /// The first known field of the wrong type, in the order of the text, with nested models and lists; nil where all fit.
    ///
    /// Null counts as absent, but not inside a list, where it would be an element. How deep this goes is bounded by the
    /// models, none of which contains itself.
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
    /// The first thing that does not fit, with its path below this value; the path is empty for the value itself.
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
