internal import ReceiptTypes
internal import ReceiptVerification

/// Where each transaction stands in a state file.
///
/// A transaction that its customer has finished long ago matters to no later purchase or renewal, so an index does not
/// contain it. The table makes it possible to read such a transaction alone, for example for its refund.
///
/// The table is text, with one line of numbers for each version of a transaction: offset and length of its JSON in the
/// file, its number, the number of the original transaction and of the paying member's transaction (each 0 where there
/// is no other), and the first bytes of the digest of the JSON. It is parsed only when a transaction is looked up.
struct TransactionTable: Sendable {
    /// A line of the table.
    struct Entry: Sendable, Hashable {
        /// The offset of the transaction's JSON in the state file.
        var offset: Int
        /// The number of bytes of that JSON.
        var count: Int
        var number: Int64
        var originalNumber: Int64
        var sharedFrom: Int64?
        /// The first bytes of the digest of the JSON.
        var checksum: UInt32
    }

    /// The lines. A later version of a transaction stands after the earlier ones.
    private(set) var text: [UInt8]

    init(text: [UInt8] = []) {
        self.text = text
    }

    // MARK: Adding

    /// Adds the transactions of all records of a state file.
    mutating func add(fileContent bytes: [UInt8]) throws {
        var lines = RecordLines(bytes)
        // The header.
        _ = lines.next()
        var start = lines.position
        while let line = lines.next() {
            try add(record: line, at: start)
            start = lines.position
        }
    }

    /// Adds the transactions of a record.
    ///
    /// - Parameter offset: The offset of the record in the state file.
    mutating func add(record: ArraySlice<UInt8>, at offset: Int) throws {
        for json in RecordOutline.transactions(in: StateFile.body(ofRecord: record)) {
            guard let entry = try Entry(json, offset: offset + json.startIndex - record.startIndex) else { continue }
            add(entry)
        }
    }

    private mutating func add(_ entry: Entry) {
        text += "\(entry.line)\n".utf8
    }

    /// Returns a table with the last version of each transaction in a list.
    func limited(to transactions: [StoredTransaction]) -> TransactionTable {
        let last = Dictionary(entries.map { ($0.number, $0) }, uniquingKeysWith: { _, later in later })
        var table = TransactionTable()
        for transaction in transactions {
            if let entry = last[transaction.number] { table.add(entry) }
        }
        return table
    }

    // MARK: Looking up

    /// The entries of all lines.
    var entries: [Entry] {
        var entries: [Entry] = []
        var words: [Int64] = [0]
        for byte in text {
            switch byte {
            case UInt8(ascii: "\n"):
                if let entry = Entry(words) { entries.append(entry) }
                words.replaceSubrange(words.indices, with: CollectionOfOne(0))
            case UInt8(ascii: " "): words.append(0)
            default:
                // A number that is too large has no transaction.
                let (tens, isTooLarge) = words[words.endIndex - 1].multipliedReportingOverflow(by: 10)
                let (sum, isSumTooLarge) = tens.addingReportingOverflow(Int64(byte) - Int64(UInt8(ascii: "0")))
                words[words.endIndex - 1] = isTooLarge || isSumTooLarge ? 0 : sum
            }
        }
        return entries
    }

    /// Returns what a refund of a transaction, or finishing it, looks at: the transaction, the others of its
    /// subscription, and its family-shared copies; empty if there is no such transaction.
    func entries(around number: Int64) -> [Entry] {
        let entries = entries
        guard let wanted = entries.last(where: { $0.number == number }) else { return [] }
        let related = entries.filter { $0.originalNumber == wanted.originalNumber || $0.sharedFrom == number }
        return Array(Dictionary(related.map { ($0.number, $0) }, uniquingKeysWith: { _, later in later }).values)
    }
}

extension TransactionTable.Entry {
    /// Creates the entry of a transaction's JSON; nil if it has no numbers.
    fileprivate init?(_ json: ArraySlice<UInt8>, offset: Int) throws {
        var numbers: [String: Int64] = [:]
        for (name, value) in RecordOutline.members(of: json) {
            numbers[String(decoding: name, as: UTF8.self)] = Int64(String(decoding: value, as: UTF8.self))
        }
        guard let number = numbers["number"], let original = numbers["originalNumber"] else { return nil }
        self.init(
            offset: offset, count: json.count, number: number, originalNumber: original,
            sharedFrom: numbers["sharedFrom"], checksum: try Self.checksum(of: json))
    }

    /// Creates the entry of a line; nil if it has another number of words.
    fileprivate init?(_ words: [Int64]) {
        guard words.count == 6 else { return nil }
        self.init(
            offset: Int(clamping: words[0]), count: Int(clamping: words[1]), number: words[2],
            originalNumber: words[3] == 0 ? words[2] : words[3], sharedFrom: words[4] == 0 ? nil : words[4],
            checksum: UInt32(clamping: words[5]))
    }

    fileprivate var line: String {
        "\(offset) \(count) \(number) \(originalNumber == number ? 0 : originalNumber) \(sharedFrom ?? 0) \(checksum)"
    }

    private static func checksum(of json: ArraySlice<UInt8>) throws -> UInt32 {
        try SHA256Digest.of(bytes: [UInt8](json)).bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns the transaction in the bytes at the entry's offset; nil if they are not its JSON.
    func transaction(in bytes: ArraySlice<UInt8>) throws -> StoredTransaction? {
        guard bytes.count == count, try Self.checksum(of: bytes) == checksum else { return nil }
        let transaction = try StateJSON.decode(StoredTransaction.self, from: bytes)
        return transaction.number == number ? transaction : nil
    }
}

/// Finds the transactions in the JSON of a record without decoding it.
///
/// The JSON is well-formed and has no space between its tokens, as ``StateJSON`` writes it.
private enum RecordOutline {
    /// Returns the JSON of each transaction that a record contains: of a complete state, or added and changed by a
    /// step.
    static func transactions(in body: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        guard let value = member("transactions", of: body) else { return [] }
        if value.first == UInt8(ascii: "[") { return parts(of: value) }
        return ["changed", "added"].flatMap { name in member(name, of: value).map { parts(of: $0) } ?? [] }
    }

    /// Returns the names and values of an object's members.
    static func members(of object: ArraySlice<UInt8>) -> [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] {
        parts(of: object).compactMap { part in
            // The names in a state have no escapes.
            guard let end = part.dropFirst().firstIndex(of: UInt8(ascii: "\"")), end + 1 < part.endIndex else {
                return nil
            }
            return (part[part.startIndex + 1..<end], part[(end + 2)...])
        }
    }

    private static func member(_ name: String, of object: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        members(of: object).first { $0.name.elementsEqual(name.utf8) }?.value
    }

    /// Returns what stands between the commas of an array or of an object.
    private static func parts(of container: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        let content = container.dropFirst().dropLast()
        var (start, depth) = (content.startIndex, 0)
        JSONDelimiters.forEach(in: content) { position, mark in
            switch mark {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                parts.append(content[start..<position])
                start = position + 1
            default: break
            }
        }
        if start < content.endIndex { parts.append(content[start...]) }
        return parts
    }
}
