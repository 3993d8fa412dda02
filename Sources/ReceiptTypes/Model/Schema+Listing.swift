extension Schema {
    /// One value of a payload, as a listing shows it to a person.
    public struct Line: Sendable, Hashable {
        /// The path of the value, such as `advancedCommerceInfo.items[2].price`.
        public let name: String
        /// The value as text.
        public let text: String
        /// Whether the model declares the field.
        public let isKnown: Bool
    }

    /// Returns one line for each value of an object.
    ///
    /// Dates are in RFC 3339, money is decimal, and the values inside known arrays and objects have their own lines.
    /// Members without a field, and values of the wrong type, are JSON.
    public func listing(of object: JSONObject) -> [Line] {
        var lines: [Line] = []
        list(object, prefix: "", into: &lines)
        return lines
    }

    private func list(_ object: JSONObject, prefix: String, into lines: inout [Line]) {
        for member in object.members {
            let (key, value) = (member.name, member.value)
            let name = prefix + HiddenCharacters.escaped(key)
            guard let field = self[key] else {
                lines.append(Line(name: name, text: value.displayText, isKnown: false))
                continue
            }
            list(value, of: field.shape, name: name, into: &lines) { field.displayText(of: value) }
        }
    }

    private func list(
        _ value: JSONValue,
        of shape: FieldShape,
        name: String,
        into lines: inout [Line],
        text: () -> String
    ) {
        switch (shape, value) {
        case (.object(let schema), .object(let object)) where !object.isEmpty:
            schema.list(object, prefix: name + ".", into: &lines)
        case (.list(let shape), .array(let elements)) where !elements.isEmpty:
            for (index, element) in elements.enumerated() {
                list(element, of: shape, name: "\(name)[\(index)]", into: &lines) { element.displayText }
            }
        default: lines.append(Line(name: name, text: text(), isKnown: true))
        }
    }
}
