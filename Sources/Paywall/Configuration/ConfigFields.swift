internal import ReceiptTypes

/// The members of an object of a configuration, with the path of the object, and the checks of their values.
struct ConfigFields: Sendable {
    /// Reads a value at a path.
    typealias Reader<Value> = @Sendable (JSONValue, String) throws(RemoteConfigError) -> Value

    private let members: JSONObject
    private let path: String

    init(_ value: JSONValue, at path: String) throws(RemoteConfigError) {
        guard let members = value.object else { throw Self.wrongType(value, path, "an object") }
        self.members = members
        self.path = path
    }

    /// Returns the path of a member.
    func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// Returns the value of a member.
    func required<Value>(_ name: String, _ read: Reader<Value>) throws(RemoteConfigError) -> Value {
        guard let value = try optional(name, read) else {
            throw RemoteConfigError(.missingField, at: place(name), expected: "a value", found: "none")
        }
        return value
    }

    /// Returns the value of a member; nil if it is absent or null.
    func optional<Value>(_ name: String, _ read: Reader<Value>) throws(RemoteConfigError) -> Value? {
        guard let value = members[name], value != .null else { return nil }
        return try read(value, place(name))
    }

    /// Returns the objects of an array; none if it is absent.
    func objects(_ name: String) throws(RemoteConfigError) -> [ConfigFields] {
        try optional(name, Self.list { value, path throws(RemoteConfigError) in try ConfigFields(value, at: path) })
            ?? []
    }

    /// Returns the values of an array; nil if it is absent.
    func set<Value: Hashable & Sendable>(
        _ name: String, _ read: @escaping Reader<Value>
    ) throws(RemoteConfigError) -> Set<Value>? {
        try optional(name, Self.list(read)).map(Set.init)
    }

    // MARK: Values

    private static func list<Value: Sendable>(_ read: @escaping Reader<Value>) -> Reader<[Value]> {
        { value, path throws(RemoteConfigError) in
            guard let elements = value.elements else { throw wrongType(value, path, "an array") }
            guard elements.count <= RemoteConfig.maximumCount else {
                throw RemoteConfigError(
                    .tooLarge, at: path, expected: "at most \(RemoteConfig.maximumCount) elements",
                    found: "\(elements.count) elements")
            }
            var values: [Value] = []
            for (index, element) in elements.enumerated() { values.append(try read(element, "\(path)[\(index)]")) }
            return values
        }
    }

    static let flag: Reader<Bool> = { value, path throws(RemoteConfigError) in
        guard case .boolean(let flag) = value else { throw wrongType(value, path, "true or false") }
        return flag
    }

    /// A number of views or seconds.
    static let count = integer(within: 0...1_000_000)

    static func integer(within range: ClosedRange<Int>) -> Reader<Int> {
        { value, path throws(RemoteConfigError) in
            guard let integer = value.integer else { throw wrongType(value, path, "an integer") }
            guard let number = Int(exactly: integer), range.contains(number) else {
                throw RemoteConfigError(
                    .wrongValue, at: path, expected: "an integer from \(range.lowerBound) to \(range.upperBound)",
                    found: "\(integer)")
            }
            return number
        }
    }

    static let text: Reader<String> = { value, path throws(RemoteConfigError) in
        guard let text = value.text else { throw wrongType(value, path, "a string") }
        guard text.utf8.count <= RemoteConfig.maximumStringSize else {
            throw RemoteConfigError(
                .tooLarge, at: path, expected: "at most \(RemoteConfig.maximumStringSize) bytes",
                found: "\(text.utf8.count) bytes")
        }
        return text
    }

    /// A string that is not empty.
    static let name: Reader<String> = { value, path throws(RemoteConfigError) in
        let text = try text(value, path)
        guard !text.isEmpty else {
            throw RemoteConfigError(.wrongValue, at: path, expected: "a string that is not empty", found: "\"\"")
        }
        return text
    }

    static let riskLevel: Reader<RiskLevel> = { value, path throws(RemoteConfigError) in
        let name = try text(value, path)
        guard let level = RiskLevel(rawValue: name) else {
            let names = RiskLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw RemoteConfigError(.wrongValue, at: path, expected: "one of \(names)", found: name)
        }
        return level
    }

    /// The letter of one of these offers.
    static func offerID(of offers: Set<OfferID>) -> Reader<OfferID> {
        { value, path throws(RemoteConfigError) in
            let letter = try text(value, path)
            guard let id = OfferID(rawValue: letter), offers.contains(id) else {
                let letters = offers.map(\.rawValue).sorted().joined(separator: ", ")
                throw RemoteConfigError(
                    .wrongValue, at: path, expected: letters.isEmpty ? "an offer of the configuration" : letters,
                    found: letter)
            }
            return id
        }
    }

    private static func wrongType(_ value: JSONValue, _ path: String, _ expected: String) -> RemoteConfigError {
        RemoteConfigError(.wrongType, at: path, expected: expected, found: value.kind.detail)
    }
}
