import PurchaseCore
import ReceiptTypes
internal import ReceiptVerification
import SQLite

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The place of a database file, checked before SQLite opens it, and the files beside it; ``SQLiteFiles`` has those
/// that SQLite opens by itself.
///
/// A damaged file is replaced in this order: the new database is complete under ``recovering``, it gets the name
/// ``recovered``, the files of the damaged one are set aside, and the new one gets their name. Each process finishes a
/// replacement that has reached the second step before it uses the database, so a crash at any moment loses nothing.
///
/// SQLite can also reset a damaged file in place (`SQLITE_DBCONFIG_RESET_DATABASE`), which is not safe here. If the
/// header is damaged, it writes a rollback journal, and after a crash that one would count as foreign. And a process
/// that still has a removed log open would write the pages of that log over the new content.
struct DatabaseFile: Sendable {
    /// Code that runs before each change of the folder; tests end the process at that point.
    typealias Step = @Sendable () -> Void

    /// The path of the file without links.
    let path: String
    let lock: LockFile
    private let folder: String
    private let name: String
    private let step: Step

    /// Creates the folder if it does not exist, and checks that other users cannot change it or the file.
    ///
    /// - Parameter lockTimeout: The longest wait for another process, in milliseconds.
    init(_ path: String, lockTimeout: Int32, step: @escaping Step = {}) throws(DatabaseError) {
        (folder, name) = try DatabaseError.converting { () throws(FileError) in
            let parts = try PrivateFolder.parts(of: path)
            let folder = try PrivateFolder(parts.folder, creating: true)
            _ = try folder.containsTrusted(parts.name)
            return (try SQLiteFiles.resolved(parts.folder), parts.name)
        }
        self.path = "\(folder)/\(name)"
        self.step = step
        lock = try LockFile(path: "\(folder)/\(name)\(Self.lockSuffix)", timeout: lockTimeout)
    }

    /// Throws if the database or a file of its log is there and is not trusted, before anything is concluded from it.
    func requireTrusted() throws(DatabaseError) { try Self.requireTrusted(path) }

    static func requireTrusted(_ path: String) throws(DatabaseError) {
        try DatabaseError.converting { () throws(FileError) in try SQLiteFiles.requireTrusted(path) }
    }

    /// Creates an empty database file with mode 0600 if there is none; SQLite gives its mode to the files beside it.
    func create() throws(DatabaseError) { try create(name) }

    /// Creates the empty file of a new database, in the place of one that another process has left incomplete.
    func createIncomplete() throws(DatabaseError) {
        removeIncomplete()
        step()
        try create(name + Self.incompleteSuffix)
    }

    private func create(_ name: String) throws(DatabaseError) {
        do throws(FileError) {
            // Another process may create it first, which is as good.
            _ = try PrivateFolder(folderPath).create(name, [])
        } catch {
            throw DatabaseError(systemError: error.systemError, error.message)
        }
    }

    private var folderPath: String { folder.isEmpty ? "/" : folder }

    // MARK: The state of the files

    /// The paths of a database and of all files that SQLite and this package keep beside it for a time, or act on.
    static func paths(of database: String) -> [String] {
        let databases = ["", incompleteSuffix, recoveredSuffix]
        return databases.flatMap { suffix in ([""] + SQLiteFiles.suffixes).map { database + suffix + $0 } }
            + [lockSuffix, erasureSuffix].map { database + $0 }
    }

    private static let lockSuffix = "-lock"
    /// The path of the write-ahead log, which exists while a process has the database open.
    private var log: String { path + SQLiteFiles.log }
    /// The path of the index of the write-ahead log, which exists only while that one does.
    private var logIndex: String { path + SQLiteFiles.logIndex }
    /// The path of the rollback journal, which only a database without content has.
    private var journal: String { path + SQLiteFiles.journal }
    /// The path of a new database that is not complete.
    var recovering: String { path + Self.incompleteSuffix }
    private static let incompleteSuffix = "-recovering"
    /// The path of a complete new database, which takes the place of the damaged one.
    private var recovered: String { path + Self.recoveredSuffix }
    private static let recoveredSuffix = "-recovered"

