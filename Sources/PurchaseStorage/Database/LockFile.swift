import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file that processes lock, such as the one beside a database: shared by all transactions, exclusive while the
/// database file is replaced.
///
/// SQLite's own locks belong to one file, so they cannot protect its replacement by another one, and they have no
/// queue. Here each lock has a queue with one place: while a process waits there, no other one can take the lock, so a
/// process that takes it again and again keeps no other one waiting for longer than one transaction. The file also
/// contains a note, which says that a database was created beside it. One task at a time uses the value.
final class LockFile: Sendable {
    private let path: String
    /// The longest wait for another process, in milliseconds.
    let timeout: Int32
    /// Waits for one millisecond.
    let pause: @Sendable () -> Void
    /// The open file, which is another one after the file was removed or replaced.
    private let descriptor: Locked<Int32>

    /// Opens the file, and creates it with mode 0600.
    init(
        path: String, timeout: Int32, pause: @escaping @Sendable () -> Void = { usleep(1_000) }
    ) throws(DatabaseError) {
        self.path = path
        self.timeout = max(0, timeout)
        self.pause = pause
        descriptor = Locked(try Self.open(path))
    }

    deinit { _ = close(number) }

    private static func open(_ path: String) throws(DatabaseError) -> Int32 {
        _ = try DatabaseError.converting { () throws(FileError) in
            // The note is written in place.
            try PrivateFolder.containsTrusted(path: path, isOnlyName: true)
        }
        let number = unsafe systemOpen(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw DatabaseError(systemError: errno, "the lock \(path) cannot be opened") }
        return number
    }

    private var number: Int32 { descriptor.withLock { $0 } }

    // MARK: Locks

    /// Runs `body` while the database file is not replaced.
    func shared<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        try locked(.shared, body)
    }

    /// Runs `body` while no transaction runs, in this process or in another one.
    func exclusive<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        try locked(.exclusive, body)
    }

    /// Runs `body` while no other transaction writes; inside of ``shared(_:)``.
    func writing<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        try locked(.writing, body)
    }

    /// Runs `body`, which can wait, while the database file is not replaced.
    func sharedWhile<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await lockedWhile(.shared, body)
    }

    /// Runs `body`, which can wait, while no transaction runs, in this process or in another one.
    func exclusiveWhile<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await lockedWhile(.exclusive, body)
    }

    /// Runs `body` while the database file is not replaced; false, without running it, if that needs a wait.
    func sharedIfFree(_ body: () -> Void) -> Bool {
        let number = number
        guard FileLock.shared.take(number), hasPath(number) else { return false }
        defer { FileLock.shared.release(number) }
        body()
        return true
    }

    /// Runs `body` under a lock, which ends with the process; on a file system without locks, it runs without one.
    private func locked<Value>(
        _ lock: FileLock, _ body: () throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try acquire(lock)
        defer { lock.release(number) }
        return try body()
    }

    private func lockedWhile<Value>(_ lock: FileLock, _ body: () async throws -> Value) async throws -> Value {
        // On a thread of its own: another task that has the lock needs a thread to release it.
        try await OpenSSL.onThread { Result { () throws(DatabaseError) in try self.acquire(lock) } }.get()
        defer { lock.release(number) }
        return try await body()
    }

    /// The largest number of times that the file is opened again for one lock.
    private static let replacementLimit = 100

    private func acquire(_ lock: FileLock) throws(DatabaseError) {
        var waited: Int32 = 0
        var replacements = 0
        var lostNote: String?
        while true {
            let number = number
            try waitInQueue(for: lock, number, &waited)
            if hasPath(number) {
                do throws(DatabaseError) {
                    if let lostNote, note == "" { try write(note: lostNote) }
                } catch {
                    lock.release(number)
                    throw error
                }
                return
            }
            // Another program has removed or replaced the file. Other processes lock the one that has the path.
            guard replacements < Self.replacementLimit else { throw DatabaseError(.busy, "\(path) changes") }
            replacements += 1
            if let note, note != "" { lostNote = note }
            let opened = try Self.open(path)
            _ = close(number)
            descriptor.withLock { $0 = opened }
        }
    }

    private func waitInQueue(
        for lock: FileLock, _ number: Int32, _ waited: inout Int32
    ) throws(DatabaseError) {
        try wait(for: lock.queue, number, &waited)
        defer { lock.queue.release(number) }
        try wait(for: lock, number, &waited)
    }

    private func wait(for lock: FileLock, _ number: Int32, _ waited: inout Int32) throws(DatabaseError) {
        while !lock.take(number) {
            guard waited < timeout else { throw DatabaseError(.busy, "another process uses the database") }
            pause()
            waited += 1
        }
    }

    /// Returns whether the path still names an open file.
    private func hasPath(_ number: Int32) -> Bool {
        FileIdentity(descriptor: number).map { $0 == FileIdentity(path: path) } ?? false
    }

    // MARK: Note

    private static let noteLimit = 64

    /// The note in the file; empty until a database was created, and nil if it is not one that this package writes.
    var note: String? {
        var bytes = [UInt8](repeating: 0, count: Self.noteLimit)
        let count = unsafe pread(number, &bytes, bytes.count, 0)
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
        guard unsafe pwrite(number, bytes, bytes.count, 0) == bytes.count,
            ftruncate(number, off_t(bytes.count)) == 0
        else { throw DatabaseError(systemError: errno, "the lock \(path) cannot be written") }
        if let error = PrivateFile.synchronize(number) {
            throw DatabaseError(systemError: error, "the lock \(path) cannot be written to the disk")
        }
    }
}

// The C function, under a name that the method above does not shadow.
@unsafe
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    unsafe open(path.systemPath, flags, mode)
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
