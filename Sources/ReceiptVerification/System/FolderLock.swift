internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A lock of a folder, in which several processes make files that belong together.
///
/// The folder may be one that other users can change. For files that decide what is trusted, use ``PrivateFolder``.
package enum FolderLock {
    /// The longest wait: 2,000 times 5 milliseconds.
    private static let attempts = 2_000
    private static let pause: UInt32 = 5_000

    /// Runs `body` while no other process, and no other task of this one, runs code under the lock of a folder.
    ///
    /// The lock ends with the process. On a file system without locks, `body` runs without one.
    ///
    /// - Throws: `FileError` with the code `busy` if other processes keep the lock for ten seconds.
    package static func whileLocked<Result>(
        _ folder: String, _ body: () throws(FileError) -> Result
    ) throws(FileError) -> Result {
        let descriptor = FileDescriptor(unsafe open(folder.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard descriptor.isOpen else { throw FileError(code: .unreadable, path: folder, systemError: errno) }
        var attempts = attempts
        while !FileLock.exclusive.take(descriptor.number) {
            attempts -= 1
            guard attempts > 0 else { throw FileError(code: .busy, path: folder) }
            usleep(pause)
        }
        defer { FileLock.exclusive.release(descriptor.number) }
        return try body()
    }
}
