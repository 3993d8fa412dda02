public import PurchaseCore
internal import ReceiptVerification

extension PurchaseDatabase {
    /// Writes a copy of the database to a new file with mode 0600, while other calls and processes go on using it.
    ///
    /// The copy is the state of one moment, and it is complete when it gets its name. It has the same key and is opened like
    /// the database.
    ///
    /// - Parameter path: The path of the copy, in a folder that other users cannot change.
    /// - Throws: A `DatabaseError`, with the code `not-opened` if something has the path already, which then stays as it is.
    public func backUp(to path: String) throws(DatabaseError) {
        let result: Result<Void, DatabaseError>
        do throws(FileError) {
            let parts = try PrivateFolder.parts(of: path)
            let folder = try PrivateFolder(parts.folder, creating: true)
            if folder.contains(parts.name) { throw FileError(code: .exists, path: path) }
            let temporary = ".\(parts.name).\(UInt64.random(in: .min ... .max)).tmp"
            // SQLite writes into an empty file and keeps its mode.
            _ = try folder.create(temporary, [])
            result = copy(to: "\(try DatabaseFile.resolved(parts.folder))/\(temporary)")
            if case .success = result { folder.keep(temporary, as: parts.name) }
            let isKept = folder.isSame(temporary, as: parts.name, in: folder)
            folder.remove(temporary)
            if case .success = result, !isKept {
                throw FileError(code: folder.contains(parts.name) ? .exists : .unwritable, path: path)
            }
        } catch {
            throw DatabaseError(.notOpened, error.message, underlying: error)
        }
        try result.get()
    }

    private func copy(to path: String) -> Result<Void, DatabaseError> {
        do throws(DatabaseError) {
            try withCurrentFile { () throws(DatabaseError) in
                try connection.execute("VACUUM INTO ?", [.text(path)])
                try DatabaseFile.synchronize(path)
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
