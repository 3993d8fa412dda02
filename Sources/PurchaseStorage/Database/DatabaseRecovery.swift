public import ReceiptTypes

/// The report of a recovery: what was wrong with a database file, and what the new file has of it.
///
/// The new database keeps the report. The recovery is finished when the store's history was read again, because only
/// the store knows the purchases that could not be read.
public struct DatabaseRecovery: Sendable, Hashable, Identifiable {
    /// What was wrong with a file.
    public struct Finding: Sendable, Hashable, RawRepresentable {
        /// The stable name in kebab case, such as `missing-log`.
        public let rawValue: String

        /// Creates a finding of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The file is missing or empty, although a database was created at its path.
        public static let missing = Self(rawValue: "missing")
        /// The write-ahead log was removed, with purchases that the file does not have yet.
        public static let missingLog = Self(rawValue: "missing-log")
        /// The file is not a database, or its header, a table or an index is damaged.
        public static let malformed = Self(rawValue: "malformed")
        /// The structure of the file is sound, and rows have a wrong seal.
        public static let wrongSeals = Self(rawValue: "wrong-seals")

        var summary: String {
            switch self {
            case .missing: "the database file is missing or empty, and there was a database"
            case .missingLog: "the write-ahead log of the database was removed"
            case .wrongSeals: "rows of the database have a wrong seal"
            default: "the database file is damaged"
            }
        }
    }

    /// The number of the recovery.
    public let id: Int64
    /// What was wrong with the file.
    public let finding: Finding
    /// The first sign of the damage, for a log.
    public let detail: String
    /// The time of the recovery, by the device's clock.
    public let date: Timestamp
    /// The path of the damaged file, which has the files `-wal` and `-shm` beside it if they existed; nil if there was
    /// no file.
    public let damagedPath: String?
    /// The number of the rows in the new database, for each table of the damaged one.
    public let salvagedRows: [String: Int]
    /// The number of rows that could be read and are not in the new database, because a seal or a reference was wrong.
    public let rejectedRows: Int
    /// The keyed digests of the accounts whose history was read since.
    var readAccounts: [[UInt8]] = []
    /// The number of accounts that are remembered for a recovery.
    static let accountLimit = 1_000
}
