/// A JSON object that keeps the order of its members.
public struct JSONObject: Sendable {
    /// A member of a JSON object: a name and a value.
    public struct Member: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: JSONValue

        /// Returns whether names and values are equal; names are compared byte by byte.
        public static func == (left: Self, right: Self) -> Bool {
            left.name.isIdentical(to: right.name) && left.value == right.value
        }
    }

    /// The members in the order of the JSON text.
    public private(set) var members: [Member]

    /// Creates an object without members.
    public init() {
        members = []
    }

    /// Whether the object has no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of the member with a name, compared byte by byte. Setting nil removes the member.
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

    /// Appends a member without a search for its name, which the caller knows to be new.
    public mutating func append(_ name: String, _ value: JSONValue) {
        members.append(Member(name: name, value: value))
    }
}

extension JSONObject: Hashable {
    /// Returns whether both objects have the same members, in any order.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.members.count == right.members.count else { return false }
        if left.members == right.members { return true }
        return left.sortedMembers == right.sortedMembers
    }

    private var sortedMembers: [Member] {
        members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Feeds the names of the members into a hasher, in no particular order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Set(members.map(\.name)))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with the members of a literal in their order; a duplicate name keeps the last value.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}

extension JSONObject: CustomStringConvertible {
    /// Compact JSON.
    public var description: String { JSONValue.object(self).description }
}
