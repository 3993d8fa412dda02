internal import ReceiptTypes

/// Copies the kept parts of records in the form in which results contain them.
///
/// A copy is the member `input` of JSON Lines, or the first cells of CSV with a comma after each.
struct RecordCopier {
    /// A kept member of JSON records.
    private struct Member {
        let path: FieldPath
        /// The name as a JSON string, with a colon.
        let key: [UInt8]
    }

    private let input: KeptInput
    private let format: BatchOutputFormat
    private let members: [Member]
    /// The pseudonyms that stand in place of what is copied.
    private let redaction: Redaction?
    private let keepsDigits: Bool

    /// Whether nothing is kept.
    var isIdle: Bool { input.isNothing }

    init(_ input: KeptInput, _ format: BatchOutputFormat, _ contents: ResultContents = .standard) {
        self.input = input
        self.format = format
        redaction = contents.redaction
        keepsDigits = contents.keepsDigits
        members = input.names.map { Member(path: FieldPath($0), key: Self.key([UInt8]($0.utf8))) }
    }

    private static func key(_ name: [UInt8]) -> [UInt8] {
        var key: [UInt8] = []
        name.withRawSpan { JSONText.append(utf8: $0, to: &key) }
        return key + [UInt8(ascii: ":")]
    }

    /// The names of the first columns of CSV results, in a run that begins with a block.
    func columns(_ header: CSVHeader?) -> [[UInt8]] {
        header?.kept.map(\.name) ?? input.names.map { [UInt8]($0.utf8) }
    }

    /// Appends the copy of a record that cannot be read or repeated.
    func appendAbsent(_ header: CSVHeader?, to output: inout [UInt8]) {
        guard !isIdle else { return }
        switch format {
        case .jsonLines: JSONText.append(literal: ",\"input\":null", to: &output)
        case .csv:
            let count = header?.kept.count ?? (input.isAll ? 0 : members.count)
            output.append(contentsOf: repeatElement(CSV.comma, count: count))
        }
    }

    // MARK: CSV records

    /// Appends the copy of a record of CSV.
    ///
    /// - Parameters:
    ///   - fields: The fields of the record, at least up to the last kept one that it has.
    ///   - rest: What stands for the receipt's column; nil if that is copied unchanged.
    func append(
        _ record: RawSpan, _ fields: [CSV.Cell], _ header: CSVHeader, rest: [UInt8]?, to output: inout [UInt8]
    ) {
        guard !isIdle else { return }
        if format == .jsonLines { JSONText.append(literal: ",\"input\":{", to: &output) }
        for (number, column) in header.kept.enumerated() {
            let field = column.index.flatMap { $0 < fields.count ? fields[$0] : nil }
            var rest = column.index == header.column ? rest : nil
            if let redaction, let field { rest = Self.redacted(rest ?? field.value(in: record), by: redaction) }
            if format == .csv {
                if let field {
                    CSV.append(utf8: rest ?? field.value(in: record), keepsDigits: keepsDigits, to: &output)
                }
                output.append(CSV.comma)
                continue
            }
            if number > 0 { output.append(UInt8(ascii: ",")) }
            column.name.withRawSpan { JSONText.append(utf8: $0, to: &output) }
            output.append(UInt8(ascii: ":"))
            guard let field else {
                JSONText.append(literal: "null", to: &output)
                continue
            }
            if field.hasQuotes || rest != nil {
                (rest ?? field.value(in: record)).withRawSpan { JSONText.append(utf8: $0, to: &output) }
            } else {
                JSONText.append(utf8: record.extracting(field.range), to: &output)
            }
        }
        if format == .jsonLines { output.append(UInt8(ascii: "}")) }
    }

    // MARK: JSON records

    /// Appends the copy of a JSON record that the parser has accepted.
    ///
    /// - Parameters:
    ///   - receipt: The path of the receipt, which a copy of everything leaves out; nil if the record is searched.
    ///   - hasDuplicates: Whether a member can be there more than once; then the last one counts, as for most readers.
    func append(
        json record: RawSpan, without receipt: FieldPath?, hasDuplicates: Bool = false, names: inout KeptNames,
        to output: inout [UInt8]
    ) {
        guard !isIdle else { return }
        let start = JSONBytes.start(ofTokenFrom: 0, in: record)
        guard start < record.byteCount, record.byte(at: start) == UInt8(ascii: "{") else {
            return appendAbsent(nil, to: &output)
        }
        if format == .jsonLines { JSONText.append(literal: ",\"input\":", to: &output) }
        if input.isAll, let redaction {
            var copy: [UInt8] = []
            appendAll(of: record, from: start, without: receipt, to: &copy)
            copy.withRawSpan { Self.append(membersOf: $0, by: redaction, to: &output) }
        } else if input.isAll {
            appendAll(of: record, from: start, without: receipt, to: &output)
        } else {
            appendNamed(of: record, from: start, takesLast: hasDuplicates, names: &names, to: &output)
        }
    }

