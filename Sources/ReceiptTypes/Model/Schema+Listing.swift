extension Schema {
    /// One line of a listing.
    public struct Line: Sendable, Hashable {
        /// Where the value is, such as `advancedCommerceInfo.items[2].price`.
        public let name: String
        /// The value as a person reads it.
        public let text: String
        /// Whether the model knows the field.
        public let isKnown: Bool
    }

    /// Every value of an object, one a line, for a person: dates as RFC 3339, money as decimals, known lists and objects
    /// with a line for each value inside, and what the model does not know as JSON.
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
