internal import ReceiptTypes

/// A JSON value of a file, with its byte range and its path.
struct SourceValue {
    let text: SourceText
    let value: JSONValue
    let range: Range<Int>
    let path: String

    /// A member of an object, without its path, which is built only on demand.
    struct Member {
        var name: String
        var nameOffset: Int
        var value: JSONValue
        var range: Range<Int>
    }

    /// The members of an object with their positions; empty for any other value.
    var members: [Member] {
        guard case .object(let object) = value else { return [] }
        return zip(object.members, text.members(of: range)).map { member, place in
            Member(name: member.name, nameOffset: place.name, value: member.value, range: place.value)
        }
    }

    /// Returns the elements of an array, up to a limit; empty for any other value.
    func elements(atMost limit: Int) -> [SourceValue] {
        guard case .array(let elements) = value else { return [] }
        return zip(elements, text.elements(of: range)).prefix(limit).enumerated().map { index, element in
            SourceValue(text: text, value: element.0, range: element.1, path: "\(path)[\(index)]")
        }
    }

    /// Returns a member as a value with a path.
    func child(_ member: Member) -> SourceValue {
        SourceValue(text: text, value: member.value, range: member.range, path: path(to: member.name))
    }

    /// Returns the path of a member; an unusual name is quoted in brackets, and a long name is replaced by its length.
    func path(to name: String) -> String {
        let isWord = name.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard !name.isEmpty, isWord, name.utf8.count <= ConfigurationBudget.quotedSize else {
            return "\(path)[\(Quotation.of(name))]"
        }
        return path.isEmpty ? name : "\(path).\(name)"
    }

    /// The value in a form that is safe to print and reveals no long string.
    var found: String {
        switch value {
        case .string(let text): Quotation.of(text)
        case .integer, .decimal:
            range.count <= ConfigurationBudget.quotedSize ? text.slice(range) : "a number of \(range.count) digits"
        case .boolean(let flag): flag ? "true" : "false"
        case .null: "null"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

// MARK: - Lenient values

extension SourceValue {
    /// The string, or a number as the file spells it.
    var looseText: String? {
        switch value {
        case .string(let text): text
        case .integer, .decimal: text.slice(range)
        default: nil
        }
    }

    /// The flag, or a string or number that means one, such as `"yes"` or 1.
    var looseFlag: Bool? {
        switch value {
        case .boolean(let flag): flag
        case .integer(0): false
        case .integer(1): true
        case .string(let text):
            switch text.utf8.count <= 5 ? text.lowercased() : "" {
            case "true", "yes", "1": true
            case "false", "no", "0": false
            default: nil
            }
        default: nil
        }
    }

    /// The integer, or a string that spells one, or a decimal without a fraction.
    var looseInteger: Int64? {
        switch value {
        case .integer(let integer): integer
        case .decimal(let decimal): Int64(exactly: decimal)
        case .string(let text): text.utf8.count <= 20 ? Int64(text) : nil
        default: nil
        }
    }
}

/// The notation of a file's strings in findings.
enum Quotation {
    /// Returns a string in JSON notation, or only its length where it is long.
    ///
    /// A private key is long, so no finding shows one, even where it is in the wrong field.
    static func of(_ text: String) -> String {
        guard text.utf8.count <= ConfigurationBudget.quotedSize else { return "a string of \(text.utf8.count) bytes" }
        return text.isEmpty ? "an empty string" : JSONValue.string(text).description
    }

    /// Returns a list of alternatives: `A, B or C`.
    static func choice(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