    private func appendNamed(
        of record: RawSpan, from start: Int, takesLast: Bool, names: inout KeptNames, to output: inout [UInt8]
    ) {
        for (number, member) in members.enumerated() {
            let value = Self.value(at: member.path, from: start, in: record, takesLast: takesLast)
            if value != nil { names.markAsFound(number) }
            switch format {
            case .jsonLines:
                output.append(UInt8(ascii: number > 0 ? "," : "{"))
                output += member.key
                if let value, let redaction {
                    Self.append(record.extracting(value), by: redaction, to: &output)
                } else if let value {
                    JSONText.append(compacting: record.extracting(value), to: &output)
                } else {
                    JSONText.append(literal: "null", to: &output)
                }
            case .csv:
                if let value { appendCell(record.extracting(value), to: &output) }
                output.append(CSV.comma)
            }
        }
        if format == .jsonLines { output.append(UInt8(ascii: "}")) }
    }

    private func appendCell(_ value: RawSpan, to output: inout [UInt8]) {
        guard value.byteCount > 0, !value.isEqualToNull else { return }
        let text = Self.content(of: value)
        CSV.append(
            utf8: redaction.map { Self.redacted(text, by: $0) } ?? text, keepsDigits: keepsDigits, to: &output)
    }

    /// Returns the content of a JSON string, or any other value as JSON.
    private static func content(of value: RawSpan) -> [UInt8] {
        if let text = value.unescapedJSON { return text }
        var text: [UInt8] = []
        JSONText.append(compacting: value, to: &text)
        return text
    }

    // MARK: Pseudonyms

    /// Returns the pseudonym of a value, or the value if it is empty.
    private static func redacted(_ value: [UInt8], by redaction: Redaction) -> [UInt8] {
        value.withRawSpan { span in
            EmptyValue.matches(span) ? value : [UInt8](redaction.pseudonym(of: span.trimmed.array).utf8)
        }
    }

    /// Appends the pseudonym of a JSON value as a string; null and an empty string stay as they are.
    private static func append(_ value: RawSpan, by redaction: Redaction, to output: inout [UInt8]) {
        guard !value.isEqualToNull else { return JSONText.append(literal: "null", to: &output) }
        redacted(content(of: value), by: redaction).withRawSpan { JSONText.append(utf8: $0, to: &output) }
    }

    /// Appends an object with the pseudonym of each member's value.
    private static func append(membersOf object: RawSpan, by redaction: Redaction, to output: inout [UInt8]) {
        var separator = UInt8(ascii: "{")
        JSONBytes.forEachMember(ofObjectAt: 0, in: object) { name, value in
            output.append(separator)
            separator = UInt8(ascii: ",")
            output += object.extracting(name).array
            output.append(UInt8(ascii: ":"))
            append(object.extracting(value), by: redaction, to: &output)
            return true
        }
        if separator == UInt8(ascii: "{") { output.append(separator) }
        output.append(UInt8(ascii: "}"))
    }

    /// Returns the place of a value; nil if the record does not have it.
    private static func value(
        at path: FieldPath, from start: Int, in record: RawSpan, takesLast: Bool
    ) -> Range<Int>? {
        if let exact = value(of: path.text, from: start, in: record, takesLast: takesLast) { return exact }
        guard !path.steps.isEmpty else { return nil }
        var place = start..<record.byteCount
        for step in path.steps {
            guard case .member(let name) = step,
                let next = value(of: name, from: place.lowerBound, in: record, takesLast: takesLast)
            else { return nil }
            place = next
        }
        return place
    }

    /// Returns the place of a member's value in the object at an offset.
    private static func value(
        of name: String, from start: Int, in record: RawSpan, takesLast: Bool = false
    ) -> Range<Int>? {
        var found: Range<Int>?
        JSONBytes.forEachMember(ofObjectAt: start, in: record) { key, value in
            if isName(record.extracting(key), name) { found = value }
            return takesLast || found == nil
        }
        return found
    }

