internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// A member of a payload and its value, from `--set MEMBER=VALUE`.
struct MemberAssignment {
    /// The kind of the receipt inside a notification that has the member; nil for the payload itself.
    let part: ReceiptKind?
    /// The names that lead to the member.
    let path: [String]
    let value: JSONValue

    /// The kinds of receipts that a notification contains.
    private static let parts: [ReceiptKind] = [.transaction, .renewalInfo, .appTransaction]

    /// Reads all values of `--set`.
    static func all(in session: Session, kind: ReceiptKind, now: Timestamp) throws(UsageError) -> [MemberAssignment] {
        var assignments: [MemberAssignment] = []
        for text in session.arguments.values(of: .set) {
            let assignment = try MemberAssignment(text, kind, now: now, session.messages)
            if assignments.contains(where: { $0.part == assignment.part && $0.path == assignment.path }) {
                throw UsageError(
                    "--set names \(Escaped(assignment.path.joined(separator: ".")).quoted) twice",
                    hint: "give each member one value")
            }
            assignments.append(assignment)
        }
        return assignments
    }

    private init(_ text: String, _ kind: ReceiptKind, now: Timestamp, _ messages: Messages) throws(UsageError) {
        guard let sign = text.firstIndex(of: "=") else {
            throw UsageError(
                "--set \(Escaped(text).quoted) has no value", hint: "write --set MEMBER=VALUE, such as quantity=2")
        }
        let name = String(text[..<sign])
        let steps = FieldPath(name).steps
        var names = steps.compactMap { if case .member(let name) = $0 { name } else { nil } }
        guard !names.isEmpty, names.count == steps.count else {
            throw UsageError(
                "--set \(Escaped(name).quoted) names no member",
                hint: "write the names with dots between them, such as data.status, and an array as a JSON value")
        }
        let first = Self.parts.first { $0.rawValue == names[0] }
        let isInside = names.count > 1 && first != nil && (kind == .notification || first == kind)
        if isInside { names.removeFirst() }
        part = isInside && kind == .notification ? first : nil
        path = names
        let field = (part ?? kind).schema.field(at: names)
        value = Self.value(String(text[text.index(after: sign)...]), for: field?.shape, now: now)
        Self.warn(about: name, value, field, kind, messages)
    }

    /// Returns the value that a text means for a field: a time of a date, JSON, or else the text itself.
    private static func value(_ text: String, for shape: FieldShape?, now: Timestamp) -> JSONValue {
        switch shape {
        // Some dates are declared as integers.
        case .milliseconds, .integer64:
            if let time = MintedTime.parse(text, now: now) { return .integer(time.millisecondsSince1970) }
        default: break
        }
        return (try? JSONDocument.value(of: [UInt8](text.utf8))) ?? .string(text)
    }

    private static func warn(
        about name: String, _ value: JSONValue, _ field: SchemaField?, _ kind: ReceiptKind, _ messages: Messages
    ) {
        if let field, !field.shape.accepts(value.kind) {
            var hint: String?
            if case .string = field.shape { hint = #"for a text, write --set '\#(Escaped(name))="…"'"# }
            if case .milliseconds = field.shape { hint = "write milliseconds, 2024-05-01T12:00:00Z, -P1D or +PT1H" }
            messages.warn(
                "\(name) is \(value.kind.name), and the store sends \(field.shape.name)",
                hint: hint.map { Escaped($0) })
        } else if field == nil, let nearest = FieldNames.nearest(to: name, in: names(of: kind)) {
            messages.warn(
                "\(kind.title) has no member \(Escaped(name).quoted); it was added", hint: "did you mean \(nearest)")
        }
    }

    private static func names(of kind: ReceiptKind) -> [String] {
        let names = ResultFields.names(of: kind)
        guard kind == .notification else { return names }
        return names
            + parts.flatMap { part in ResultFields.names(of: part).map { "\(part.rawValue).\($0)" } }
    }

    /// Sets the member in the payload of a receipt.
    func apply(to payload: inout JSONObject) throws(UsageError) {
        try set(path[...], in: &payload)
    }

    /// The number of names bounds the recursion.
    private func set(_ names: ArraySlice<String>, in object: inout JSONObject) throws(UsageError) {
        guard let name = names.first else { return }
        guard names.count > 1 else {
            object[name] = value
            return
        }
        var inner: JSONObject
        switch object[name] {
        case .object(let found): inner = found
        case nil, .null: inner = JSONObject()
        default:
            throw UsageError(
                "--set \(Escaped(path.joined(separator: ".")).quoted): \(name) is no object",
                hint: "set \(Escaped(name)) itself, or an object as its value")
        }
        try set(names.dropFirst(), in: &inner)
        object[name] = .object(inner)
    }
}
