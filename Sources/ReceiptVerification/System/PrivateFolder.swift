internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A folder that only the user and root can change, and the private files in it.
///
/// A file is trusted if it is a regular file of the user with mode 0600 or stricter, in such a folder. Everything else
/// is an error regardless of its content, and nothing blocks: links are not followed, FIFOs and devices are not opened.
/// ``FolderPath`` has the rules for the folder.
///
/// New files are complete before they get their name. Several processes can therefore create one file at the same time,
/// and a process that is killed leaves either the complete file or none.
package struct PrivateFolder: ~Copyable {
    /// Code that runs before each operation on the file system; tests run another process at that point.
    package typealias Step = @Sendable () -> Void

    private let descriptor: FileDescriptor
    private let step: Step
    /// The path as the caller gave it.
    package let path: String
    /// Whether the folder belongs to the user, not to root.
    package let isOwn: Bool

    /// Opens a folder.
    ///
    /// - Parameter creating: Whether folders of the path that do not exist are created, with mode 0700.
    /// - Throws: `FileError`, with the code `shared-folder` if other users can change the folder or its path.
    package init(_ path: String, creating: Bool = false, step: @escaping Step = {}) throws(FileError) {
        let place = try FolderPath.open(path, creating: creating, step: step)
        // The walk needs only search permission; to synchronize a folder, it must be open for reading.
        let descriptor = FileDescriptor(unsafe openat(place.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard descriptor.isOpen else { throw FileError(code: .unreadable, path: path, systemError: errno) }
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else {
            throw FileError(code: .unreadable, path: path, systemError: errno)
        }
        self.descriptor = descriptor
        self.step = step
        self.path = path
        isOwn = status.st_uid == geteuid()
    }

    /// Returns the folder and the name in a path of a file.
    package static func parts(of path: String) throws(FileError) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", try checked(path, path)) }
        let name = String(path[path.index(after: slash)...])
        return (slash == path.startIndex ? "/" : String(path[..<slash]), try checked(name, path))
    }

    private static func checked(_ name: String, _ path: String) throws(FileError) -> String {
        guard !["", ".", ".."].contains(name) else { throw FileError(code: .notRegular, path: path) }
        return name
    }

    /// The path of a file in this folder.
    package func path(of name: String) -> String {
        switch path {
        case ".": name
        case "/": "/\(name)"
        default: "\(path)/\(name)"
        }
    }

    // MARK: Reading

    /// Returns the bytes of a file; nil if there is no file.
    ///
    /// - Throws: `FileError`, with one of the codes of ``FileError/isUntrusted`` if the file is not trusted.
    package func read(_ name: String, maximumCount: Int) throws(FileError) -> [UInt8]? {
        let path = path(of: name)
        step()
        // A device is not even opened: that alone can have an effect.
        var status = stat()
        guard unsafe fstatat(descriptor.number, name.systemPath, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw FileError(code: .unreadable, path: path, systemError: errno)
        }
        try Self.check(status, path)
        step()
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = FileDescriptor(unsafe openat(descriptor.number, name.systemPath, flags))
        guard file.isOpen else {
            if errno == ENOENT { return nil }
            throw FileError(code: .unreadable, path: path, systemError: errno)
        }
        guard unsafe fstat(file.number, &status) == 0 else {
            throw FileError(code: .unreadable, path: path, systemError: errno)
        }
        try Self.check(status, path)
        return try PrivateFile.readAll(file.number, path, maximumCount)
    }

    /// Returns whether an entry of any kind has this name.
    package func contains(_ name: String) -> Bool {
        step()
        var status = stat()
        return unsafe fstatat(descriptor.number, name.systemPath, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Returns whether a trusted file has this name; false if nothing has it.
    ///
    /// - Throws: `FileError`, with one of the codes of ``FileError/isUntrusted`` if the file is not trusted.
    package func containsTrusted(_ name: String) throws(FileError) -> Bool {
        step()
        var status = stat()
        guard unsafe fstatat(descriptor.number, name.systemPath, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return false }
            throw FileError(code: .unreadable, path: path(of: name), systemError: errno)
        }
        try Self.check(status, path(of: name))
        return true
    }

    /// Returns whether a trusted file has a path whose folder was checked before; false if nothing has it.
    ///
    /// - Parameter isOnlyName: Whether the file may have no other name, because it is written in place: a second name
    ///   can be that of any other file.
    /// - Throws: `FileError`, with one of the codes of ``FileError/isUntrusted`` if the file is not trusted.
    package static func containsTrusted(path: String, isOnlyName: Bool = false) throws(FileError) -> Bool {
        var status = stat()
        guard unsafe lstat(path.systemPath, &status) == 0 else {
            if errno == ENOENT { return false }
            throw FileError(code: .unreadable, path: path, systemError: errno)
        }
        try check(status, path)
        guard !isOnlyName || status.st_nlink == 1 else { throw FileError(code: .otherName, path: path) }
        return true
    }

    /// Returns the names of all entries except `.` and `..`, in any order.
    ///
    /// - Throws: `FileError`, with the code `too-large` if there are more entries than `maximumCount`.
    package func names(maximumCount: Int) throws(FileError) -> [String] {
        step()
        // A descriptor of its own, because a directory stream takes its descriptor over and moves its position.
        let number = unsafe openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0, let stream = unsafe fdopendir(number) else {
            let error = errno
            if number >= 0 { _ = close(number) }
            throw FileError(code: .unreadable, path: path, systemError: error)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            // `readdir` reports an error only by `errno`.
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            // Safe: the name ends with a zero byte and is valid until the next call.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: Self.maximumNameCount) {
                    unsafe String(systemPath: $0)
                }
            }
            if name == "." || name == ".." { continue }
            guard names.count < maximumCount else { throw FileError(code: .tooLarge, path: path) }
            names.append(name)
        }
        guard errno == 0 else { throw FileError(code: .unreadable, path: path, systemError: errno) }
        return names
    }

    /// The longest name of an entry, with its zero byte.
    private static let maximumNameCount = 256

    private static func check(_ status: stat, _ path: String) throws(FileError) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(code: .notRegular, path: path) }
        guard status.st_uid == geteuid() else { throw FileError(code: .otherOwner, path: path) }
        guard status.st_mode & 0o077 == 0 else { throw FileError(code: .tooOpen, path: path) }
    }

    // MARK: Writing

    /// Creates a file with mode 0600; returns false, and changes nothing, if the name is in use.
    package func create(_ name: String, _ bytes: [UInt8]) throws(FileError) -> Bool {
        let temporary = TemporaryName(for: name)
        defer { remove(temporary.text) }
        try write(temporary, for: name, bytes)
        return try publish(temporary.text, as: name)
    }

    /// Gives a complete file a name; returns false, and changes nothing, if the name is in use.
    ///
    /// Where the file system allows it, the file keeps its other name too.
    package func publish(_ temporary: String, as name: String) throws(FileError) -> Bool {
        step()
        guard unsafe linkat(descriptor.number, temporary.systemPath, descriptor.number, name.systemPath, 0) != 0 else {
            synchronize()
            return true
        }
        if errno == EEXIST { return false }
        // A file system without hard links: there, a lock keeps other processes from using the name in between.
        return try withLock(name) { () throws(FileError) in
            if contains(name) { return false }
            try rename(temporary, to: name)
            return true
        }
    }

    /// Writes a file with mode 0600 in the place of the entry that has the name.
    package func replace(_ name: String, _ bytes: [UInt8]) throws(FileError) {
        let temporary = TemporaryName(for: name)
        do throws(FileError) {
            try write(temporary, for: name, bytes)
            try rename(temporary.text, to: name)
        } catch {
            remove(temporary.text)
            throw error
        }
    }

    private func rename(_ temporary: String, to name: String) throws(FileError) {
        step()
        guard unsafe renameat(descriptor.number, temporary.systemPath, descriptor.number, name.systemPath) == 0 else {
            throw FileError(code: .unwritable, path: path(of: name), systemError: errno)
        }
        synchronize()
    }

    /// Gives the entry a second name, so that it survives a replacement; nothing happens if that is impossible.
    package func keep(_ name: String, as copy: String) {
        step()
        _ = unsafe linkat(descriptor.number, name.systemPath, descriptor.number, copy.systemPath, 0)
    }

    /// Removes an entry if it exists.
    package func remove(_ name: String) {
        step()
        _ = unsafe unlinkat(descriptor.number, name.systemPath, 0)
    }

    /// Removes the files that were not complete when the processes that wrote them were killed.
    ///
    /// Only regular files of the user with a name that this package gives are removed. An error leaves them.
    ///
    /// - Parameter name: The name that the files were to get; nil for any.
    package func removeUnfinished(for name: String? = nil) {
        for entry in (try? names(maximumCount: Self.sweptEntryCount)) ?? [] {
            guard let target = TemporaryName.target(ofAbandoned: entry), target == name ?? target else { continue }
            if (try? containsTrusted(entry)) == true { remove(entry) }
        }
    }

    /// The largest number of entries in a folder that is searched for files to remove.
    private static let sweptEntryCount = 100_000

    private func write(_ temporary: borrowing TemporaryName, for name: String, _ bytes: [UInt8]) throws(FileError) {
        step()
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = FileDescriptor(unsafe openat(descriptor.number, temporary.text.systemPath, flags, 0o600))
        guard file.isOpen else { throw FileError(code: .unwritable, path: path(of: name), systemError: errno) }
        step()
        var failure = PrivateFile.writeAll(bytes, to: file.number)
        step()
        if failure == nil { failure = PrivateFile.synchronize(file.number) }
        if let failure { throw FileError(code: .unwritable, path: path(of: name), systemError: failure) }
    }

    /// Makes new names survive a power failure, where the file system supports it.
    private func synchronize() {
        step()
        _ = PrivateFile.synchronize(descriptor.number)
    }

    // MARK: Lock

    /// One round of waiting: 100 times 5 milliseconds.
    private static let attempts = 100
    private static let pause: UInt32 = 5_000

    /// Runs `body` while no other process runs code under this lock.
    ///
    /// The lock ends with the process. On a file system without locks, `body` runs without one.
    ///
    /// - Parameters:
    ///   - queue: The name of an empty file, which is created if it does not exist. While a process waits for its place
    ///     in it, no other one can take the lock, so a process that takes it again and again keeps no other one waiting
    ///     for longer than once. Without the file, processes take the lock in any order.
    ///   - rounds: The longest wait, in half seconds.
    /// - Throws: `FileError` with the code `busy` if other processes keep the lock for longer.
    package func withLock<Result>(
        _ name: String, queue: String? = nil, rounds: Int = 1, _ body: () throws(FileError) -> Result
    ) throws(FileError) -> Result {
        try waitInQueue(queue, for: name, attempts: rounds * Self.attempts)
        defer { FileLock.exclusive.release(descriptor.number) }
        return try body()
    }

    private func waitInQueue(_ queue: String?, for name: String, attempts: Int) throws(FileError) {
        var attempts = attempts
        let lock = FileLock.exclusive
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = FileDescriptor(queue.map { unsafe openat(descriptor.number, $0.systemPath, flags, 0o600) } ?? -1)
        if file.isOpen { try wait(for: lock.queue, file.number, name, &attempts) }
        defer { if file.isOpen { lock.queue.release(file.number) } }
        try wait(for: lock, descriptor.number, name, &attempts)
    }

    private func wait(
        for lock: FileLock, _ number: Int32, _ name: String, _ attempts: inout Int
    ) throws(FileError) {
        step()
        while !lock.take(number) {
            attempts -= 1
            guard attempts > 0 else { throw FileError(code: .busy, path: path(of: name)) }
            usleep(Self.pause)
            step()
        }
    }
}
