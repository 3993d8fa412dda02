internal import CSQLite
import PurchaseCore

extension DatabaseError {
    /// Creates an error from SQLite's extended result code.
    init(resultCode: Int32, _ message: String) {
        self.init(.init(resultCode: resultCode), "\(message) (SQLite error \(resultCode))", resultCode: resultCode)
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
