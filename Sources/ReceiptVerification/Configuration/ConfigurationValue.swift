internal import ReceiptTypes

/// A value of a policy file, with its place and the checks of its type.
struct ConfigurationValue {
    let json: JSONValue
    /// The place in the file; empty for the file as a whole.
    let path: String

    /// Parses a file.
    init(parsing text: [UInt8]) throws(VerificationConfigurationError) {
        guard text.count <= ConfigurationLimits.size else {
            throw VerificationConfigurationError(
                .tooLarge, expected: "at most \(ConfigurationLimits.size) bytes", found: "\(text.count) bytes")
        }
        do throws(JSONDocument.Fault) {
            self.init(try JSONDocument.value(of: text, maximumDepth: ConfigurationLimits.depth), at: "")
        } catch {
            throw VerificationConfigurationError(error, in: text)
        }
    }

    private init(_ json: JSONValue, at path: String) {
        self.json = json
        self.path = path
    }

    // MARK: Objects and arrays

    /// Returns the members of an object that has no other members than the known ones.
    func members(_ known: [String]) throws(VerificationConfigurationError) -> ConfigurationMembers {
        guard let object = json.object else { throw wrongType("an object") }
        for member in object.members where !known.contains(where: { $0.isIdentical(to: member.name) }) {
            let name = Self.quoted(member.name)
            throw VerificationConfigurationError(
                .unknownMember, at: path, expected: "the members \(known.joined(separator: ", "))", found: name,
                hint: NearestWord.to(member.name, in: known).map { "did you mean \($0)" } ?? "remove \(name)")
        }
        return ConfigurationMembers(object: object, value: self)
    }

    /// Returns the elements of an array that is not empty.
    func elements(atMost limit: Int) throws(VerificationConfigurationError) -> [ConfigurationValue] {
        guard let elements = json.elements else { throw wrongType("an array") }
        guard !elements.isEmpty else {
            throw wrongValue("at least one element", "none", hint: "leave the member out if it has no elements")
        }
        guard elements.count <= limit else {
            throw VerificationConfigurationError(
                .tooLarge, at: path, expected: "at most \(limit) elements", found: "\(elements.count)")
        }
        return elements.enumerated().map { ConfigurationValue($0.element, at: "\(path)[\($0.offset)]") }
    }

    fileprivate func child(_ name: String, _ json: JSONValue) -> ConfigurationValue {
        ConfigurationValue(json, at: place(of: name))
    }

