internal import ReceiptTypes

/// The names and paths of the values in some records, to suggest one of them in place of a wrong name.
package struct FieldNames: Sendable {
    static let maximumCount = 50
    private static let maximumDepth = 6

    private(set) var all: [String] = []
    /// The names of values that are receipts.
    private(set) var ofReceipts: [String] = []

    /// Adds the paths of the values in a record that are no objects.
    ///
    /// - Parameter prefix: The name of the column of which the record is a cell; empty if it is none.
    mutating func add(of root: JSONNode, prefix: String = "") { add(of: root, prefix: prefix, depth: 0) }

    /// The depth bounds the recursion.
    private mutating func add(of node: borrowing JSONNode, prefix: String, depth: Int) {
        guard depth < Self.maximumDepth, all.count < Self.maximumCount else { return }
        if node.isArray {
            if let first = node.element(0) { add(of: first, prefix: prefix + "[]", depth: depth + 1) }
            return
        }
        guard node.isObject else {
            let isReceipt = if let text = node.string { JWSForm.matchesSegments(text.array) } else { false }
            if !prefix.isEmpty { add(prefix, isReceipt: isReceipt) }
            return
        }
        node.forEachMember { name, value in
            let name = FieldPath.escaped(name.text)
            add(of: value, prefix: prefix.isEmpty ? name : "\(prefix).\(name)", depth: depth + 1)
            return all.count < Self.maximumCount
        }
    }

    mutating func add(_ name: String, isReceipt: Bool) {
        if all.count < Self.maximumCount, !all.contains(name) { all.append(name) }
        if isReceipt, ofReceipts.count < Self.maximumCount, !ofReceipts.contains(name) { ofReceipts.append(name) }
    }

    /// Returns the most similar name; a path is also found by its last name.
    package static func nearest(to name: String, in names: [String]) -> String? {
        if let nearest = NearestWord.to(name, in: names) { return nearest }
        let last = names.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
        guard let nearest = NearestWord.to(name, in: last) else { return nil }
        return zip(names, last).first { $0.1 == nearest }?.0
    }
}
