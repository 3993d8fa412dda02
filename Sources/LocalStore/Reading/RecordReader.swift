internal import ReceiptTypes

/// An object of a file, judged by the format's table for it, and its fields as they were meant.
struct RecordReader {
    let record: FormatRecord
    let place: SourceValue
    let walk: ConfigurationWalk
    private var fields: [FormatKey: SourceValue] = [:]

    /// Looks through an object and reports what the table does not have; nil for any other value.
    init?(_ place: SourceValue, _ record: FormatRecord, _ walk: ConfigurationWalk) {
        guard case .object = place.value else {
            walk.report(
                .error, .wrongType, at: place, "\(record.name) is no object", expected: "an object",
                found: place.value.kind.name
            )
            return nil
        }
        self.record = record
        self.place = place
        self.walk = walk
        var named: Set<FormatKey> = []
        for member in place.members {
            guard let field = field(of: member) else { continue }
            named.insert(field.key)
            if let value = check(member, field) { fields[field.key] = value }
        }
        for field in record.fields where field.need != .optional && !named.contains(field.key) {
            walk.report(
                field.need == .required ? .error : .warning, .missingKey, at: place,
                "\(record.name) has no \(field.key.rawValue)"
            )
        }
    }

    private func field(of member: SourceValue.Member) -> FormatField? {
        if let field = record.field(named: member.name) { return field }
        guard !walk.isFull else { return record.misnomer(member.name) }
        let path = place.path(to: member.name)
        if let field = record.misnomer(member.name) {
            walk.report(
                .error, .misnamedKey, at: member.nameOffset, path: path,
                "\(member.name) is no key of \(record.name)", expected: field.key.rawValue,
                hint: "it is read as \(field.key.rawValue)"
            )
            return field
        }
        walk.report(
            .warning, .unknownKey, at: member.nameOffset, path: path,
            "\(record.name) has no key \(Quotation.of(member.name))",
            hint: record.nearest(to: member.name).map { "did you mean \($0)" } ?? "it is passed over"
        )
        return nil
    }

    /// The value, where it says anything.
    private func check(_ member: SourceValue.Member, _ field: FormatField) -> SourceValue? {
        let value = place.child(member)
        let key = field.key.rawValue
        if walk.formatVersion < field.since {
            walk.report(
                .warning, .keyTooNew, at: member.nameOffset, path: value.path,
                "\(key) came with version \(field.since) of the format",
                expected: "version \(field.since) or later", found: "version \(walk.formatVersion)",
                hint: "older readers pass it over"
            )
        }
        if case .null = member.value, field.isNullable { return nil }
        if case .null = member.value, field.shape == .special {
            walk.report(.error, .wrongType, at: value, "\(key) is null", hint: "it is taken as missing")
            return nil
        }
        guard !field.shape.accepts(member.value) else { return value }
        // Whatever stands where the private key should be is not shown, not even in part.
        let reading = field.key == .privateKey ? nil : field.shape.reading(of: value)
        walk.report(
            .error, .wrongType, at: value, "\(key) has the wrong type", expected: field.shape.words,
            found: member.value.kind.name, hint: reading.map { "it is read as \($0)" } ?? "it is taken as missing"
        )
        return reading == nil ? nil : value
    }

    // MARK: Fields

    /// The value under a key.
    subscript(key: FormatKey) -> SourceValue? { fields[key] }

    /// The text under a key.
    func text(_ key: FormatKey) -> String? { fields[key]?.looseText }

    /// Whether a key says yes.
    func flag(_ key: FormatKey) -> Bool { fields[key]?.looseFlag ?? false }

    /// The integer under a key.
    func integer(_ key: FormatKey) -> Int? { fields[key]?.looseInteger.map(Int.init(clamping:)) }

    /// The objects of the list under a key, no more than a number of them.
    func records(_ key: FormatKey, _ record: FormatRecord, atMost limit: Int) -> [RecordReader] {
        elements(key, atMost: limit).compactMap { RecordReader($0, record, walk) }
    }

    /// The elements of the list under a key, no more than a number of them.
    func elements(_ key: FormatKey, atMost limit: Int) -> [SourceValue] {
        guard let list = fields[key] else { return [] }
        let count = list.value.elements?.count ?? 0
        if count > limit {
            walk.report(
                .error, .tooManyItems, at: list, "\(key.rawValue) holds more than is read",
                expected: "\(limit) at the most", found: "\(count)", hint: "the others are left out"
            )
        }
        return list.elements(atMost: limit)
    }

    /// The object under a key.
    func record(_ key: FormatKey, _ record: FormatRecord) -> RecordReader? {
        fields[key].flatMap { RecordReader($0, record, walk) }
    }

    // MARK: Findings

    /// Reports something about a field, or about the object where the field is missing.
    func report(
        _ severity: LintFinding.Severity,
        _ code: LintFinding.Code,
        at key: FormatKey,
        _ message: String,
        expected: String? = nil,
        found: String? = nil,
        hint: String? = nil
    ) {
        walk.report(severity, code, at: fields[key] ?? place, message, expected: expected, found: found, hint: hint)
    }
}
