import PurchaseCore
internal import ReceiptVerification

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The place of a database file, checked before SQLite opens it.
enum DatabaseFile {
    /// Creates the folder and an empty file if they do not exist, and checks that other users cannot change them.
    ///
    /// SQLite gives the files beside the database its mode, 0600.
    ///
    /// - Returns: The path of the file without links.
    static func prepare(_ path: String) throws(DatabaseError) -> String {
        do throws(FileError) {
            let parts = try PrivateFolder.parts(of: path)
            let folder = try PrivateFolder(parts.folder, creating: true)
            if try !folder.containsTrusted(parts.name) {
                // Another process may create it first, which is as good.
                _ = try folder.create(parts.name, [])
            }
            return "\(try resolved(parts.folder))/\(parts.name)"
        } catch {
            throw DatabaseError(.notOpened, error.message, underlying: error)
        }
    }

    /// Returns a folder's path without links, because SQLite opens no path with one.
    private static func resolved(_ folder: String) throws(FileError) -> String {
        guard let pointer = unsafe realpath(folder, nil) else {
            throw FileError(code: .unreadable, path: folder, systemError: errno)
        }
        defer { unsafe free(pointer) }
        let path = unsafe String(cString: pointer)
        return path == "/" ? "" : path
    }
}
