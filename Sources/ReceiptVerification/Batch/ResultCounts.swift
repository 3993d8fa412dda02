internal import ReceiptTypes

/// Counts of results by the values of fields.
public struct ResultCounts: Sendable {
    /// The most groups: enough for the products, days or storefronts of any seller, and for no list of customers.
    public static let maximumGroups = 100_000
    /// The most bytes of values in all groups.
    public static let maximumByteCount = 33_554_432

    /// The results with equal values.
    public struct Group: Sendable, Hashable {
        /// The values of the fields as text, in their order; nil for one that the receipts do not have.
        public let values: [String?]
        /// The values as a JSON object.
        public let json: String
        /// The number of results.
        public let count: Int
    }

    /// The names of the fields.
    public let names: [String]
    /// The numbers of results by the members of their JSON objects, with a comma before each.
    private var counts: [[UInt8]: Int] = [:]
    /// The number of results in none of the groups: those of an overview (``BatchOverview``) beyond its most groups.
    public private(set) var others = 0
    private var byteCount = 0
    private let groupLimit: Int
    private let byteLimit: Int

    init(names: [String], groupLimit: Int = maximumGroups, byteLimit: Int = maximumByteCount) {
        self.names = names
        self.groupLimit = groupLimit
        self.byteLimit = byteLimit
    }

    /// Adds numbers of results.
    mutating func add(_ other: [[UInt8]: Int]) throws(BatchError) {
        for (members, count) in other where !add(count, to: members) {
            throw BatchError(code: .tooManyGroups, detail: names.joined(separator: ","))
        }
    }

    /// Adds numbers of results, to ``others`` if there are too many groups.
    mutating func addWithOthers(_ other: [[UInt8]: Int]) {
        guard counts.count + other.count > groupLimit || byteCount + Self.byteCount(of: other) > byteLimit else {
            for (members, count) in other { _ = add(count, to: members) }
            return
        }
        // The order of a dictionary differs between runs, which must not decide the groups.
        for members in other.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let count = other[members] ?? 0
            if !add(count, to: members) { others += count }
        }
    }

    /// Returns false if there is no room for another group.
    private mutating func add(_ count: Int, to members: [UInt8]) -> Bool {
        if let known = counts[members] {
            counts[members] = known + count
            return true
        }
        guard counts.count < groupLimit, byteCount + members.count <= byteLimit else { return false }
        byteCount += members.count
        counts[members] = count
        return true
    }

    private static func byteCount(of groups: [[UInt8]: Int]) -> Int { groups.keys.reduce(0) { $0 + $1.count } }

    /// The groups: the largest first, and those of one size in the order of their JSON.
    public var groups: [Group] {
        let sorted = counts.sorted { left, right in
            left.value != right.value
                ? left.value > right.value : left.key.lexicographicallyPrecedes(right.key)
        }
        return sorted.map { Self.group($0.key, $0.value) }
    }

    private static func group(_ members: [UInt8], _ count: Int) -> Group {
        let object = [UInt8(ascii: "{")] + members.dropFirst() + [UInt8(ascii: "}")]
        var values: [String?] = []
        object.withRawSpan { span in
            JSONBytes.forEachMember(ofObjectAt: 0, in: span) { _, place in
                values.append(text(of: span.extracting(place)))
                return true
            }
        }
        return Group(values: values, json: String(decoding: object, as: UTF8.self), count: count)
    }

    private static func text(of value: RawSpan) -> String? {
        if let text = value.unescapedJSON { return String(decoding: text, as: UTF8.self) }
        return value.byteCount == 4 && value.byte(at: 0) == UInt8(ascii: "n") ? nil : value.text
    }
}

extension ResultCounts {
    /// Returns the header line and a line for each group, as CSV.
    ///
    /// - Parameter keepsDigits: As ``ResultContents/keepsDigits``.
    public func csv(keepsDigits: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        for name in names {
            CSV.append(name, to: &output)
            output.append(CSV.comma)
        }
        output += [UInt8]("count\r\n".utf8)
        for group in groups {
            for value in group.values {
                CSV.append(HiddenCharacters.escaped(value ?? ""), keepsDigits: keepsDigits, to: &output)
                output.append(CSV.comma)
            }
            output += [UInt8]("\(group.count)\r\n".utf8)
        }
        return output
    }
}
