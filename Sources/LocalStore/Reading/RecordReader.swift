internal import ReceiptTypes

/// Reads an object of a file by its format record.
struct RecordReader {
    let record: FormatRecord
    let place: SourceValue
    let context: ReadingContext
    private var fields: [FormatKey: SourceValue] = [:]

    /// Reads the fields of an object and reports unknown, missing and mistyped ones; nil for any other value.
    init?(_ place: SourceValue, _ record: FormatRecord, _ context: ReadingContext) {
        guard case .object = place.value else {
            context.report(
                .error, .wrongType, at: place, "\(record.name) is not an object", expected: "an object",
                found: place.value.kind.name
            )
            return nil
        }
        self.record = record
        self.place = place
        self.context = context
        var named: Set<FormatKey> = []
        for member in place.members {
            guard let field = field(of: member) else { continue }
            named.insert(field.key)
            if let value = check(member, field) { fields[field.key] = value }
        }
        for field in record.fields where field.need != .optional && !named.contains(field.key) {
            context.report(
                field.need == .required ? .error : .warning, .missingKey, at: place,
                "\(record.name) has no \(field.key.rawValue)"
            )
        }
    }

    private func field(of member: SourceValue.Member) -> FormatField? {
        if let field = record.field(named: member.name) { return field }
        guard !context.isFull else { return record.aliasedField(member.name) }
        let path = place.path(to: member.name)
        if let field = record.aliasedField(member.name) {
            context.report(
                .error, .misnamedKey, at: member.nameOffset, path: path,
                "\(record.name) has no key \(member.name)", expected: field.key.rawValue,
                hint: "it is read as \(field.key.rawValue)"
            )
            return field
        }
        context.report(
            .warning, .unknownKey, at: member.nameOffset, path: path,
            "\(record.name) has no key \(Quotation.of(member.name))",
            hint: record.nearest(to: member.name).map { "did you mean \($0)" } ?? "it is ignored"
        )
        return nil
    }

    /// Checks the version and type of a member; returns its value, or nil where it is unusable.
    private func check(_ member: SourceValue.Member, _ field: FormatField) -> SourceValue? {
        let value = place.child(member)
        let key = field.key.rawValue
        if context.formatVersion < field.since {
            context.report(
                .warning, .keyTooNew, at: member.nameOffset, path: value.path,
                "\(key) needs version \(field.since) of the format",
                expected: "version \(field.since) or later", found: "version \(context.formatVersion)",
                hint: "older readers ignore it"
            )
        }
        if case .null = member.value, field.isNullable { return nil }
        if case .null = member.value, field.shape == .special {
            context.report(.error, .wrongType, at: value, "\(key) is null", hint: "it is ignored")
            return nil
        }
        guard !field.shape.accepts(member.value) else { return value }
        // The value of the private key's field is secret, even where it has the wrong type.
        let reading = field.key == .privateKey ? nil : field.shape.reading(of: value)
        context.report(
            .error, .wrongType, at: value, "\(key) has the wrong type", expected: field.shape.words,
            found: member.value.kind.name, hint: reading.map { "it is read as \($0)" } ?? "it is ignored"
        )
        return reading == nil ? nil : value
    }

    // MARK: Fields

    /// The value of a field.
    subscript(key: FormatKey) -> SourceValue? { fields[key] }

    /// Returns the string in a field; numbers count as strings.
    func text(_ key: FormatKey) -> String? { fields[key]?.looseText }

    /// Returns the flag in a field; false where it is missing.
    func flag(_ key: FormatKey) -> Bool { fields[key]?.looseFlag ?? false }

    /// Returns the integer in a field.
    func integer(_ key: FormatKey) -> Int? { fields[key]?.looseInteger.map(Int.init(clamping:)) }

    /// Returns the objects in a list, up to a limit.
    func records(_ key: FormatKey, _ record: FormatRecord, atMost limit: Int) -> [RecordReader] {
        elements(key, atMost: limit).compactMap { RecordReader($0, record, context) }
    }

    /// Returns the elements of a list, up to a limit; more elements are reported.
    func elements(_ key: FormatKey, atMost limit: Int) -> [SourceValue] {
        guard let list = fields[key] else { return [] }
        let count = list.value.elements?.count ?? 0
        if count > limit {
            context.report(
                .error, .tooManyItems, at: list, "\(key.rawValue) has too many items",
                expected: "at most \(limit)", found: "\(count)", hint: "the others are ignored"
            )
        }
        return list.elements(atMost: limit)
    }

    /// Returns the object in a field.
    func record(_ key: FormatKey, _ record: FormatRecord) -> RecordReader? {
        fields[key].flatMap { RecordReader($0, record, context) }
    }

    // MARK: Findings

    /// Reports a finding about a field, or about the object where the field is missing.
    func report(
        _ severity: LintFinding.Severity,
        _ code: LintFinding.Code,
        at key: FormatKey,
        _ message: String,
        expected: String? = nil,
        found: String? = nil,
        hint: String? = nil
    ) {
        context.report(severity, code, at: fields[key] ?? place, message, expected: expected, found: found, hint: hint)
    }
}
