internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The operating system calls that tools need, without pointers in their signatures.
package enum SystemCalls {
    /// The error of a failed call.
    package struct Failure: Error, CustomStringConvertible {
        /// The value of `errno`.
        package let number: Int32

        /// The failure for something other than a regular file where one is needed.
        package static var notAFile: Failure { Failure(number: -1) }

        package var description: String { number == -1 ? "not a regular file" : reason }

        /// The system's message, starting in lower case.
        package var reason: String {
            // Safe: the string that strerror returns stays valid until the next call, and is copied immediately.
            let text = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
            return text.prefix(1).lowercased() + text.dropFirst()
        }

        package var isBrokenPipe: Bool { number == EPIPE }
        package var isAbsent: Bool { number == ENOENT || number == ENOTDIR || number == ENAMETOOLONG }
    }

    /// The kind of file at a path.
    package enum FileKind: Equatable {
        case regular(permissions: UInt32)
        case directory
        case other
    }

    package static func kind(ofFileAt path: String) throws(Failure) -> FileKind {
        var status = stat()
        guard unsafe stat(path.systemPath, &status) == 0 else { throw Failure(number: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .regular(permissions: UInt32(status.st_mode & 0o777))
        case S_IFDIR: return .directory
        default: return .other
        }
    }

    package static func exists(_ path: String) -> Bool { (try? kind(ofFileAt: path)) != nil }

    package static func openForReading(_ path: String) throws(Failure) -> Int32 {
        try check(unsafe open(path.systemPath, O_RDONLY | O_CLOEXEC))
    }

    /// How a file is opened for writing; it is created if it does not exist.
    package enum Opening {
        /// The file must not exist yet.
        case new
        /// An existing file is truncated.
        case truncating
        /// An existing file keeps its content.
        case keeping
        /// The file must exist; it is neither created nor truncated, as fits a pipe or a device.
        case existing

        fileprivate var flags: Int32 {
            switch self {
            case .new: O_CREAT | O_EXCL
            case .truncating: O_CREAT | O_TRUNC
            case .keeping: O_CREAT
            case .existing: 0
            }
        }
    }

    package static func openForWriting(
        _ path: String,
        _ opening: Opening,
        permissions: UInt32 = 0o666
    ) throws(Failure) -> Int32 {
        try check(unsafe open(path.systemPath, O_WRONLY | O_CLOEXEC | opening.flags, mode_t(permissions)))
    }

    /// Locks an open file for this process; returns false if another process holds the lock.
    package static func lock(_ descriptor: Int32) throws(Failure) -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return true }
        guard errno == EWOULDBLOCK else { throw Failure(number: errno) }
        return false
    }

    /// Suspends the thread; a signal can end the pause early.
    package static func pause(milliseconds: Int) {
        var time = timespec()
        time.tv_sec = time_t(clamping: milliseconds / 1000)
        time.tv_nsec = Int(milliseconds % 1000) * 1_000_000
        _ = unsafe nanosleep(&time, nil)
    }

    package static func size(of descriptor: Int32) throws(Failure) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure(number: errno) }
        return Int(status.st_size)
    }

    /// Truncates a file and moves the write position to its end.
    package static func truncate(_ descriptor: Int32, to count: Int) throws(Failure) {
        _ = try check(ftruncate(descriptor, off_t(count)))
        guard lseek(descriptor, 0, SEEK_END) >= 0 else { throw Failure(number: errno) }
    }

    package static func setPermissions(_ permissions: UInt32, of descriptor: Int32) throws(Failure) {
        _ = try check(fchmod(descriptor, mode_t(permissions)))
    }

    package static func synchronize(_ descriptor: Int32) throws(Failure) {
        _ = try check(fsync(descriptor))
    }

    package static func close(_ descriptor: Int32) throws(Failure) {
        #if canImport(Darwin)
            _ = try check(Darwin.close(descriptor))
        #elseif canImport(Glibc)
            _ = try check(Glibc.close(descriptor))
        #elseif canImport(Musl)
            _ = try check(Musl.close(descriptor))
        #endif
    }

    package static func rename(_ old: String, to new: String) throws(Failure) {
        #if canImport(Darwin)
            _ = try check(unsafe Darwin.rename(old.systemPath, new.systemPath))
        #elseif canImport(Glibc)
            _ = try check(unsafe Glibc.rename(old.systemPath, new.systemPath))
        #elseif canImport(Musl)
            _ = try check(unsafe Musl.rename(old.systemPath, new.systemPath))
        #endif
    }

    /// Creates a folder; an existing one stays as it is.
    package static func makeFolder(_ path: String, permissions: UInt32 = 0o777) throws(Failure) {
        guard unsafe mkdir(path.systemPath, mode_t(permissions)) != 0, errno != EEXIST else { return }
        throw Failure(number: errno)
    }

    /// The names of the entries of a folder, `.` and `..` included.
    package static func names(inDirectory path: String) throws(Failure) -> [String] {
        guard let directory = unsafe opendir(path.systemPath) else { throw Failure(number: errno) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        // Safe: an entry stays valid until the next call, and its NUL-terminated name is copied immediately.
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe PathBytes.path(bytes)
            }
            names.append(name)
        }
        return names
    }

    /// Removes a file if it exists.
    package static func remove(_ path: String) {
        _ = unsafe unlink(path.systemPath)
    }

    /// Removes a folder if it exists and is empty.
    package static func removeFolder(_ path: String) {
        _ = unsafe rmdir(path.systemPath)
    }

    /// The number of folders within each other that ``removeTree(_:)`` enters.
    private static let deepestFolder = 64

    /// Removes a file, or a folder with all that is in it. A symbolic link is removed, and what it leads to stays.
    package static func removeTree(_ path: String) { removeTree(path, depth: 0) }

    private static func removeTree(_ path: String, depth: Int) {
        guard let status = try? status(ofFileAt: path, followsLink: false), status.kind == .directory else {
            return remove(path)
        }
        guard depth < deepestFolder else { return }
        for name in (try? names(inDirectory: path)) ?? [] where name != "." && name != ".." {
            removeTree("\(path)/\(name)", depth: depth + 1)
        }
        removeFolder(path)
    }

    /// The path with symbolic links resolved; nil if there is no such file.
    package static func resolved(_ path: String) -> String? {
        // Safe: realpath allocates the returned string, which is copied and freed here.
        guard let text = unsafe realpath(path.systemPath, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(systemPath: text)
    }

    /// Reads at most `count` bytes in one call; an empty result is the end of the file.
    package static func read(_ descriptor: Int32, atMost count: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try read(descriptor, atMost: count, appendingTo: &bytes)
        return bytes
    }

    /// Appends at most `count` bytes, read in one call, and returns their number; 0 is the end of the file.
    package static func read(
        _ descriptor: Int32, atMost count: Int, appendingTo bytes: inout [UInt8]
    ) throws(Failure) -> Int {
        var failure: Failure?
        let before = bytes.count
        bytes.append(addingCapacity: count) { span in
            // Safe: read initializes as many bytes as it returns, at most the capacity of the span.
            unsafe span.withUnsafeMutableBufferPointer { buffer, initialized in
                while true {
                    #if canImport(Darwin)
                        let result = unsafe Darwin.read(descriptor, buffer.baseAddress, buffer.count)
                    #elseif canImport(Glibc)
                        let result = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                    #elseif canImport(Musl)
                        let result = unsafe Musl.read(descriptor, buffer.baseAddress, buffer.count)
                    #endif
                    initialized = max(result, 0)
                    if result >= 0 { return }
                    if errno == EINTR { continue }
                    failure = Failure(number: errno)
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes.count - before
    }

    /// Writes all bytes, in as many calls as it takes.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var failure: Failure?
        unsafe bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                // Safe: `offset` is below the count, so the rest starts within the buffer.
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset...])
                #if canImport(Darwin)
                    let result = unsafe Darwin.write(descriptor, rest.baseAddress, rest.count)
                #elseif canImport(Glibc)
                    let result = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                #elseif canImport(Musl)
                    let result = unsafe Musl.write(descriptor, rest.baseAddress, rest.count)
                #endif
                if result >= 0 {
                    offset += result
                } else if errno != EINTR {
                    failure = Failure(number: errno)
                    return
                }
            }
        }
        if let failure { throw failure }
    }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Returns the number of columns of a terminal; nil if it does not tell it.
    package static func terminalWidth(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    package static var processID: Int32 { getpid() }

    /// The monotonic clock, which changes of the system time do not affect.
    package static var monotonicMilliseconds: Int {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) &* 1000 &+ Int(time.tv_nsec) / 1_000_000
    }

    package static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// The value of an environment variable, which can be a path; nil if it is not set.
    package static func environment(_ name: String) -> String? {
        // Safe: the only variable that a tool sets is that of `CivilTimeZone`, before it has other threads, so the
        // string stays valid while it is copied.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(systemPath: value)
    }

    /// The arguments of this process behind its name; each of them can be a path.
    package static var arguments: [String] {
        // Safe: the system passes `argc` strings that stay valid, and no code of the tools changes them.
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { unsafe String(systemPath: $0) }
        }
    }

    package static func exit(_ code: Int32) -> Never {
        #if canImport(Darwin)
            Darwin.exit(code)
        #elseif canImport(Glibc)
            Glibc.exit(code)
        #elseif canImport(Musl)
            Musl.exit(code)
        #endif
    }

    private static func check(_ result: Int32) throws(Failure) -> Int32 {
        guard result >= 0 else { throw Failure(number: errno) }
        return result
    }
}
