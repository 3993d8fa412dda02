internal import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification
package import SQLite

typealias StateConnection = Connection<StoreSimulatorErrorCode>

/// A table of a ``StateDatabase``. Each row has a digest of its columns, so a damaged or edited row is detected.
struct StateTable: Sendable {
    let name: String
    /// The columns before the digest. The first one is the key; the last one is JSON, if the table has any.
    let columns: [String]
    private let insertion: String
    private let selection: String

    init(_ name: String, _ columns: [String]) {
        (self.name, self.columns) = (name, columns)
        let all = columns + ["digest"]
        let list = all.joined(separator: ", ")
        insertion =
            "INSERT OR REPLACE INTO \(name) (\(list)) VALUES (\(all.map { _ in "?" }.joined(separator: ", ")))"
        selection = "SELECT \(list) FROM \(name) "
    }

    /// Inserts a row, or replaces the one with its key.
    func put(_ values: [SQLiteValue], in connection: StateConnection) throws(StoreSimulatorError) {
        try connection.execute(insertion, values + [.blob(try digest(of: values))])
    }

    func delete(_ key: Int64, in connection: StateConnection) throws(StoreSimulatorError) {
        try connection.execute("DELETE FROM \(name) WHERE \(columns[0]) = ?", [.integer(key)])
    }

    /// Returns the columns of the rows of a condition, whose digests are right.
    func rows(
        _ condition: String, _ values: [SQLiteValue] = [], in connection: StateConnection
    ) throws(StoreSimulatorError) -> [[SQLiteValue]] {
        try connection.rows(selection + condition, values) { (row) throws(StoreSimulatorError) in
            var values: [SQLiteValue] = []
            for column in columns.indices { values.append(try row.value(Int32(column))) }
            guard try row.blob(Int32(columns.count)) == digest(of: values) else { throw Self.mismatch }
            return values
        }
    }

    /// Returns what the JSON of the rows of a condition contains.
    func elements<Element: Decodable>(
        _ condition: String, _ values: [SQLiteValue] = [], in connection: StateConnection
    ) throws(StoreSimulatorError) -> [Element] {
        var elements: [Element] = []
        for row in try rows(condition, values, in: connection) {
            guard case .text(let body)? = row.last else { throw Self.mismatch }
            do {
                elements.append(try StateJSON.decode(Element.self, from: [UInt8](body.utf8)[...]))
            } catch {
                throw StoreSimulatorError(
                    .damagedState, "the content is not the state of a store simulator", underlying: error)
            }
        }
        return elements
    }

    static var mismatch: StoreSimulatorError {
        StoreSimulatorError(.damagedState, "the content does not match its digest")
    }

    private func digest(of values: [SQLiteValue]) throws(StoreSimulatorError) -> [UInt8] {
        var bytes = [UInt8](name.utf8)
        for value in values {
            switch value {
            case .null: bytes += "\n-".utf8
            case .integer(let integer): bytes += "\n\(integer)".utf8
            case .text(let text): bytes += "\n\(text.utf8.count) \(text)".utf8
            case .blob(let blob): bytes += "\n\(blob.count) ".utf8 + blob
            }
        }
        do {
            return try SHA256Digest.of(bytes: bytes).bytes
        } catch {
            throw StoreSimulatorError(.unreadableState, "a digest cannot be computed", underlying: error)
        }
    }
}

extension StateTable {
    /// Encodes an element as the JSON of its row.
    static func body(_ value: some Encodable) throws(StoreSimulatorError) -> SQLiteValue {
        do {
            return .text(String(decoding: try StateJSON.encode(value), as: UTF8.self))
        } catch {
            throw StoreSimulatorError(.unwritableState, "the state cannot be encoded", underlying: error)
        }
    }
}

extension StoreSimulatorErrorCode: SQLiteErrors {
    package static func failure(_ error: SQLiteError) -> StoreSimulatorError {
        let isOfContent = [.damaged, .misuse, .constraint, .foreignJournal].contains(error.code)
        return StoreSimulatorError(isOfContent ? .damagedState : .unreadableState, error.message, underlying: error)
    }

    package static func isBusy(_ failure: StoreSimulatorError) -> Bool {
        (failure.underlying as? SQLiteError)?.code == .busy
    }
}
