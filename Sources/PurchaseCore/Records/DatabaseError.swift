public import ReceiptTypes

/// An error of the purchase database; the transaction in which it happened has changed nothing.
public typealias DatabaseError = PartError<DatabaseErrorCode>

/// The stable reason of a database error.
public struct DatabaseErrorCode: ErrorCode {
    /// The stable name in kebab case, such as `disk-full`.
    public let rawValue: String

    /// Creates a code of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The file cannot be opened or created.
    public static let notOpened = Self(rawValue: "not-opened")
    /// Something has the name of a rollback journal beside a database that has none. SQLite would write its content
    /// over the database, so it is not opened.
    public static let foreignJournal = Self(rawValue: "foreign-journal")
    /// The write-ahead log is that of another database. SQLite would write its pages over the database.
    public static let foreignLog = Self(rawValue: "foreign-log")
    /// Another process holds the lock longer than the connection waits.
    public static let busy = Self(rawValue: "busy")
    /// The disk is full, or a quota is used up.
    public static let diskFull = Self(rawValue: "disk-full")
    /// The file or its folder is read-only.
    public static let readOnly = Self(rawValue: "read-only")
    /// The system could not read or write the file.
    public static let inputOutput = Self(rawValue: "input-output")
    /// The content of the file is damaged, or the file is not a database.
    public static let damaged = Self(rawValue: "damaged")
    /// The file is a database of another program.
    public static let otherProgram = Self(rawValue: "other-program")
    /// A newer version of this package has written the file.
    public static let newerSchema = Self(rawValue: "newer-schema")
    /// The database was written with another key.
    public static let wrongKey = Self(rawValue: "wrong-key")
    /// The database has no such purchase of this user.
    public static let notFound = Self(rawValue: "not-found")
    /// A row contradicts a rule of the schema.
    public static let constraint = Self(rawValue: "constraint")
    /// An allocation failed.
    public static let outOfMemory = Self(rawValue: "out-of-memory")
    /// SQLite rejected a call for a reason that the data does not explain.
    public static let misuse = Self(rawValue: "misuse")

    /// The codes of this version.
    public static let all: [Self] = [
        .notOpened, .foreignJournal, .foreignLog, .busy, .diskFull, .readOnly, .inputOutput, .damaged,
        .otherProgram, .newerSchema, .wrongKey, .notFound, .constraint, .outOfMemory, .misuse,
    ]
}

extension DatabaseError {
    /// What the app or the operator can do, in one sentence; nil for a code of another module.
    public var hint: String? {
        switch code {
        case .notOpened: "check that the folder exists, and that no other user can change it or the file"
        case .foreignJournal, .foreignLog: "open the database for writing, which sets the file aside, or remove it"
        case .busy: "end the process that uses the database, or try again"
        case .diskFull: "free space on the disk and try again"
        case .readOnly: "make the folder and the file writable for this user"
        case .inputOutput: "check the disk and its quota, and try again"
        case .damaged: "set the file aside and rebuild it from the store's history"
        case .otherProgram: "choose another path"
        case .newerSchema: "update the program that opens the database"
        case .wrongKey: "open the database with its own key; if that is lost, set the file aside and rebuild it"
        case .notFound: "record the purchase first"
        case .constraint: "report the error: the values contradict each other"
        case .outOfMemory: "free memory and try again"
        case .misuse: "report the error with its message, which names the call"
        default: nil
        }
    }
}
