internal import CSQLite
import PurchaseCore
internal import ReceiptVerification

extension DatabaseError {
    /// Creates an error from SQLite's extended result code.
    init(resultCode: Int32, _ message: String) {
        self.init(.init(resultCode: resultCode), "\(message) (SQLite error \(resultCode))", resultCode: resultCode)
    }

    /// Creates an error from SQLite's extended result code, which names a file that SQLite was not allowed to open.
    ///
    /// - Parameter database: The path of the database.
    init(resultCode: Int32, _ message: String, database: String) {
        switch resultCode {
        case SQLiteFiles.foreignJournalResult:
            let journal = database + SQLiteFiles.journal
            self.init(
                .foreignJournal, "\(journal) does not belong to the database, which has no rollback journal",
                resultCode: resultCode)
        case SQLiteFiles.untrustedResult:
            let error = SQLiteFiles.objection(to: database)
            self.init(
                .notOpened, error?.message ?? "a file beside \(database) cannot be used", resultCode: resultCode,
                underlying: error)
        default: self.init(resultCode: resultCode, message)
        }
    }

    /// Whether the content of the file explains the error: SQLite has no code of its own for a damaged name in the
    /// schema.
    var isOfDamage: Bool { code == .damaged || code == .misuse }
}

extension DatabaseError.Code {
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
