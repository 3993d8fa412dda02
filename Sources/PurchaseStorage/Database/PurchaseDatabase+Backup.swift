public import PurchaseCore
internal import ReceiptVerification
import SQLite

extension PurchaseDatabase {
    /// Writes a copy of the database to a new file with mode 0600, while other calls and processes go on using it.
    ///
    /// The copy is the state of one moment, and it is complete when it gets its name. It has the same key and is opened
    /// like the database.
    ///
    /// - Parameter path: The path of the copy, in a folder that other users cannot change.
    /// - Throws: A `DatabaseError`, with the code `not-opened` if something has the path already, which then stays as
    ///   it is.
    public func backUp(to path: String) throws(DatabaseError) {
        let (folderPath, name) = try DatabaseError.converting { () throws(FileError) in
            let parts = try PrivateFolder.parts(of: path)
            _ = try PrivateFolder(parts.folder, creating: true)
            return (try SQLiteFiles.resolved(parts.folder), parts.name)
        }
        try UnfinishedBackup(folderPath, lockTimeout: busyTimeout).make(name) { (temporary) throws(DatabaseError) in
            try withCurrentFile { () throws(DatabaseError) in
                try connection.execute("VACUUM INTO ?", [.text(temporary)])
                try DatabaseFile.synchronize(temporary)
            }
        }
    }
}

/// The file that a backup is until it is complete: one in each folder, which one process at a time writes.
///
/// A process that is killed leaves what `VACUUM INTO` has written until then, and its journal. The next backup into the
/// folder removes both, also one under another name.
struct UnfinishedBackup {
    private static let name = ".purchases-backup"
    /// The path of the folder without links, and without a slash at its end.
    private let folder: String
    private let lockTimeout: Int32

    init(_ folder: String, lockTimeout: Int32) {
        self.folder = folder
        self.lockTimeout = lockTimeout
    }

    private var path: String { "\(folder)/\(Self.name)" }

    /// Passes the path of an empty file to `write`, and gives the file its name.
    func make(_ name: String, _ write: (String) throws(DatabaseError) -> Void) throws(DatabaseError) {
        try exclusive { () throws(DatabaseError) in
            try withFolder { (folder) throws(FileError) in
                if folder.contains(name) { throw FileError(code: .exists, path: folder.path(of: name)) }
                // SQLite writes into an empty file and keeps its mode.
                _ = try folder.create(Self.name, [])
            }
            try write(path)
            try withFolder { (folder) throws(FileError) in
                guard try folder.publish(Self.name, as: name) else {
                    throw FileError(code: .exists, path: folder.path(of: name))
                }
            }
        }
    }

    /// Removes the file if a process that was killed has left it.
    func remove() throws(DatabaseError) {
        guard try withFolder({ (folder) in folder.contains(Self.name) }) else { return }
        try exclusive { () throws(DatabaseError) in }
    }

    /// Runs `body` while no other process writes the file, which does not exist before and afterwards.
    private func exclusive(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        let lock = "\(Self.name)-lock"
        func remove(_ names: [String]) throws(DatabaseError) {
            try withFolder { (folder) in for name in names { folder.remove(name) } }
        }
        try LockFile(path: "\(folder)/\(lock)", timeout: lockTimeout).exclusive { () throws(DatabaseError) in
            let names = ([""] + SQLiteFiles.suffixes).map { Self.name + $0 }
            try remove(names)
            defer { try? remove(names + [lock]) }
            try body()
        }
    }

    private func withFolder<Value>(
        _ body: (borrowing PrivateFolder) throws(FileError) -> Value
    ) throws(DatabaseError) -> Value {
        try DatabaseError.converting { () throws(FileError) in
            try body(try PrivateFolder(folder.isEmpty ? "/" : folder))
        }
    }
}
