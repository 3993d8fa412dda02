#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A lock of an open file: of the whole file, or of one of its bytes, which need not exist.
///
/// The locks belong to the open file, so they also exclude other tasks of the process that have opened it again.
package enum FileLock {
    /// The file, together with others.
    case shared
    /// The file.
    case exclusive
    /// The byte for the transaction that writes.
    case writing
    /// A place in a queue: the byte of the queue, together with others or alone.
    case place(Queue, isShared: Bool)

    /// The queues, with the positions of their bytes.
    package enum Queue: Int {
        case ofFile = 0
        case ofWriters = 1
    }

    private static let writersByte: off_t = 2

    /// The place where a process waits for the lock.
    package var queue: FileLock {
        switch self {
        // Shared locks do not exclude each other, so one waits only behind an exclusive one.
        case .shared: .place(.ofFile, isShared: true)
        case .exclusive: .place(.ofFile, isShared: false)
        case .writing: .place(.ofWriters, isShared: false)
        case .place: self
        }
    }

    /// Takes the lock; false if another open file has it. On a file system without locks, it counts as taken.
    package func take(_ file: Int32) -> Bool {
        switch self {
        case .shared: Self.isTaken(flock(file, LOCK_SH | LOCK_NB))
        case .exclusive: Self.isTaken(flock(file, LOCK_EX | LOCK_NB))
        case .writing: Self.isTaken(Self.set(Self.writersByte, F_WRLCK, file))
        case .place(let queue, let isShared):
            Self.isTaken(Self.set(off_t(queue.rawValue), isShared ? F_RDLCK : F_WRLCK, file))
        }
    }

    package func release(_ file: Int32) {
        switch self {
        case .shared, .exclusive: _ = flock(file, LOCK_UN)
        case .writing: _ = Self.set(Self.writersByte, F_UNLCK, file)
        case .place(let queue, _): _ = Self.set(off_t(queue.rawValue), F_UNLCK, file)
        }
    }

    private static func isTaken(_ result: Int32) -> Bool {
        result == 0 || ![EWOULDBLOCK, EAGAIN, EACCES, EINTR].contains(errno)
    }

    private static func set(_ byte: off_t, _ kind: some BinaryInteger, _ file: Int32) -> Int32 {
        var range = flock()
        range.l_type = Int16(kind)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = byte
        range.l_len = 1
        return unsafe fcntl(file, setLock, &range)
    }

    /// `F_OFD_SETLK`, whose locks belong to the open file as those of `flock` do; glibc does not show it to Swift.
    #if canImport(Darwin)
        private static let setLock: Int32 = 90
    #else
        private static let setLock: Int32 = 37
    #endif
}
