internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Reads and writes files that only their owner can access (mode 0600), in any folder.
///
/// A file is replaced atomically. For files that decide what is trusted, use ``PrivateFolder``.
package enum PrivateFile {
    /// Returns the bytes of a secret file; nil if there is no file.
    ///
    /// A file that other users can access is an error.
    ///
    /// - Parameter allowsPipe: Whether the path can be that of a pipe, for which the call waits: the user has named it.
    ///   Otherwise everything but a regular file is an error.
    package static func read(
        _ path: String, maximumCount: Int, allowsPipe: Bool = false
    ) throws(FileError) -> [UInt8]? {
        try read(path, maximumCount: maximumCount, isSecret: true, allowsPipe: allowsPipe)
    }

    /// Returns the bytes of a public file, such as a certificate; nil if there is no file.
    ///
    /// A pipe or a device is an error: a reader could wait for it without end.
    package static func readPublic(_ path: String, maximumCount: Int) throws(FileError) -> [UInt8]? {
        try read(path, maximumCount: maximumCount, isSecret: false, allowsPipe: false)
    }

    private static func read(
        _ path: String, maximumCount: Int, isSecret: Bool, allowsPipe: Bool
    ) throws(FileError) -> [UInt8]? {
        let descriptor = unsafe open(path.systemPath, O_RDONLY | O_CLOEXEC | (allowsPipe ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError(code: .unreadable, path: path, systemError: errno)
        }
        defer { _ = close(descriptor) }
        if !allowsPipe { try requireContents(descriptor, path) }
        if isSecret { try requireSecret(descriptor, path) }
        return try readAll(descriptor, path, maximumCount)
    }

    /// Throws if an open file is neither a regular one nor a folder, for which reading has an error of its own.
    static func requireContents(_ descriptor: Int32, _ path: String) throws(FileError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw FileError(code: .unreadable, path: path, systemError: errno)
        }
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
            throw FileError(code: .notRegular, path: path)
        }
    }

    /// Throws if other users can access an open file.
    static func requireSecret(_ descriptor: Int32, _ path: String) throws(FileError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw FileError(code: .unreadable, path: path, systemError: errno)
        }
        guard status.st_mode & 0o077 == 0 else { throw FileError(code: .tooOpen, path: path) }
    }

    /// Returns whether a file, a folder or anything else exists at a path.
    package static func exists(_ path: String) throws(FileError) -> Bool {
        if unsafe access(path.systemPath, F_OK) == 0 { return true }
        guard errno == ENOENT else { throw FileError(code: .unreadable, path: path, systemError: errno) }
        return false
    }

    /// Creates a folder with mode 0700.
    ///
    /// An existing one is left unchanged.
    package static func makeFolder(_ path: String) throws(FileError) {
        guard unsafe mkdir(path.systemPath, 0o700) != 0, errno != EEXIST else { return }
        throw FileError(code: .unwritable, path: path, systemError: errno)
    }

    /// Writes a new file with mode 0600, which is complete before it gets its name.
    ///
    /// An existing one is left unchanged and is an error.
    package static func create(_ path: String, _ bytes: [UInt8]) throws(FileError) {
        let temporary = temporaryPath(for: path)
        try write(temporary, bytes)
        let isNamed = unsafe link(temporary.systemPath, path.systemPath) == 0
        let error = errno
        _ = unsafe unlink(temporary.systemPath)
        if isNamed { return }
        if error == EEXIST { throw FileError(code: .exists, path: path, systemError: error) }
        // A file system without hard links: there, another process can see the file before it is complete.
        try write(path, bytes)
    }

    /// Writes a new file with mode 0600 under its name from the beginning.
    static func write(_ path: String, _ bytes: [UInt8]) throws(FileError) {
        let descriptor = unsafe open(path.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw FileError(code: errno == EEXIST ? .exists : .unwritable, path: path, systemError: errno)
        }
        var failure = writeAll(bytes, to: descriptor)
        if failure == nil { failure = synchronize(descriptor) }
        if close(descriptor) != 0, failure == nil { failure = errno }
        if let failure {
            _ = unsafe unlink(path.systemPath)
            throw FileError(code: .unwritable, path: path, systemError: failure)
        }
    }

    /// Writes a file, replacing an existing one: the bytes are written to a temporary file, synced, and renamed.
    package static func replace(_ path: String, _ bytes: [UInt8]) throws(FileError) {
        let temporary = temporaryPath(for: path)
        try write(temporary, bytes)
        guard unsafe rename(temporary.systemPath, path.systemPath) == 0 else {
            let error = errno
            _ = unsafe unlink(temporary.systemPath)
            throw FileError(code: .unwritable, path: path, systemError: error)
        }
    }

    /// Returns the path of a new temporary file beside a file.
    static func temporaryPath(for path: String) -> String {
        "\(path).\(getpid()).\(UInt32.random(in: .min ... .max)).tmp"
    }

    /// Writes what was written to an open file or folder to the disk; returns the system's error number if that fails.
    package static func synchronize(_ descriptor: Int32) -> Int32? {
        #if canImport(Darwin)
            // There, `fsync` leaves it in the cache of the drive. Some file systems support only `fsync`.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return nil }
        #endif
        return fsync(descriptor) == 0 ? nil : errno
    }

    /// Writes all bytes, in as many calls as it takes; returns the system's error number if that fails.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var failure: Int32?
        unsafe bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                // Safe: the offset is below the count, so the base address exists and the rest is inside the buffer.
                let written = unsafe buffer.baseAddress.map {
                    unsafe systemWrite(descriptor, $0 + offset, buffer.count - offset)
                }
                guard let written, written > 0 else {
                    if errno == EINTR { continue }
                    failure = errno
                    return
                }
                offset += written
            }
        }
        return failure
    }

    /// Returns the bytes from the position of a descriptor, at most `count`.
    static func readHead(_ descriptor: Int32, _ path: String, _ count: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var chunk = [UInt8](repeating: 0, count: count - bytes.count)
            let read = unsafe chunk.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
            if read < 0 {
                if errno == EINTR { continue }
                throw FileError(code: .unreadable, path: path, systemError: errno)
            }
            if read == 0 { break }
            bytes += chunk[..<read]
        }
        return bytes
    }

    /// Returns the bytes from the position of a descriptor to the end.
    static func readAll(_ descriptor: Int32, _ path: String, _ maximum: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw FileError(code: .unreadable, path: path, systemError: errno)
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= maximum else { throw FileError(code: .tooLarge, path: path) }
        }
    }
}

// The C functions, under names that the methods above do not shadow.

@unsafe
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}

@unsafe
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}
