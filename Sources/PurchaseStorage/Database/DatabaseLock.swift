import PurchaseCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The lock file beside a database: shared by all transactions, exclusive while the database file is replaced.
///
/// SQLite's own locks belong to one file, so they cannot protect its replacement by another one. The file also contains a
/// note, which says that a database was created here; the file of the lock is never removed.
final class DatabaseLock: Sendable {
    private let descriptor: Int32
    private let path: String
    /// The longest wait for another process, in milliseconds.
    private let timeout: Int32

    /// Opens the file of a lock, and creates it with mode 0600.
    init(path: String, timeout: Int32) throws(DatabaseError) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        self.path = path
        self.timeout = max(0, timeout)
        guard descriptor >= 0 else { throw DatabaseError(systemError: errno, "the lock \(path) cannot be opened") }
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Runs `body` while the database file is not replaced.
    func shared<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        try locked(LOCK_SH, body)
    }

    /// Runs `body` while no transaction runs, in this process or in another one.
    func exclusive<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        try locked(LOCK_EX, body)
    }

    /// Runs `body` under a lock, which ends with the process; on a file system without locks, it runs without one.
    private func locked<Value>(
        _ kind: Int32, _ body: () throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        var waited: Int32 = 0
        while flock(descriptor, kind | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
            guard waited < timeout else { throw DatabaseError(.busy, "another process uses the database") }
            usleep(1_000)
            waited += 1
        }
        defer { _ = flock(descriptor, LOCK_UN) }
        return try body()
    }

    // MARK: Note

    private static let noteLimit = 64

    /// The note in the file; empty until a database was created, and nil if it is not one that this package writes.
    var note: String? {
        var bytes = [UInt8](repeating: 0, count: Self.noteLimit)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { return nil }
        let note = bytes.prefix(count)
        guard note.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || $0 == 0x2d }) else {
            return nil
        }
        return String(decoding: note, as: UTF8.self)
    }

    /// Replaces the note by capital letters, digits and hyphens; under the exclusive lock, or when there is none.
    func write(note: String) throws(DatabaseError) {
        let bytes = Array(note.utf8.prefix(Self.noteLimit))
        guard unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
            ftruncate(descriptor, off_t(bytes.count)) == 0, fsync(descriptor) == 0
        else { throw DatabaseError(systemError: errno, "the lock \(path) cannot be written") }
    }
}

extension DatabaseError {
    /// Creates an error from a system call's error number.
    init(systemError: Int32, _ message: String) {
        let code: Code =
            switch systemError {
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            case EROFS, EACCES, EPERM: .readOnly
            case ENOMEM: .outOfMemory
            case EIO: .inputOutput
            default: .notOpened
            }
        self.init(code, "\(message) (error \(systemError))")
    }
}
