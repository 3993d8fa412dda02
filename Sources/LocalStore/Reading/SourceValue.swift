internal import ReceiptTypes

/// A value of a file, its place, and the way to it.
struct SourceValue {
    let text: SourceText
    let value: JSONValue
    let range: Range<Int>
    let path: String

    /// A name and its value, without the way to it, which only few are asked for.
    struct Member {
        var name: String
        var nameOffset: Int
        var value: JSONValue
        var range: Range<Int>
    }

    /// The members of an object with their places; empty for any other value.
    var members: [Member] {
        guard case .object(let object) = value else { return [] }
        return zip(object.members, text.members(of: range)).map { member, place in
            Member(name: member.name, nameOffset: place.name, value: member.value, range: place.value)
        }
    }

    /// The elements of an array, no more than a number of them; empty for any other value.
    func elements(atMost limit: Int) -> [SourceValue] {
        guard case .array(let elements) = value else { return [] }
        return zip(elements, text.elements(of: range)).prefix(limit).enumerated().map { index, element in
            SourceValue(text: text, value: element.0, range: element.1, path: "\(path)[\(index)]")
        }
    }

    /// A member as a value of its own.
    func child(_ member: Member) -> SourceValue {
        SourceValue(text: text, value: member.value, range: member.range, path: path(to: member.name))
    }

    /// The way to a member; a name that is no plain word is put in brackets, and a long one is left out.
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

    /// What is there, in words that are safe to print.
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

// MARK: - What was meant

extension SourceValue {
    /// The text, or a number as the file writes it.
    var looseText: String? {
        switch value {
        case .string(let text): text
        case .integer, .decimal: text.slice(range)
        default: nil
        }
    }

    /// The truth value, or a text or a number that says one.
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

    /// The integer, or a text that writes one, or a decimal that is one.
    var looseInteger: Int64? {
        switch value {
        case .integer(let integer): integer
        case .decimal(let decimal): Int64(exactly: decimal)
        case .string(let text): text.utf8.count <= 20 ? Int64(text) : nil
        default: nil
        }
    }
}
