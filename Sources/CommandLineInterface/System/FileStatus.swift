package import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What the system says about a file.
package struct FileStatus: Sendable {
    /// The kind of a file; the raw value names it in messages.
    package enum Kind: String, Sendable {
        case regular = "a file"
        case directory = "a folder"
        case link = "a symbolic link"
        case pipe = "a pipe"
        case device = "a device"
        case socket = "a socket"
        case other = "a special file"
    }

    package let kind: Kind
    package let identity: FileIdentity
    package let size: Int
    /// The times of the last change of the content, and of the content or the entry, in seconds since 1970.
    package let modified: String
    package let changed: String
    /// Whether the file belongs to the user of this process.
    package let isOwn: Bool
    /// Whether the file belongs to the user of this process and has one name only.
    package let isOwnAndSingle: Bool
    /// Whether users other than the owner can change the file, or the entries of the folder.
    package let isWritableByOthers: Bool

    fileprivate init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            case S_IFCHR, S_IFBLK: .device
            case S_IFSOCK: .socket
            default: .other
            }
        identity = FileIdentity(device: status.st_dev, number: status.st_ino)
        size = Int(status.st_size)
        #if canImport(Darwin)
            let (modification, change) = (status.st_mtimespec, status.st_ctimespec)
        #else
            let (modification, change) = (status.st_mtim, status.st_ctim)
        #endif
        modified = "\(modification.tv_sec) s \(modification.tv_nsec) ns"
        changed = "\(change.tv_sec) s \(change.tv_nsec) ns"
        isOwn = status.st_uid == geteuid()
        isOwnAndSingle = isOwn && status.st_nlink == 1
        isWritableByOthers = status.st_mode & (S_IWGRP | S_IWOTH) != 0
    }
}

extension SystemCalls {
    /// The status of the file at a path.
    ///
    /// - Parameter followsLink: Whether the status of a symbolic link is that of the file it leads to.
    package static func status(ofFileAt path: String, followsLink: Bool = true) throws(Failure) -> FileStatus {
        var status = stat()
        let result = unsafe followsLink ? stat(path.systemPath, &status) : lstat(path.systemPath, &status)
        guard result == 0 else { throw Failure(number: errno) }
        return FileStatus(status)
    }

    package static func status(of descriptor: Int32) throws(Failure) -> FileStatus {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure(number: errno) }
        return FileStatus(status)
    }

    /// Opens a regular file for reading, without following a symbolic link and without waiting for a pipe; returns nil
    /// if there is something else at the path.
    package static func openRegularFile(_ path: String) throws(Failure) -> Int32? {
        let descriptor = unsafe open(path.systemPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if isSpecial(errno) { return nil }
            throw Failure(number: errno)
        }
        if try status(of: descriptor).kind == .regular { return descriptor }
        try close(descriptor)
        return nil
    }

    /// Opens a regular file of this user for writing, keeping its content, or creates it; returns nil if there is
    /// something else at the path, such as a symbolic link, a pipe, a file of another user, or a second name of a file.
    package static func openOwnFile(_ path: String) throws(Failure) -> Int32? {
        // Another process may create or remove the file between two calls.
        for _ in 0..<16 {
            var descriptor = unsafe open(path.systemPath, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            if descriptor < 0, errno == ENOENT {
                descriptor = unsafe open(path.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o666))
                if descriptor < 0, errno == EEXIST { continue }
            }
            guard descriptor >= 0 else {
                if isSpecial(errno) { return nil }
                throw Failure(number: errno)
            }
            let status = try status(of: descriptor)
            if status.kind == .regular, status.isOwnAndSingle { return descriptor }
            try close(descriptor)
            return nil
        }
        return nil
    }

    /// Whether an error of `open` means that a path leads to something other than a regular file.
    private static func isSpecial(_ number: Int32) -> Bool {
        number == ELOOP || number == EMLINK || number == ENXIO || number == EISDIR
    }
}
