/// A JSON object that keeps its members in their order.
public struct JSONObject: Sendable {
    /// A name and its value.
    public struct Member: Sendable, Hashable {
        /// The member's name.
        public var name: String
        /// The member's value.
        public var value: JSONValue

        /// Whether name and value are equal, the name byte by byte.
        public static func == (left: Self, right: Self) -> Bool {
            left.name.isIdentical(to: right.name) && left.value == right.value
        }
    }

    /// The members in their order.
    public private(set) var members: [Member]

    /// An object without members.
    public init() {
        members = []
    }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of a member; setting nil removes it. Names are compared byte by byte.
    public subscript(name: String) -> JSONValue? {
        get { members.first { $0.name.isIdentical(to: name) }?.value }
        set {
            let index = members.firstIndex { $0.name.isIdentical(to: name) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a member that is known to be new; a parser that refuses duplicate names may use it.
    public mutating func append(_ name: String, _ value: JSONValue) {
        members.append(Member(name: name, value: value))
    }
}

extension JSONObject: Hashable {
    /// Two objects are equal when they have the same members in any order.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.members.count == right.members.count else { return false }
        if left.members == right.members { return true }
        return left.sortedMembers == right.sortedMembers
    }

    private var sortedMembers: [Member] {
        members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Feeds what equal objects share into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Set(members.map(\.name)))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Takes the members of a literal in their order; of two with one name the last one stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}

extension JSONObject: CustomStringConvertible {
    /// Compact JSON text.
    public var description: String { JSONValue.object(self).description }
}
