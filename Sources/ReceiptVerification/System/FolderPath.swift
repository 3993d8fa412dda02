internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Opens a folder after it has checked every folder on the way from the root of the file system.
///
/// An attacker that can write one folder on the way can rename the next one and put another in its place. One level is
/// therefore not enough. The rules:
///
/// - Each folder belongs to the user or to root, and only its owner can write it.
/// - A folder on the way, not the last one, may be writable by others if it is sticky, as `/tmp` is: in such a folder,
///   others cannot rename or remove what belongs to the user or to root.
/// - The last folder may not, even if it is sticky: others could give a file of the user a second name there.
/// - A symbolic link on the way belongs to the user or to root; its target is checked in the same way.
///
/// Each folder is opened relative to the one before, so the checks apply to the folders that are used.
enum FolderPath {
    /// The limit of Linux for symbolic links in one path.
    private static let maximumLinkCount = 40
    #if canImport(Darwin)
        private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    #else
        // O_PATH, with which search permission is enough. The C library hides its name from Swift; the value belongs to
        // the kernel's interface and is the same on all architectures that Swift supports.
        private static let searchOnly: Int32 = 0o10_000_000
        private static let flags = searchOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    #endif

    static func open(
        _ path: String, creating: Bool, step: PrivateFolder.Step
    ) throws(FileError) -> FileDescriptor {
        // The components that are still to be opened, the next one last.
        var rest = components(of: try absolute(path))
        var reached = "/"
        var links = 0
        var current = try root(isLast: rest.isEmpty)
        while let name = rest.popLast() {
            reached = reached == "/" ? "/\(name)" : "\(reached)/\(name)"
            step()
            var status = stat()
            if unsafe fstatat(current.number, name.systemPath, &status, AT_SYMLINK_NOFOLLOW) != 0 {
                guard errno == ENOENT, creating else {
                    throw FileError(code: .unreadable, path: reached, systemError: errno)
                }
                step()
                // Another process may have created it in the meantime.
                guard unsafe mkdirat(current.number, name.systemPath, 0o700) == 0 || errno == EEXIST,
                    unsafe fstatat(current.number, name.systemPath, &status, AT_SYMLINK_NOFOLLOW) == 0
                else { throw FileError(code: .unwritable, path: reached, systemError: errno) }
            }
            if status.st_mode & S_IFMT == S_IFLNK {
                guard isTrusted(status.st_uid) else { throw FileError(code: .sharedFolder, path: reached) }
                links += 1
                guard links <= maximumLinkCount else {
                    throw FileError(code: .unreadable, path: reached, systemError: ELOOP)
                }
                let target = try target(of: name, in: current, reached)
                rest += components(of: target)
                if target.hasPrefix("/") {
                    reached = "/"
                    current = try root(isLast: rest.isEmpty)
                } else {
                    // The link itself is not part of the path.
                    reached += "/.."
                }
                continue
            }
            let next = FileDescriptor(unsafe openat(current.number, name.systemPath, flags))
            guard next.isOpen else { throw FileError(code: .unreadable, path: reached, systemError: errno) }
            try check(next, reached, isLast: rest.isEmpty)
            current = next
        }
        return current
    }

    private static func root(isLast: Bool) throws(FileError) -> FileDescriptor {
        let root = FileDescriptor(unsafe openat(AT_FDCWD, "/", flags))
        guard root.isOpen else { throw FileError(code: .unreadable, path: "/", systemError: errno) }
        try check(root, "/", isLast: isLast)
        return root
    }

    private static func check(_ folder: borrowing FileDescriptor, _ path: String, isLast: Bool) throws(FileError) {
        var status = stat()
        guard unsafe fstat(folder.number, &status) == 0 else {
            throw FileError(code: .unreadable, path: path, systemError: errno)
        }
        let isWritable = status.st_mode & 0o022 != 0
        let isSticky = status.st_mode & 0o1000 != 0
        guard isTrusted(status.st_uid), !isWritable || (isSticky && !isLast) else {
            throw FileError(code: .sharedFolder, path: path)
        }
    }

    private static func isTrusted(_ owner: uid_t) -> Bool { owner == 0 || owner == geteuid() }

    private static func target(
        of name: String, in folder: borrowing FileDescriptor, _ path: String
    ) throws(FileError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        // Safe: `readlinkat` writes at most as many bytes as it is told.
        let count = unsafe readlinkat(folder.number, name.systemPath, &bytes, bytes.count)
        guard count > 0, count < bytes.count else {
            throw FileError(code: .unreadable, path: path, systemError: count < 0 ? errno : ENAMETOOLONG)
        }
        return PathBytes.path(bytes[..<count].map(UInt8.init(bitPattern:)))
    }

    private static func absolute(_ path: String) throws(FileError) -> String {
        if path.hasPrefix("/") { return path }
        // Safe: `getcwd` allocates the returned string, which is copied and freed here.
        guard let folder = unsafe getcwd(nil, 0) else {
            throw FileError(code: .unreadable, path: path, systemError: errno)
        }
        defer { unsafe free(folder) }
        return unsafe String(systemPath: folder) + "/" + path
    }

    /// The components of a path in the reverse order.
    private static func components(of path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
    }
}
