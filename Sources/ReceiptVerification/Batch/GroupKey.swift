/// The values of fields by which results are counted: JSON, with a comma before each value.
///
/// Keys of the same fields are equal only if all their values are, because JSON shows where a value ends.
struct GroupKey: Sendable {
    var bytes: [UInt8] = []

    /// Whether the values come before those of another key: the order of JSON objects with the values.
    func precedes(_ other: GroupKey) -> Bool { bytes.lexicographicallyPrecedes(other.bytes) }
}

extension GroupKey: Hashable {
    static func == (left: GroupKey, right: GroupKey) -> Bool {
        left.bytes.withRawSpan { left in right.bytes.withRawSpan { left.isEqual(to: $0) } }
    }

    /// Feeds all bytes at once, which takes a fraction of the time that an array takes to feed each of its elements.
    func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension Dictionary where Key == GroupKey, Value == Int {
    /// Adds to the number of a key; returns false if the dictionary does not have the key.
    mutating func increase(_ key: GroupKey, by count: Int) -> Bool {
        guard let index = index(forKey: key) else { return false }
        values[index] += count
        return true
    }
}
