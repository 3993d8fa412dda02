internal import CSQLite
internal import ReceiptVerification

/// An error of SQLite; the transaction in which it happened has changed nothing.
package struct SQLiteError: Error {
    /// The kind of error; its raw value is a stable name in kebab case.
    package enum Code: String, Sendable {
        case notOpened = "not-opened"
        /// Something has the name of a rollback journal beside a database that has none.
        case foreignJournal = "foreign-journal"
        case busy
        case diskFull = "disk-full"
        case readOnly = "read-only"
        case inputOutput = "input-output"
        /// The content of the file is damaged, or the file is not a database.
        case damaged
        case constraint
        case outOfMemory = "out-of-memory"
        case misuse
    }

    package let code: Code
    /// What failed, in one sentence without a final full stop.
    package let message: String
    /// The error that caused this one.
    package let underlying: (any Error)?

    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        (self.code, self.message, self.underlying) = (code, message, underlying)
    }

    /// Creates an error from SQLite's extended result code, which names a file that SQLite was not allowed to open.
    ///
    /// - Parameter database: The path of the database.
    init(resultCode: Int32, _ message: String, database: String) {
        switch resultCode {
        case SQLiteFiles.foreignJournalResult:
            let journal = database + SQLiteFiles.journal
            self.init(.foreignJournal, "\(journal) does not belong to the database, which has no rollback journal")
        case SQLiteFiles.untrustedResult:
            let error = SQLiteFiles.objection(to: database)
            self.init(.notOpened, error?.message ?? "a file beside \(database) cannot be used", underlying: error)
        default:
            self.init(Code(resultCode: resultCode), "\(message) (SQLite error \(resultCode))")
        }
    }
}

/// The errors of a module that uses SQLite, into which a ``Connection`` and its rows convert theirs.
package protocol SQLiteErrors {
    associatedtype Failure: Error

    static func failure(_ error: SQLiteError) -> Failure
    /// Returns whether another connection holds the lock longer than this one waits.
    static func isBusy(_ failure: Failure) -> Bool
}

extension SQLiteError.Code {
    /// Creates the code for an extended result code, whose lowest byte is the primary result code.
    fileprivate init(resultCode: Int32) {
        self =
            switch resultCode & 0xff {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_FULL: .diskFull
            case SQLITE_READONLY, SQLITE_PERM: .readOnly
            case SQLITE_IOERR: .inputOutput
            case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
            case SQLITE_CANTOPEN: .notOpened
            case SQLITE_CONSTRAINT: .constraint
            case SQLITE_NOMEM: .outOfMemory
            default: .misuse
            }
    }
}
