internal import CSQLite
internal import ReceiptTypes
package import ReceiptVerification

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The files that SQLite opens by itself, and the decision on each of them before it is opened.
///
/// | name | what SQLite does with it | what is allowed |
/// | --- | --- | --- |
/// | the database | reads and writes it | a trusted file |
/// | `-journal` | writes the pages in it over the database, and deletes it | only beside a database without content |
/// | `-wal` | adds the pages in it to the database, and deletes it | a trusted file with one name |
/// | `-shm` | cuts it off and writes it | a trusted file with one name |
/// | any path in a journal (`-mj…`) | reads it as the list of a transaction's files, and deletes it | nothing |
/// | `etilqs_…` in a temporary folder | makes it under a random name, and unlinks it at once | everything |
///
/// A trusted file is a regular one of the user that no other user can access; see ``PrivateFolder``. A file that
/// SQLite writes in place has no other name, which could be that of the database.
///
/// The database has a write-ahead log from its first table on, and then never a rollback journal. SQLite makes one only
/// while a new file becomes a database with a log. It does not ask what a database has before it replays a journal, and
/// nothing in a journal says to which database it belongs.
///
/// SQLite opens other names only if it is told to, which never happens here: extensions, names of 8.3 characters, the
/// files of other locking styles, and the shell's `.sqliterc`.
package enum SQLiteFiles {
    /// What the names of the files beside a database end with.
    package static let journal = "-journal"
    package static let log = "-wal"
    package static let logIndex = "-shm"
    package static let suffixes = [journal, log, logIndex]

    /// The result code for a journal beside a database that has none.
    static let foreignJournalResult = SQLITE_CANTOPEN | 0x70 << 8
    /// SQLite's own result code for a journal that a connection would have to replay which only reads
    /// (`SQLITE_READONLY_ROLLBACK`, which Swift cannot import).
    private static let readOnlyResult = SQLITE_READONLY | 3 << 8
    /// The result code for something that is no trusted file.
    static let untrustedResult = SQLITE_CANTOPEN | 0x71 << 8

    // MARK: Paths

    /// Returns the path of a database without links in its folder, because SQLite opens no path with one.
    package static func location(of path: String) throws(FileError) -> String {
        let parts = try PrivateFolder.parts(of: path)
        return "\(try resolved(parts.folder))/\(parts.name)"
    }

    /// Returns a folder's path without links; empty for the root.
    package static func resolved(_ folder: String) throws(FileError) -> String {
        guard let pointer = unsafe realpath(folder.systemPath, nil) else {
            throw FileError(code: .unreadable, path: folder, systemError: errno)
        }
        defer { unsafe free(pointer) }
        let path = unsafe String(systemPath: pointer)
        return path == "/" ? "" : path
    }

    // MARK: The decision

    /// Returns SQLite's result code for the attempt to open a file.
    ///
    /// - Parameters:
    ///   - name: The path of the file.
    ///   - flags: What the file is.
    ///   - database: The database file that the file belongs to, or is itself; nil for one that is not open yet.
    static func resultCode(
        opening name: String, _ flags: Int32, _ database: UnsafeMutablePointer<sqlite3_file>?
    ) -> Int32 {
        do throws(FileError) {
            if flags & SQLITE_OPEN_SUPER_JOURNAL != 0 { return untrustedResult }
            if flags & SQLITE_OPEN_MAIN_DB != 0 {
                guard let database = unsafe database else {
                    try requireTrusted(name)
                    return SQLITE_OK
                }
                return try unsafe resultCode(ofJournalBeside: name, database)
            }
            if flags & SQLITE_OPEN_MAIN_JOURNAL != 0 {
                // One that a transaction makes is empty until then.
                if flags & SQLITE_OPEN_CREATE != 0 {
                    _ = try PrivateFolder.containsTrusted(path: name, isOnlyName: true)
                } else if let database = unsafe database {
                    return try unsafe resultCode(ofJournalBeside: String(name.dropLast(journal.count)), database)
                }
            }
            if flags & SQLITE_OPEN_WAL != 0 { try requireTrusted(String(name.dropLast(log.count))) }
            return SQLITE_OK
        } catch {
            return untrustedResult
        }
    }

    /// Throws if the database or a file of its log is there and is not trusted.
    package static func requireTrusted(_ database: String) throws(FileError) {
        _ = try PrivateFolder.containsTrusted(path: database)
        for suffix in [log, logIndex] {
            _ = try PrivateFolder.containsTrusted(path: database + suffix, isOnlyName: true)
        }
    }

    /// Returns why SQLite was not allowed to open a file of a database; nil if that has changed since.
    static func objection(to database: String) -> FileError? {
        do throws(FileError) {
            try requireTrusted(database)
            _ = try PrivateFolder.containsTrusted(path: database + journal, isOnlyName: true)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the result code for what has the name of a journal; OK if nothing has it.
    private static func resultCode(
        ofJournalBeside name: String, _ database: UnsafeMutablePointer<sqlite3_file>
    ) throws(FileError) -> Int32 {
        let path = name + journal
        guard FileIdentity(path: path) != nil else { return SQLITE_OK }
        guard unsafe isWithoutContent(database), !hasContent(name + log) else {
            // Looked for twice: in between another process may have given a new database its first content.
            return FileIdentity(path: path) == nil ? SQLITE_OK : foreignJournalResult
        }
        guard try PrivateFolder.containsTrusted(path: path, isOnlyName: true) else { return SQLITE_OK }
        guard try isOfOneFile(path) else { return foreignJournalResult }
        // Only a connection that can create the database may change it.
        let isWriter = unsafe purchase_sqlite_flags(database) & SQLITE_OPEN_CREATE != 0
        return isWriter ? SQLITE_OK : readOnlyResult
    }

    // MARK: A new database

    /// The largest page of a database.
    private static let maximumPageCount = 65_536

    private static func isWithoutContent(_ database: UnsafeMutablePointer<sqlite3_file>) -> Bool {
        var size: Int64 = 0
        var page = [UInt8](repeating: 0, count: maximumPageCount)
        guard unsafe purchase_sqlite_read_start(database, &page, Int32(page.count), &size) == SQLITE_OK else {
            return false
        }
        return size <= page.count && isWithoutContent(page[..<Int(size)])
    }

    /// Returns whether a file has nothing that a journal can undo: it is empty, was never written, or has one page
    /// without tables, as SQLite makes it when a new file becomes a database.
    package static func isWithoutContent(_ file: ArraySlice<UInt8>) -> Bool {
        if file.allSatisfy({ $0 == 0 }) { return true }
        // The header is 100 bytes, and that of the first page follows: its kind, and at offset 103 its number of rows.
        guard file.count >= 105, file.starts(with: Array("SQLite format 3\0".utf8)) else { return false }
        func number(_ offset: Int, _ count: Int) -> Int {
            file[file.startIndex + offset..<file.startIndex + offset + count].reduce(0) { $0 << 8 | Int($1) }
        }
        let pageSize = number(16, 2) == 1 ? maximumPageCount : number(16, 2)
        let (version, program) = (number(60, 4), number(68, 4))
        return file.count <= pageSize && version == 0 && program == 0 && number(100, 1) == 13 && number(103, 2) == 0
    }

    /// Returns whether there is a file that is not empty.
    package static func hasContent(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path.systemPath, &status) == 0 && status.st_size > 0
    }

    /// Returns whether a journal names no other file; SQLite would delete one that it names.
    ///
    /// A journal that does ends with the bytes with which each one begins. That of a new file is not larger than the
    /// limit.
    private static func isOfOneFile(_ path: String) throws(FileError) -> Bool {
        let parts = try PrivateFolder.parts(of: path)
        do throws(FileError) {
            let bytes = try PrivateFolder(parts.folder).read(parts.name, maximumCount: 4 * maximumPageCount) ?? []
            return !bytes.suffix(8).elementsEqual([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        } catch {
            guard error.code == .tooLarge else { throw error }
            return false
        }
    }
}
