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
    private var counts: [GroupKey: Int] = [:]
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
    mutating func add(_ other: [GroupKey: Int]) throws(BatchError) {
        for (key, count) in other where !add(count, to: key) {
            throw BatchError(code: .tooManyGroups, detail: names.joined(separator: ","))
        }
    }

    /// Adds numbers of results, to ``others`` if there are too many groups.
    mutating func addWithOthers(_ other: [GroupKey: Int]) {
        guard counts.count + other.count > groupLimit || byteCount + Self.byteCount(of: other) > byteLimit else {
            for (key, count) in other { _ = add(count, to: key) }
            return
        }
        // The order of a dictionary differs between runs, which must not decide the groups.
        for (key, count) in other.sorted(by: { $0.key.precedes($1.key) }) where !add(count, to: key) {
            others += count
        }
    }

    /// Returns false if there is no room for another group.
    private mutating func add(_ count: Int, to key: GroupKey) -> Bool {
        if counts.increase(key, by: count) { return true }
        guard counts.count < groupLimit, byteCount + key.bytes.count <= byteLimit else { return false }
        byteCount += key.bytes.count
        counts[key] = count
        return true
    }

    private static func byteCount(of groups: [GroupKey: Int]) -> Int { groups.keys.reduce(0) { $0 + $1.bytes.count } }

    /// The groups: the largest first, and those of one size in the order of their JSON.
    public var groups: [Group] {
        let sorted = counts.sorted { left, right in
            left.value != right.value ? left.value > right.value : left.key.precedes(right.key)
        }
        return sorted.map { key, count in
            let (values, json) = key.read(names)
            return Group(values: values, json: json, count: count)
        }
    }
}

extension GroupKey {
    /// Returns the values as text, nil for null, and as a JSON object with names.
    func read(_ names: [String]) -> (values: [String?], json: String) {
        let array = [UInt8(ascii: "[")] + bytes.dropFirst() + [UInt8(ascii: "]")]
        var values: [String?] = []
        var names = names.makeIterator()
        var object: [UInt8] = []
        array.withRawSpan { array in
            JSONBytes.forEachElement(ofArrayAt: 0, in: array) { place in
                let value = array.extracting(place)
                values.append(Self.text(of: value))
                object.append(UInt8(ascii: object.isEmpty ? "{" : ","))
                JSONText.append(names.next() ?? "", to: &object)
                object.append(UInt8(ascii: ":"))
                object += value.array
            }
        }
        object.append(UInt8(ascii: "}"))
        return (values, String(decoding: object, as: UTF8.self))
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
