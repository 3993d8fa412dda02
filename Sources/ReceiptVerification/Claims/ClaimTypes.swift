internal import ReceiptTypes

/// Looks for a known claim of the wrong JSON type, without making a tree of the payload.
enum ClaimTypes {
    /// The first mismatch in the order of the text. The parser bounds the depth, and with it this recursion.
    static func firstMismatch(in object: borrowing JSONNode, _ schema: Schema) -> ClaimMismatch? {
        var found: ClaimMismatch?
        object.forEachMember { name, value in
            guard let field = schema.field(named: name) else { return true }
            found = mismatch(of: value, field.shape).map { Self.prefixed($0, with: field.name) }
            return found == nil
        }
        return found
    }

    private static func mismatch(of value: borrowing JSONNode, _ shape: FieldShape) -> ClaimMismatch? {
        let kind = value.kind
        guard shape.accepts(kind) else {
            return ClaimMismatch(path: "", expected: shape.name, actual: kind.detail)
        }
        switch (shape, kind) {
        case (.object(let schema), .object):
            return firstMismatch(in: value, schema).map { prefixed($0, with: ".") }
        case (.list(let element), .array):
            for index in 0..<value.count {
                guard let item = value.element(index) else { continue }
                let found =
                    item.isNull
                    ? ClaimMismatch(path: "", expected: element.name, actual: "null") : mismatch(of: item, element)
                if let found { return prefixed(found, with: "[\(index)]") }
            }
            return nil
        default: return nil
        }
    }

    private static func prefixed(_ mismatch: ClaimMismatch, with prefix: String) -> ClaimMismatch {
        ClaimMismatch(path: prefix + mismatch.path, expected: mismatch.expected, actual: mismatch.actual)
    }
}
