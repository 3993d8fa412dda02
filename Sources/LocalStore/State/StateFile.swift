internal import ReceiptTypes
internal import ReceiptVerification

/// The file format of a ``SimulatorState``: a complete state, followed by the changes of later steps.
///
/// The first line has the format's name and version. Each further line is a record: a digest and JSON. The first record
/// is a complete state, each later one the changes of one step. A digest covers the record and the digest before it, so
/// a damaged, edited or missing record is detected. A simulator that continued from such a state would sign
/// transactions that never happened. An unfinished record at the end is what a crash leaves of a step that was not
/// saved, and is ignored.
///
/// In version 1, the first line also has the digest of a single record, which follows as JSON alone. In version 2, a
/// change names changed and removed elements by their positions.
public enum StateFile {
    /// The version that ``write(_:to:)`` writes.
    public static let version = 3

    private static let name = "local-store-state"
    /// The maximum size in bytes, far above that of a simulated year of a thousand customers.
    static let maximumSize = 1_073_741_824

    /// Reads a state file, and returns nil where the file does not exist.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unreadable-state`, `damaged-state` or `newer-state`.
    public static func read(_ path: String) throws(StoreSimulatorError) -> SimulatorState? {
        try StateLog.open(path)?.state
    }

    /// Writes a state file with the mode 0600, atomically replacing an existing one.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unwritable-state`.
    public static func write(_ state: SimulatorState, to path: String) throws(StoreSimulatorError) {
        _ = try StateLog.create(path, state)
    }

    // MARK: Writing

    /// Returns the content of a state file, with the place of its record; equal states have equal bytes.
    static func content(
        of state: SimulatorState
    ) throws(StoreSimulatorError) -> (bytes: [UInt8], place: StateIndex.Place) {
        let header = "\(name) \(version)"
        let (record, digest) = try record(of: state, after: header)
        let bytes = [UInt8]("\(header)\n".utf8) + record
        return (bytes, .init(lastRecord: header.utf8.count + 1, digest: digest, end: bytes.count))
    }

    /// Returns the line of a record and its digest.
    static func record(
        of value: some Encodable, after previous: String
    ) throws(StoreSimulatorError) -> (bytes: [UInt8], digest: String) {
        do {
            let body = try StateJSON.encode(value)
            let digest = try digest(of: body[...], after: previous)
            return ([UInt8]("\(digest) ".utf8) + body + [UInt8(ascii: "\n")], digest)
        } catch {
            throw StoreSimulatorError(.unwritableState, "the state cannot be encoded", underlying: error)
        }
    }

    private static func digest(of body: ArraySlice<UInt8>, after previous: String) throws -> String {
        try SHA256Digest.of(bytes: [UInt8](previous.utf8) + body).description
    }

    // MARK: Reading

    /// The content of a state file.
    struct Content {
        var state: SimulatorState
        /// The version of the format.
        var version: Int
        /// The last complete record.
        var place: StateIndex.Place
        /// The number of bytes of the complete state and the header.
        var baseCount: Int
        /// The number of bytes of all complete records and the header.
        var completeCount: Int { place.end }
    }

    /// Returns the state in the content of a state file.
    static func decode(_ bytes: [UInt8]) throws(StoreSimulatorError) -> Content {
        let header = try header(of: bytes)
        do {
            var content = try header.digest.map { try decodeSingle(bytes, $0, header.count) } ?? decodeRecords(bytes)
            if let inconsistency = content.state.inconsistency {
                throw StoreSimulatorError(.damagedState, inconsistency)
            }
            content.version = header.version
            return content
        } catch let error as StoreSimulatorError {
            throw error
        } catch {
            throw StoreSimulatorError(
                .damagedState, "the content is not the state of a store simulator", underlying: error)
        }
    }

    /// Returns the state in a file of version 1.
    private static func decodeSingle(_ bytes: [UInt8], _ digest: String, _ headerCount: Int) throws -> Content {
        let body = bytes.dropFirst(headerCount).dropLast()
        guard bytes.last == UInt8(ascii: "\n"), try self.digest(of: body, after: "").isIdentical(to: digest) else {
            throw mismatch
        }
        return Content(
            state: try StateJSON.decode(SimulatorState.self, from: body), version: 1,
            place: .init(lastRecord: headerCount, digest: digest, end: bytes.count), baseCount: bytes.count)
    }