    fileprivate func place(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    // MARK: Values

    func flag() throws(VerificationConfigurationError) -> Bool {
        guard case .boolean(let flag) = json else { throw wrongType("true or false") }
        return flag
    }

    /// Returns an integer; a number such as `1.0` is one, as in JSON Schema.
    func integer(within range: ClosedRange<Int64>) throws(VerificationConfigurationError) -> Int64 {
        let number: Int64? =
            switch json {
            case .integer(let integer): integer
            case .decimal(let decimal): Int64(exactly: decimal)
            default: nil
            }
        guard let number else { throw wrongType("an integer") }
        guard range.contains(number) else {
            throw wrongValue("an integer from \(range.lowerBound) to \(range.upperBound)", "\(number)")
        }
        return number
    }

    /// Returns a string of one byte or more.
    func text() throws(VerificationConfigurationError) -> String {
        guard let text = json.text else { throw wrongType("a string") }
        guard !text.isEmpty else { throw wrongValue("a string that is not empty", "\"\"") }
        guard text.unicodeScalars.count <= ConfigurationLimits.textSize else {
            throw VerificationConfigurationError(
                .tooLarge, at: path, expected: "at most \(ConfigurationLimits.textSize) characters", found: "more")
        }
        return text
    }

    /// Returns a string of certain characters, such as a bundle ID.
    func identifier(
        of characters: String, where isAllowed: (UInt8) -> Bool
    ) throws(VerificationConfigurationError) -> String {
        let text = try text()
        guard text.utf8.count <= ConfigurationLimits.identifierSize, text.utf8.allSatisfy(isAllowed) else {
            throw wrongValue("1 to \(ConfigurationLimits.identifierSize) \(characters)", Self.quoted(text))
        }
        return text
    }

    /// Returns one of some words.
    func word(of words: [String]) throws(VerificationConfigurationError) -> String {
        guard let text = json.text else { throw wrongType("a string") }
        guard let word = words.first(where: { $0.isIdentical(to: text) }) else {
            throw wrongValue(
                words.joined(separator: ", or "), Self.quoted(text),
                hint: NearestWord.to(text, in: words).map { "did you mean \($0)" })
        }
        return word
    }

    /// Returns the strings of an array in which none is twice.
    @discardableResult
    func distinct(
        atMost limit: Int,
        _ read: (ConfigurationValue) throws(VerificationConfigurationError) -> String
    ) throws(VerificationConfigurationError) -> [String] {
        var found: Set<String> = []
        var texts: [String] = []
        for element in try elements(atMost: limit) {
            let text = try read(element)
            guard found.insert(text).inserted else { throw element.wrongValue("each value once", Self.quoted(text)) }
            texts.append(text)
        }
        return texts
    }

    // MARK: Errors

    func wrongType(_ expected: String) -> VerificationConfigurationError {
        VerificationConfigurationError(.wrongType, at: path, expected: expected, found: json.kind.detail)
    }

    func wrongValue(_ expected: String, _ found: String, hint: String? = nil) -> VerificationConfigurationError {
        VerificationConfigurationError(.wrongValue, at: path, expected: expected, found: found, hint: hint)
    }

    /// Returns a text of the file in quotation marks; a long one is cut short, since it can be a key.
    static func quoted(_ text: String) -> String {
        let limit = ConfigurationLimits.quotedSize
        guard text.utf8.count > limit else { return "\"\(text)\"" }
        return "\"\(String(text.unicodeScalars.prefix(limit / 2)))…\", \(text.utf8.count) bytes"
    }
}

/// The members of an object of a policy file.
struct ConfigurationMembers {
    fileprivate let object: JSONObject
    /// The object as a value.
    let value: ConfigurationValue

    /// Returns the value of a member; nil if it is absent. `null` is a value.
    func optional(_ name: String) -> ConfigurationValue? {
        object[name].map { value.child(name, $0) }
    }

    func required(_ name: String, hint: String? = nil) throws(VerificationConfigurationError) -> ConfigurationValue {
        if let value = optional(name) { return value }
        throw VerificationConfigurationError(
            .missingMember, at: value.place(of: name), expected: "a value", found: "no such member", hint: hint)
    }

    func has(_ name: String) -> Bool { object[name] != nil }

    /// Requires that a member is there only together with another one.
    func require(_ name: String, besides other: String) throws(VerificationConfigurationError) {
        guard has(other), !has(name) else { return }
        throw VerificationConfigurationError(
            .missingMember, at: value.place(of: name), expected: "a value, because of \(other)",
            found: "no such member", hint: "add \(name), or remove \(other)")
    }

    /// Returns the one member of two that is there.
    func either(_ first: String, _ second: String) throws(VerificationConfigurationError) -> ConfigurationValue {
        switch (optional(first), optional(second)) {
        case (let found?, nil), (nil, let found?): return found
        case (let found, _):
            throw VerificationConfigurationError(
                found == nil ? .missingMember : .wrongValue, at: value.path,
                expected: "either \(first) or \(second)", found: found == nil ? "neither" : "both")
        }
    }
}

extension VerificationConfigurationError {
    /// The error for a file that the JSON parser rejects.
    fileprivate init(_ fault: JSONDocument.Fault, in text: [UInt8]) {
        let isDuplicate = fault.problem == .duplicateKey || fault.problem == .duplicateAlgorithm
        let code: Code = isDuplicate ? .duplicateMember : (fault.problem == .tooDeep ? .tooLarge : .malformed)
        // The parser stops after the token that it cannot accept.
        let before = text.prefix(max(fault.offset - 1, 0))
        self.init(
            code, line: before.count { $0 == UInt8(ascii: "\n") } + 1,
            expected: isDuplicate
                ? "each member once" : "JSON in UTF-8, nested at most \(ConfigurationLimits.depth) deep",
            found: isDuplicate ? "a member that is there already" : fault.found,
            hint: isDuplicate ? "remove one of them" : nil)
    }
}