    /// Runs `body` while the file is not replaced, after finishing a replacement that another process has begun.
    func withCurrentFile<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        while true {
            if isBeingReplaced { try lock.exclusive { () throws(DatabaseError) in try finishReplacement() } }
            let value = try lock.shared { () throws(DatabaseError) -> Value? in
                if isBeingReplaced { return nil }
                return try body()
            }
            if let value { return value }
        }
    }

    /// Runs `body`, which opens the file, while it is not replaced and no connection uses a log that was removed.
    func whileOpening<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        var waited: Int32 = 0
        while true {
            let value = try withCurrentFile { () throws(DatabaseError) -> Value? in
                isOpenWithoutLog ? nil : try body()
            }
            if let value { return value }
            guard waited < lock.timeout else { throw Self.openWithoutLog }
            lock.pause()
            waited += 1
        }
    }

    /// Throws ``openWithoutLog`` if a connection stays open without a log for longer than another process takes to open
    /// or close the file.
    func requireLog() throws(DatabaseError) {
        var waited: Int32 = 0
        while isOpenWithoutLog {
            guard waited < min(lock.timeout, Self.openingTime) else { throw Self.openWithoutLog }
            lock.pause()
            waited += 1
        }
    }

    /// The milliseconds within which another process makes the log that it needs, or closes the file.
    private static let openingTime: Int32 = 500

    /// Closes a connection, which finishes the log and deletes it by its name; false, without closing it, while the
    /// file is replaced.
    func whileClosing(_ close: () -> Void) -> Bool {
        var isClosed = false
        return lock.sharedIfFree {
            guard !isBeingReplaced else { return }
            close()
            isClosed = true
        } && isClosed
    }

    /// Whether a replacement of the file has begun, so that no transaction may use the file.
    private var isBeingReplaced: Bool { exists(recovered) }

    /// Writes down that a database was created, so that a lost file is not taken for a first start.
    func noteCreation() throws(DatabaseError) {
        if ["", Self.setAsideNote].contains(lock.note) { try lock.write(note: "CREATED") }
    }

    /// The note from the moment when the file is set aside because its key is lost, until there is a new database.
    private static let setAsideNote = "SET-ASIDE"

    private var isSetAside: Bool { lock.note == Self.setAsideNote }

    /// Throws an error if the file was set aside because its key is lost, and no new one has taken its place.
    ///
    /// A process that still has the lost key must not make a database with it: the new sealed store has another key.
    func requireNotSetAside() throws(DatabaseError) {
        guard isSetAside, !SQLiteFiles.hasContent(path) else { return }
        throw DatabaseError(.wrongKey, "the files of the database were set aside, because its key was lost")
    }

    /// Whether a connection has the file open whose log or index was removed.
    ///
    /// Another connection would make new ones, and neither would see what the other one commits. While a process opens
    /// or closes the file, this can be true for a moment.
    var isOpenWithoutLog: Bool {
        var hasLog: Bool { exists(log) && exists(logIndex) }
        guard !hasLog, SQLiteFiles.hasContent(path) else { return false }
        // Neither attempt changes which of the two files there are.
        return SQLiteConnection.isOpenElsewhere(path, mode: exists(log) ? .examine : .read) && !hasLog
    }

    /// Only that connection can still read the log, so no other one may recover the database.
    static let openWithoutLog = DatabaseError(
        .busy,
        "another process has the database open without a write-ahead log; if the log was removed, that process "
            + "recovers the database at its next call")

    /// Whether the system lets this user write the file.
    var isWritable: Bool { unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 }

    /// Returns whether something has a path, for the effective user, as all other calls.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path.systemPath, &status) == 0
    }

    private func exists(_ path: String) -> Bool { Self.exists(path) }

    /// Returns what the files beside the database say about its state, before SQLite changes any of them.
    var loss: DatabaseRecovery.Finding? {
        // The size last: a process that creates the database writes to the file before it creates the log.
        let wasCreated = lock.note != "" || exists(log)
        guard SQLiteFiles.hasContent(path) else { return wasCreated ? .missing : nil }
        // SQLite deletes the log last, so its index is never there alone. The log is looked for twice, because a
        // process that opens the database creates both in between.
        return !exists(log) && exists(logIndex) && !exists(log) ? .missingLog : nil
    }

    // MARK: Foreign journal and log

    /// The number of times that files are set aside for one call; another program can make one after the other.
    private static let foreignLimit = 10

    /// Runs `body`, which opens the file for writing, and again after a foreign journal or log was set aside.
    ///
    /// - Parameters:
    ///   - isLocked: Whether the caller has the exclusive lock.
    ///   - report: Receives what was set aside.
    func withoutForeignFiles<Value>(
        _ key: DatabaseKey, isLocked: Bool = false, _ report: (DamagedRow) -> Void,
        _ body: () throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        for _ in 0..<Self.foreignLimit {
            do throws(DatabaseError) {
                return try body()
            } catch {
                guard [.foreignJournal, .foreignLog].contains(error.code) else { throw error }
            }
            if isLocked { try setAsideForeignFiles(key, report) } else { try removeForeignFiles(key, report) }
        }
        return try body()
    }

    /// Sets a foreign journal and a foreign log aside, after all transactions that run.
    func removeForeignFiles(_ key: DatabaseKey, _ report: (DamagedRow) -> Void) throws(DatabaseError) {
        if try !hasForeignJournal, try !hasForeignLog(key) { return }
        try lock.exclusive { () throws(DatabaseError) in try setAsideForeignFiles(key, report) }
    }

    /// Sets aside what has the name of a journal if the database has content, and so no journal, and the log with its
    /// index if it is that of another database; under the exclusive lock, under which no process makes a new database.
    ///
    /// The journal is renamed and not opened, so it can be anything, of any user.
    func setAsideForeignFiles(_ key: DatabaseKey, _ report: (DamagedRow) -> Void) throws(DatabaseError) {
        if try hasForeignJournal { try setAsideForeign([SQLiteFiles.journal], report) }
        // The index alone would look like a log that was removed, so it goes first.
        if try hasForeignLog(key) { try setAsideForeign([SQLiteFiles.logIndex, SQLiteFiles.log], report) }
    }

    private func setAsideForeign(_ suffixes: [String], _ report: (DamagedRow) -> Void) throws(DatabaseError) {
        func name(_ number: Int) -> String { "\(Self.foreignMark)\(number)" }
        var number = 1
        while files.contains(where: { exists($0.path(aside: name(number))) }) { number += 1 }
        let chosen = name(number)
        for suffix in suffixes {
            let file = AsideFile(path, suffix)
            guard exists(file.path) else { continue }
            step()
            try rename(file.path, file.path(aside: chosen))
            if suffix != SQLiteFiles.logIndex {
                report(.foreignFile(file.path, setAsideAs: file.path(aside: chosen)))
            }
        }
        // The oldest of them, so that the next one finds a name, and a program that makes one after the other fills no
        // disk.
        remove(aside: name(number % Self.foreignCount + 1))
    }

    /// What the names begin with under which foreign journals and logs are set aside.
    private static let foreignMark = "FOREIGN-"
    /// The number of names for foreign journals and logs; one of them is always free.
    private static let foreignCount = 10

    /// Whether the log is that of another database; throws if another process keeps it locked, for which it waits.
    private func hasForeignLog(_ key: DatabaseKey) throws(DatabaseError) -> Bool {
        guard exists(log), exists(path) else { return false }
        do throws(DatabaseError) {
            let connection = try SQLiteConnection(path: path, busyTimeout: lock.timeout, mode: .examine)
            try DatabaseSchema.check(connection, key)
            return false
        } catch {
            guard error.code != .busy else { throw error }
            return error.code == .foreignLog
        }
    }

    private var hasForeignJournal: Bool {
        get throws(DatabaseError) {
            guard exists(journal), exists(path) else { return false }
            do throws(DatabaseError) {
                // SQLite opens the file at once, and its journal and its log with the first transaction.
                _ = try SQLiteConnection(path: path, busyTimeout: 0)
                return false
            } catch {
                guard error.code == .foreignJournal else { throw error }
                return true
            }
        }
    }

    // MARK: Erasure

    private static let erasureSuffix = "-erasing"

    /// Whether rows of a user were deleted, and what they have left in the files is not.
    var isErasing: Bool { exists(path + Self.erasureSuffix) }

    private var notedErasure: [UInt8]? {
        get throws(DatabaseError) {
            try withFolder { (folder) throws(FileError) in
                try folder.read(name + Self.erasureSuffix, maximumCount: Self.erasureNumberLimit)
            }
        }
    }

    private static let erasureNumberLimit = 4_096

    /// Notes that rows of a user are going to be deleted, in a file that stays until nothing of them can be read.
    ///
    /// It is no row of the database, because a recovery can lose rows.
    func noteErasure(_ number: [UInt8]) throws(DatabaseError) {
        step()
        try withFolder { (folder) throws(FileError) in try folder.replace(name + Self.erasureSuffix, number) }
    }

    /// Returns the number of the erasure that was noted last; nil if there is none.
    ///
    /// A note that is not trusted, for example after a backup was restored, is one of an unknown number. It gets a new
    /// one.
    func erasureToFinish() throws(DatabaseError) -> [UInt8]? {
        do throws(DatabaseError) {
            return try notedErasure
        } catch {
            guard isErasing else { throw error }
            let number = try DatabaseKey.random()
            try noteErasure(number)
            return number
        }
    }

    /// Removes the note of an erasure, unless another one was noted since; under the exclusive lock.
    func removeErasureNote(_ number: [UInt8]) throws(DatabaseError) {
        guard try notedErasure == number else { return }
        remove(path + Self.erasureSuffix)
        if isErasing { throw DatabaseError(.readOnly, "the note of the erasure, \(path)\(Self.erasureSuffix), stays") }
    }

    private func withFolder<Value>(
        _ body: (borrowing PrivateFolder) throws(FileError) -> Value
    ) throws(DatabaseError) -> Value {
        do throws(FileError) {
            return try body(PrivateFolder(folderPath))
        } catch {
            throw DatabaseError(systemError: error.systemError, error.message)
        }
    }

    // MARK: Replacement

    /// Deletes an incomplete new database of a process that was killed.
    func removeIncomplete() {
        for suffix in SQLiteFiles.suffixes + [""] { remove(recovering + suffix) }
    }

    /// Deletes the files of the folder that killed processes have left incomplete, such as an exported log.
    func removeUnfinished() throws(DatabaseError) {
        try withFolder { (folder) throws(FileError) in folder.removeUnfinished() }
    }

    /// Deletes a backup in the folder of the database that a process has left when it was killed.
    func removeUnfinishedBackup() throws(DatabaseError) {
        try UnfinishedBackup(folder, lockTimeout: lock.timeout).remove()
    }

    /// Returns a name for the files that are set aside, which no files have.
    ///
    /// - Parameter others: Further files that are set aside under the name.
    func asideName(at now: Timestamp, with others: [AsideFile] = []) -> String {
        let date = now.description.filter { $0.isASCII && ($0.isNumber || $0.isLetter) }
        var name = date
        var number = 1
        while ([""] + Self.suffixes).contains(where: { exists(path(aside: name) + $0) })
            || others.contains(where: { exists($0.path(aside: name)) })
        {
            number += 1
            name = "\(date)-\(number)"
        }
        return name
    }

    /// The path of the damaged file after it was set aside.
    func path(aside name: String) -> String { AsideFile(path).path(aside: name) }

    /// The files that are set aside together, in this order: the new file must not meet the journal or the log of the
    /// damaged one.
    private var files: [AsideFile] { (SQLiteFiles.suffixes + [""]).map { AsideFile(path, $0) } }

    /// Replaces the file by the complete new database under ``recovering``; under the exclusive lock.
    ///
    /// - Parameters:
    ///   - aside: The name for the damaged file, of ``asideName(at:)``.
    ///   - limit: The number of damaged files that are kept, at least the one that is set aside now.
    func replace(aside: String, keeping limit: Int) throws(DatabaseError) {
        // A file that was set aside with its key is noted until the new one is there.
        if !isSetAside {
            step()
            try lock.write(note: aside)
        }
        step()
        try rename(recovering, recovered)
        try finishReplacement()
        removeOldest(keeping: max(1, limit), aside)
    }

    /// Finishes the replacement that another process has begun, if it was killed; under the exclusive lock.
    func finishReplacement() throws(DatabaseError) {
        guard isBeingReplaced else { return }
        try requireReplacement()
        try setAside(as: nameOfReplacement)
        step()
        try rename(recovered, path)
        step()
        if isSetAside { try noteCreation() }
    }

    /// Throws if something else has the name of a complete new database: it would take the place of the database.
    private func requireReplacement() throws(DatabaseError) {
        try Self.requireTrusted(recovered)
        let problem = "\(recovered) is no recovered database"
        let isRecovered: Bool
        do throws(DatabaseError) {
            // No connection has had it open since it got its name, so there is no log of it.
            let connection = try SQLiteConnection(path: recovered, busyTimeout: 0, mode: .examineWithoutLog)
            func number(_ query: String) throws(DatabaseError) -> Int64? {
                try connection.first(query) { (row) throws(DatabaseError) in try row.integer(0) }
            }
            // A copy of the database has no recovery, or one that the app has finished.
            let hasTable = try number("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'recoveries'") != nil
            let hasRecovery = hasTable ? try number("SELECT 1 FROM recoveries WHERE is_finished = 0") != nil : false
            isRecovered = try number("PRAGMA application_id") == DatabaseSchema.applicationID && hasRecovery
        } catch {
            guard error.isOfDamage else { throw error }
            throw DatabaseError(.notOpened, problem, underlying: error)
        }
        guard isRecovered else { throw DatabaseError(.notOpened, problem) }
    }

    /// The name in the note, unless another file has it already: the note is an earlier one if a power failure has
    /// undone it, and it is lost if another program has removed the lock.
    private var nameOfReplacement: String {
        func isFree(_ name: String) -> Bool {
            files.allSatisfy { !exists($0.path) || !exists($0.path(aside: name)) }
        }
        if let note = lock.note, note != "", isFree(note) { return note }
        var number = 1
        while !isFree("UNKNOWN-\(number)") { number += 1 }
        return "UNKNOWN-\(number)"
    }

    private func setAside(as name: String) throws(DatabaseError) {
        for file in files where exists(file.path) {
            step()
            try rename(file.path, file.path(aside: name))
        }
    }

    /// Sets other files or folders aside, and then the file, because its key is lost; under the exclusive lock.
    ///
    /// The others first: if one of them cannot be renamed, the database stays. The note of an erasure goes with the
    /// file, which has what the erasure has left.
    ///
    /// - Returns: The name under which they are set aside.
    func setAside(at now: Timestamp, with others: [AsideFile]) throws(DatabaseError) -> String {
        try finishReplacement()
        let name = asideName(at: now, with: others)
        step()
        try lock.write(note: Self.setAsideNote)
        for other in others where exists(other.path) {
            step()
            try rename(other.path, other.path(aside: name))
        }
        try setAside(as: name)
        let erasure = AsideFile(path, Self.erasureSuffix)
        if exists(erasure.path) {
            step()
            try rename(erasure.path, erasure.path(aside: name))
        }
        return name
    }

    private func rename(_ old: String, _ new: String) throws(DatabaseError) {
        guard Self.rename(old, new) == 0 else {
            throw DatabaseError(systemError: errno, "\(old) cannot be renamed")
        }
        let descriptor = unsafe open(folderPath.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // The order of the names must survive a power failure, where the file system supports it.
        _ = PrivateFile.synchronize(descriptor)
        _ = close(descriptor)
    }

    /// Writes the content of a file that no connection has open to the disk.
    static func synchronize(_ path: String) throws(DatabaseError) {
        let descriptor = unsafe open(path.systemPath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        defer { if descriptor >= 0 { _ = close(descriptor) } }
        if let error = descriptor >= 0 ? PrivateFile.synchronize(descriptor) : errno {
            throw DatabaseError(systemError: error, "\(path) cannot be written to the disk")
        }
    }

    private static func rename(_ old: String, _ new: String) -> Int32 {
        #if canImport(Darwin)
            unsafe Darwin.rename(old.systemPath, new.systemPath)
        #elseif canImport(Glibc)
            unsafe Glibc.rename(old.systemPath, new.systemPath)
        #else
            unsafe Musl.rename(old.systemPath, new.systemPath)
        #endif
    }

    private func remove(_ path: String) {
        guard exists(path) else { return }
        step()
        _ = unsafe unlink(path.systemPath)
    }

    /// Deletes all files that were set aside; throws if one of them is left.
    func removeSetAside() throws(DatabaseError) {
        do throws(FileError) {
            for name in try namesSetAside() { remove(aside: name) }
            guard let left = try namesSetAside().first else { return }
            throw FileError(code: .unwritable, path: path(aside: left))
        } catch {
            throw DatabaseError(.readOnly, "a damaged file is not deleted: \(error.message)", underlying: error)
        }
    }

    /// Returns the paths of the database files that were set aside, in ascending order.
    func pathsSetAside() throws(DatabaseError) -> [String] {
        try DatabaseError.converting { () throws(FileError) in try namesSetAside().sorted().map(path(aside:)) }
    }

    /// Deletes the files that were set aside first, so that a number of them is left; `latest` stays and counts.
    private func removeOldest(keeping limit: Int, _ latest: String) {
        // The database is recovered. A file too many is no reason to say that it is not.
        // A foreign journal or log is no damaged file.
        let names = Set((try? namesSetAside()) ?? []).subtracting([latest]).filter { !$0.hasPrefix(Self.foreignMark) }
        for name in names.sorted().dropLast(limit - 1) { remove(aside: name) }
    }

    /// What the names of the files beside a database end with that are set aside with it.
    private static let suffixes = SQLiteFiles.suffixes + [erasureSuffix]

    private func remove(aside name: String) {
        for suffix in Self.suffixes + [""] { remove(path(aside: name) + suffix) }
    }

    /// The names of all files that were set aside, each once with the files beside it.
    private func namesSetAside() throws(FileError) -> Set<String> {
        let entries = try PrivateFolder(folderPath).names(maximumCount: 100_000)
        let prefix = name + AsideFile.mark
        return Set(
            entries.filter { $0.hasPrefix(prefix) }.map { entry in
                let name = String(entry.dropFirst(prefix.count))
                return Self.suffixes.first(where: name.hasSuffix).map { String(name.dropLast($0.count)) } ?? name
            }
        )
    }
}
