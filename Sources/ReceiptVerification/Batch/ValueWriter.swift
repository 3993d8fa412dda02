internal import ReceiptTypes

/// Appends single values as JSON, or as cells of CSV. A value that is absent is null, or an empty cell.
struct ValueWriter {
    let format: BatchOutputFormat
    /// Whether cells keep the digits of a number that a spreadsheet would shorten.
    var keepsDigits = false

    func appendAbsent(to output: inout [UInt8]) {
        if format == .jsonLines { JSONText.append(literal: "null", to: &output) }
    }

    func append(_ text: String?, to output: inout [UInt8]) {
        guard let text else { return appendAbsent(to: &output) }
        switch format {
        case .jsonLines: JSONText.append(text, to: &output)
        case .csv:
            let isPlain = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
                guard !keepsDigits, unsafe Self.isPlain(bytes) else { return false }
                unsafe output.append(contentsOf: bytes)
                return true
            }
            if isPlain != true { CSV.append(HiddenCharacters.escaped(text), keepsDigits: keepsDigits, to: &output) }
        }
    }

    /// Returns whether a cell has only characters that need no quotation marks, no escape and no apostrophe before
    /// them.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch unsafe bytes.first {
        case UInt8(ascii: "=")?, UInt8(ascii: "+")?, UInt8(ascii: "-")?, UInt8(ascii: "@")?: return false
        // It can be before a formula.
        case UInt8(ascii: "'")?: return false
        default: break
        }
        return unsafe bytes.allSatisfy { (0x20...0x7e).contains($0) && !CSV.isSpecial($0) }
    }

    func append(_ time: Timestamp?, to output: inout [UInt8]) {
        guard let time else { return appendAbsent(to: &output) }
        let quote = UInt8(ascii: "\"")
        if format == .jsonLines { output.append(quote) }
        time.append(to: &output)
        if format == .jsonLines { output.append(quote) }
    }

    /// Appends the beginning of a time, such as `2025-10-01` or `2025-10`.
    func append(_ time: Timestamp?, prefix length: Int, to output: inout [UInt8]) {
        guard let time else { return appendAbsent(to: &output) }
        let quote = UInt8(ascii: "\"")
        if format == .jsonLines { output.append(quote) }
        let start = output.count
        time.append(to: &output)
        output.removeSubrange((start + length)...)
        if format == .jsonLines { output.append(quote) }
    }

    /// The number of characters of the day and of the month with which a time begins.
    static let dayLength = 10
    static let monthLength = 7

    func append(_ number: Int, to output: inout [UInt8]) {
        JSONText.append(Int64(number), to: &output)
    }

    func append(_ flag: Bool?, to output: inout [UInt8]) {
        guard let flag else { return appendAbsent(to: &output) }
        JSONText.append(literal: flag ? "true" : "false", to: &output)
    }

    /// Appends a value of a payload.
    ///
    /// - Parameter currency: The currency of an amount of money.
    func append(
        _ value: borrowing JSONNode,
        as form: PayloadForm,
        currency: String? = nil,
        to output: inout [UInt8]
    ) {
        switch (form, value.kind) {
        case (.time, .integer(let milliseconds)):
            if let time = Timestamp(milliseconds: milliseconds) { return append(time, to: &output) }
        case (.time, .decimal(let milliseconds)):
            if let time = Timestamp(decimalMilliseconds: milliseconds) { return append(time, to: &output) }
        case (.money, .integer(let amount)):
            return Milliunits(amount).append(decimals: CurrencyDecimals.count(of: currency), to: &output)
        default: break
        }
        guard format == .csv else { return JSONText.append(value, to: &output) }
        switch value.kind {
        case .null: break
        case .integer(let number) where keepsDigits && number >= 0:
            appendCell([UInt8](String(number).utf8), to: &output)
        case .boolean, .integer, .decimal: JSONText.append(value, to: &output)
        case .string: append(value.text, to: &output)
        case .array, .object:
            var text: [UInt8] = []
            JSONText.append(value, to: &text)
            appendCell(text, to: &output)
        }
    }
}

extension ValueWriter {
    /// Appends a value that stands in place of one of a payload.
    func append(_ value: JSONValue, to output: inout [UInt8]) {
        if case .string(let text) = value { return append(text, to: &output) }
        var text: [UInt8] = []
        JSONText.append(value, to: &text)
        if format == .csv { appendCell(text, to: &output) } else { output += text }
    }

    private func appendCell(_ text: [UInt8], to output: inout [UInt8]) {
        CSV.append(utf8: text, keepsDigits: keepsDigits, to: &output)
    }
}

/// The form in which results have a value of a payload.
enum PayloadForm: Sendable {
    /// The value as it is signed.
    case signed
    /// Milliseconds since 1970 as RFC 3339.
    case time
    /// Milliunits as a decimal with the decimals of the currency.
    case money

    init(_ field: SchemaField) {
        switch field.shape {
        case .milliseconds: self = .time
        default: self = field.isMoney ? .money : .signed
        }
    }
}