    /// Returns the state in a file of version 2 or later.
    private static func decodeRecords(_ bytes: [UInt8]) throws -> Content {
        var lines = RecordLines(bytes)
        let header = lines.next() ?? []
        let start = lines.position
        guard let first = lines.next() else { throw mismatch }
        let (body, digest) = try verified(first, after: String(decoding: header, as: UTF8.self))
        var content = Content(
            state: try StateJSON.decode(SimulatorState.self, from: body), version: version,
            place: .init(lastRecord: start, digest: digest, end: lines.position), baseCount: lines.position)
        for change in try changes(&lines, after: digest) {
            guard change.change.apply(to: &content.state) else {
                throw StoreSimulatorError(.damagedState, "a step does not follow from the step before")
            }
            (content.place.digest, content.place.lastRecord) = (change.digest, change.start)
        }
        content.place.end = lines.position
        return content
    }

    /// A change of one step, with the place of its record.
    struct RecordedChange {
        let change: StateChange
        let digest: String
        let start: Int
        let line: ArraySlice<UInt8>
    }

    /// Returns the changes in the remaining complete lines.
    static func changes(_ lines: inout RecordLines, after previous: String) throws -> [RecordedChange] {
        var changes: [RecordedChange] = []
        var previous = previous
        var start = lines.position
        while let line = lines.next() {
            let (body, digest) = try verified(line, after: previous)
            changes.append(
                RecordedChange(
                    change: try StateJSON.decode(StateChange.self, from: body), digest: digest, start: start,
                    line: line))
            (previous, start) = (digest, lines.position)
        }
        return changes
    }

    private static var mismatch: StoreSimulatorError {
        StoreSimulatorError(.damagedState, "the content does not match its digest")
    }

    /// Returns the JSON of a record, without comparing its digest.
    static func body(ofRecord line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.dropFirst(2 * SHA256Digest.count + 1)
    }

    /// Returns the JSON of a record, and its digest after comparing it.
    private static func verified(
        _ line: ArraySlice<UInt8>, after previous: String
    ) throws -> (body: ArraySlice<UInt8>, digest: String) {
        let digest = String(decoding: line.prefix(2 * SHA256Digest.count), as: UTF8.self)
        guard line.dropFirst(2 * SHA256Digest.count).first == UInt8(ascii: " ") else { throw mismatch }
        let body = body(ofRecord: line)
        guard try self.digest(of: body, after: previous).isIdentical(to: digest) else { throw mismatch }
        return (body, digest)
    }

    private static func header(
        of bytes: [UInt8]
    ) throws(StoreSimulatorError) -> (version: Int, digest: String?, count: Int) {
        let unknown = StoreSimulatorError(.damagedState, "the file is not a state file of a store simulator")
        // The name, a version of at most nine digits, and in version 1 the digest in hexadecimal.
        let limit = name.utf8.count + 1 + 9 + 1 + 2 * SHA256Digest.count
        guard let end = bytes.prefix(limit + 1).firstIndex(of: UInt8(ascii: "\n")) else { throw unknown }
        let words = bytes[..<end].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count >= 2, words[0].isIdentical(to: name), let number = Int(words[1]),
            "\(number)".isIdentical(to: words[1]), number > 0
        else { throw unknown }
        guard number <= version else {
            throw StoreSimulatorError(
                .newerState, "the state has version \(number); this version reads only versions 1 to \(version)")
        }
        guard words.count == (number == 1 ? 3 : 2) else { throw unknown }
        return (number, number == 1 ? words[2] : nil, end + 1)
    }
}

/// The complete lines of a state file, or of its end.
struct RecordLines {
    private let bytes: [UInt8]
    /// The start of the next line.
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the next line without its newline; nil at the end, or before an unfinished record.
    ///
    /// A last line with a zero byte is unfinished too: after a power failure, a file can be longer than what was
    /// written, with zeros at the end. JSON contains none.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = bytes.firstIndex(of: "\n", from: position) else { return nil }
        let line = bytes[position..<end]
        if end + 1 == bytes.count, line.contains(0) { return nil }
        position = end + 1
        return line
    }
}
