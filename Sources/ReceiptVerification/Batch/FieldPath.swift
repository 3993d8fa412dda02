/// The place of a value in JSON: the name of a member, or the names of nested members with dots between them.
///
/// `[]` stands for each element of an array, as in `items[].jws`. A backslash makes a dot, a bracket or a backslash
/// part of a name. A member whose name is the complete text takes precedence over a path.
package struct FieldPath: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        case member(String)
        case elements
    }

    /// The most steps of a path, far more than any record needs.
    private static let maximumSteps = 16

    /// The path as it was written.
    let text: String
    /// The steps; empty if the text is no path, and can only be the name of a member.
    package let steps: [Step]

    package init(_ text: String) {
        self.text = text
        steps = Self.parse(text) ?? []
    }

    private init(text: String, steps: [Step]) {
        self.text = text
        self.steps = steps
    }

    /// The name of the first member, and the path inside its value; nil if the text begins with no name.
    var split: (name: String, rest: FieldPath)? {
        guard case .member(let name)? = steps.first else { return nil }
        return (name, FieldPath(text: text, steps: [Step](steps.dropFirst())))
    }

    /// The name of the last member that the path leads through.
    var lastName: String? {
        for case .member(let name) in steps.reversed() { return name }
        return nil
    }

    /// Returns a name with a backslash before each character that a path gives a meaning.
    static func escaped(_ name: String) -> String {
        name.reduce(into: "") { result, character in
            if "\\.[]".contains(character) { result.append("\\") }
            result.append(character)
        }
    }

    private static func parse(_ text: String) -> [Step]? {
        var steps: [Step] = []
        var name = ""
        // After `[]`, only a dot, another `[]` or the end can follow.
        var isAfterElements = false
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case ".":
                guard isAfterElements || !name.isEmpty, !rest.isEmpty else { return nil }
                if !name.isEmpty { steps.append(.member(name)) }
                name = ""
                isAfterElements = false
            case "[":
                guard rest.popFirst() == "]", isAfterElements || !name.isEmpty || steps.isEmpty else { return nil }
                if !name.isEmpty { steps.append(.member(name)) }
                name = ""
                steps.append(.elements)
                isAfterElements = true
            default:
                guard !isAfterElements else { return nil }
                guard character == "\\" else {
                    name.append(character)
                    continue
                }
                guard let next = rest.popFirst() else { return nil }
                name.append(next)
            }
        }
        if !name.isEmpty { steps.append(.member(name)) }
        return steps.count <= maximumSteps ? steps : nil
    }

    // MARK: Values

    /// Returns the value at a path without `[]`, which is not the name of a member; nil if there is none.
    @_lifetime(copy root)
    func value(inside root: JSONNode) -> JSONNode? {
        var node = root
        for step in steps {
            guard case .member(let name) = step, let value = node.member(named: name) else { return nil }
            node = value
        }
        return node
    }
}