    /// Returns whether a JSON string with its quotation marks is a name.
    static func isName(_ key: RawSpan, _ name: String) -> Bool {
        if key.byteCount == name.utf8.count + 2 {
            var offset = 0
            for byte in name.utf8 {
                offset += 1
                guard key.byte(at: offset) == byte else { break }
                if offset == name.utf8.count { return true }
            }
            if name.isEmpty { return true }
        }
        // The same name can be written with escapes.
        return key.firstOffset(of: UInt8(ascii: "\\")) != nil && key.unescapedJSON == [UInt8](name.utf8)
    }

    // MARK: Everything

    private func appendAll(
        of record: RawSpan, from start: Int, without receipt: FieldPath?, to output: inout [UInt8]
    ) {
        guard let receipt else { return Self.appendWithoutReceipts(record, from: start, to: &output) }
        if input.names.contains(receipt.text) { return JSONText.append(compacting: record, to: &output) }
        let isName = Self.value(of: receipt.text, from: start, in: record) != nil
        let steps = isName ? [.member(receipt.text)] : receipt.steps
        Self.append(start..<record.byteCount, of: record, without: steps[...], to: &output)
    }

    /// Returns a JSON text that the parser has accepted without what is at a path in it.
    static func copy(of text: RawSpan, without path: FieldPath) -> [UInt8] {
        var output: [UInt8] = []
        append(
            JSONBytes.start(ofTokenFrom: 0, in: text)..<text.byteCount, of: text, without: path.steps[...], to: &output)
        return output
    }

    /// Appends an object without its members that are JWS, for records without a named place of the receipt.
    private static func appendWithoutReceipts(_ record: RawSpan, from start: Int, to output: inout [UInt8]) {
        var separator = UInt8(ascii: "{")
        JSONBytes.forEachMember(ofObjectAt: start, in: record) { key, value in
            if isJWS(record.extracting(value)) { return true }
            output.append(separator)
            separator = UInt8(ascii: ",")
            JSONText.append(compacting: record.extracting(key.lowerBound..<value.upperBound), to: &output)
            return true
        }
        if separator == UInt8(ascii: "{") { output.append(separator) }
        output.append(UInt8(ascii: "}"))
    }

    private static func isJWS(_ value: RawSpan) -> Bool {
        guard value.byteCount > 4, value.extracting(1..<value.byteCount).looksLikeJWS else { return false }
        return value.unescapedJSON.map(JWSForm.matchesSegments) ?? false
    }

    /// Appends a value without what is at a path in it; the number of steps bounds the recursion.
    private static func append(
        _ value: Range<Int>, of record: RawSpan, without steps: ArraySlice<FieldPath.Step>, to output: inout [UInt8]
    ) {
        let rest = steps.dropFirst()
        let first = value.isEmpty ? 0 : record.byte(at: value.lowerBound)
        var hasItem = false
        switch steps.first {
        case .member(let name)? where first == UInt8(ascii: "{"):
            output.append(UInt8(ascii: "{"))
            JSONBytes.forEachMember(ofObjectAt: value.lowerBound, in: record) { key, place in
                let isOnPath = isName(record.extracting(key), name)
                if isOnPath, rest.isEmpty { return true }
                if hasItem { output.append(UInt8(ascii: ",")) }
                hasItem = true
                JSONText.append(compacting: record.extracting(key), to: &output)
                output.append(UInt8(ascii: ":"))
                append(place, of: record, without: isOnPath ? rest : [], to: &output)
                return true
            }
            output.append(UInt8(ascii: "}"))
        case .elements? where first == UInt8(ascii: "["):
            output.append(UInt8(ascii: "["))
            JSONBytes.forEachElement(ofArrayAt: value.lowerBound, in: record) { place in
                if rest.isEmpty { return }
                if hasItem { output.append(UInt8(ascii: ",")) }
                hasItem = true
                append(place, of: record, without: rest, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        default: JSONText.append(compacting: record.extracting(value), to: &output)
        }
    }
}

extension RawSpan {
    /// Whether the bytes are the JSON value null.
    fileprivate var isEqualToNull: Bool { byteCount == 4 && byte(at: 0) == UInt8(ascii: "n") }
}
