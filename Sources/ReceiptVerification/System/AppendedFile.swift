internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file with mode 0600 that grows at its end, and is replaced as a whole now and then.
///
/// The value remembers the file as this process last saw it. If another process has appended to it or replaced it
/// since, the next write fails with the code `mismatched` and changes nothing.
package struct AppendedFile: Sendable {
    /// The path of the file.
    package let path: String
    /// The number of bytes from the start that ``append(_:)`` keeps; bytes after them are an unfinished write.
    package private(set) var keptCount: Int
    private var seen: Seen

    /// The state of the file when this process last read or wrote it.
    private struct Seen: Equatable {
        var identity: FileIdentity
        var size: Int

        init(_ descriptor: Int32) throws(FileError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else {
                throw FileError(code: .unreadable, path: "", systemError: errno)
            }
            identity = FileIdentity(status)
            size = Int(status.st_size)
        }
    }

    private init(path: String, seen: Seen) {
        self.path = path
        self.seen = seen
        keptCount = seen.size
    }

    /// Opens a file and returns it with its content; nil if there is no file.
    ///
    /// A file that other users can access is an error.
    package static func read(
        _ path: String, maximumCount: Int
    ) throws(FileError) -> (file: AppendedFile, bytes: [UInt8])? {
        guard let (file, parts) = try read(path, from: [0], maximumCount: maximumCount) else { return nil }
        return (file, parts.last ?? [])
    }

    /// Opens a file and returns it with parts of its content; nil if there is no file.
    ///
    /// A file that other users can access is an error. An offset after the end has an empty part.
    ///
    /// - Parameters:
    ///   - offsets: The offsets at which the parts begin. Each part but the last has at most `headCount` bytes; the
    ///     last one goes to the end of the file.
    package static func read(
        _ path: String, from offsets: [Int], headCount: Int = 0, maximumCount: Int
    ) throws(FileError) -> (file: AppendedFile, parts: [[UInt8]])? {
        let descriptor = unsafe open(path.systemPath, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError(code: .unreadable, path: path, systemError: errno)
        }
        defer { _ = close(descriptor) }
        try PrivateFile.requireContents(descriptor, path)
        try PrivateFile.requireSecret(descriptor, path)
        var seen = try Seen(descriptor)
        var parts: [[UInt8]] = []
        for (index, offset) in offsets.enumerated() {
            let start = min(max(0, offset), seen.size)
            guard lseek(descriptor, off_t(start), SEEK_SET) >= 0 else {
                throw FileError(code: .unreadable, path: path, systemError: errno)
            }
            if index < offsets.count - 1 {
                parts.append(try PrivateFile.readHead(descriptor, path, headCount))
            } else {
                parts.append(try PrivateFile.readAll(descriptor, path, maximumCount))
                // Another process may have appended between the calls; what counts is what was read.
                seen.size = start + parts[index].count
            }
        }
        return (AppendedFile(path: path, seen: seen), parts)
    }

    /// Writes a file, atomically replacing an existing one.
    package static func write(_ path: String, _ bytes: [UInt8]) throws(FileError) -> AppendedFile {
        let temporary = PrivateFile.temporaryPath(for: path)
        try PrivateFile.write(temporary, bytes)
        let descriptor = unsafe open(temporary.systemPath, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { _ = close(descriptor) } }
        guard descriptor >= 0, let seen = try? Seen(descriptor),
            unsafe rename(temporary.systemPath, path.systemPath) == 0
        else {
            let error = errno
            _ = unsafe unlink(temporary.systemPath)
            throw FileError(code: .unwritable, path: path, systemError: error)
        }
        return AppendedFile(path: path, seen: seen)
    }

    /// Keeps only the first bytes of the file; the next ``append(_:)`` removes the others.
    package mutating func keep(_ count: Int) {
        keptCount = min(max(0, count), keptCount)
    }

    /// Writes bytes after the kept ones and waits until they are on the disk; if that fails, the file keeps its
    /// content.
    ///
    /// - Throws: ``FileError`` with the code `mismatched` if another process has changed the file.
    package mutating func append(_ bytes: [UInt8]) throws(FileError) {
        let descriptor = try openLocked()
        defer { _ = close(descriptor) }
        var failure = ftruncate(descriptor, off_t(keptCount)) == 0 ? nil : errno
        if failure == nil, lseek(descriptor, 0, SEEK_END) < 0 { failure = errno }
        if failure == nil { failure = PrivateFile.writeAll(bytes, to: descriptor) }
        if failure == nil { failure = PrivateFile.synchronize(descriptor) }
        if let failure {
            // Where this fails too, the rest is an unfinished write, which a reader ignores.
            _ = ftruncate(descriptor, off_t(keptCount))
            if let now = try? Seen(descriptor) { seen = now }
            throw FileError(code: .unwritable, path: path, systemError: failure)
        }
        keptCount += bytes.count
        seen.size = keptCount
    }

    /// Replaces the file atomically: the bytes are written to a temporary file, synced, and renamed.
    ///
    /// - Throws: ``FileError`` with the code `mismatched` if another process has changed the file.
    package mutating func replace(_ bytes: [UInt8]) throws(FileError) {
        // The lock on the old file keeps other processes from appending to a file that is about to disappear.
        let descriptor = try openLocked()
        defer { _ = close(descriptor) }
        self = try Self.write(path, bytes)
    }

    /// Opens and locks the file for writing, and checks that no other process has changed it.
    ///
    /// Closing the descriptor releases the lock.
    private func openLocked() throws(FileError) -> Int32 {
        let descriptor = unsafe open(path.systemPath, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(code: .unwritable, path: path, systemError: errno) }
        var failure: FileError?
        while flock(descriptor, LOCK_EX) != 0 {
            if errno == EINTR { continue }
            failure = FileError(code: .unwritable, path: path, systemError: errno)
            break
        }
        // Compared after locking, with the file at the path: the file may have been replaced before the lock was taken.
        let current = unsafe open(path.systemPath, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if failure == nil {
            let isSame = current >= 0 && (try? Seen(current)) == seen && (try? Seen(descriptor)) == seen
            if !isSame { failure = FileError(code: .mismatched, path: path) }
        }
        if current >= 0 { _ = close(current) }
        if let failure {
            _ = close(descriptor)
            throw failure
        }
        return descriptor
    }
}
