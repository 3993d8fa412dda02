public import PurchaseCore
internal import SQLite

/// The file of a ``SimulatorState``: a SQLite database, in which a step writes what it changes in one transaction.
///
/// Each row has a digest, and the number of rows is stored, so a damaged, edited or missing row is detected. A
/// simulator that continued from such a state would sign transactions that never happened.
public enum StateFile {
    /// The version that ``write(_:to:)`` writes.
    public static let version = 1

    /// Reads a state file, and returns nil where the file does not exist.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unreadable-state`, `damaged-state` or `newer-state`.
    public static func read(_ path: String) throws(StoreSimulatorError) -> SimulatorState? {
        try StateDatabase.open(path)?.state
    }

    /// Writes a state file with the mode 0600, atomically replacing an existing one.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unwritable-state`.
    public static func write(_ state: SimulatorState, to path: String) throws(StoreSimulatorError) {
        _ = try StateDatabase.create(path, state)
    }

    /// Returns the paths of a state file and of the files that SQLite keeps beside it for a time.
    package static func paths(of path: String) -> [String] { [path] + SQLiteFiles.suffixes.map { path + $0 } }
}
