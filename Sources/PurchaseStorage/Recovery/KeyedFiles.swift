internal import PurchaseCore
package import ReceiptTypes
internal import ReceiptVerification
import SQLite

/// A database, the sealed store that has its key, and the folder with the key of the sealed store.
///
/// If the sealed store or its key is lost, nothing can read the database. The three are then set aside together, in the
/// order key, sealed store, database, and new ones take their places. All of it is under the exclusive lock, and a note
/// beside the database says so until the new one is there: a process that still has the old key makes no file with it,
/// and a process that is killed in between leaves files that still need the same call.
package struct KeyedFiles: Sendable {
    private let database: String
    let secrets: String
    /// The folder of the file with the key, and the name of the file; nil if the app has the key elsewhere.
    let key: (folder: String, name: String)?

    package init(database: String, secrets: String, key: (folder: String, name: String)?) {
        self.database = database
        self.secrets = secrets
        self.key = key
    }

    // MARK: Paths

    /// The paths of all files, also of those that do not exist now, and of the folder of the sealed store.
    ///
    /// A file that replaces one of them, or that takes the name of one that does not exist, can lose all purchases. A
    /// path with a hyphen at its end stands for every path that begins so.
    package var paths: [String] {
        let keyFile = key.map { "\($0.folder)/\($0.name)" }
        var prefixes = [database + AsideFile.mark, secrets + AsideFile.mark]
        if let keyFile { prefixes += [keyFile + SealingKeyFile.earlierSuffix, keyFile + AsideFile.mark] }
        // The files of a folder that cannot be opened are not known.
        let entries = (prefixes + ["\(secrets)/"]).flatMap { (try? Self.entries(startingWith: $0)) ?? [] }
        return DatabaseFile.paths(of: database) + [secrets] + (keyFile.map { [$0] } ?? []) + prefixes + entries
    }

    /// Returns the paths of the entries of a folder whose names start as the last component does; none without the
    /// folder.
    static func entries(startingWith prefix: String) throws(FileError) -> [String] {
        let slash = prefix.lastIndex(of: "/").map { prefix.index(after: $0) } ?? prefix.startIndex
        let (folder, start) = (String(prefix[..<slash]), prefix[slash...])
        guard folder.isEmpty || DatabaseFile.exists(folder) else { return [] }
        let names = try PrivateFolder(folder.isEmpty ? "." : folder).names(maximumCount: entryLimit)
        return names.filter { $0.hasPrefix(start) }.map { folder + $0 }
    }

    static let entryLimit = 100_000

    // MARK: Loss

    /// Throws an error if there is a file that needs a key and the place of the key is empty.
    ///
    /// Without this check a new key would take the place of the missing one. What needs a key is looked for first,
    /// because a first start in another process makes the key first.
    package func requireKeys() throws {
        try DatabaseFile(database, lockTimeout: Self.lockTimeout).requireNotSetAside()
        let hasDatabase = hasDatabase
        // With one of the two, a value was stored. If the other one is missing, the store itself finds that.
        let hasSecrets = [SealedFolderView.manifestName, SealedFolderView.counterName].contains {
            DatabaseFile.exists("\(secrets)/\($0)")
        }
        if hasSecrets, let key {
            let path = "\(key.folder)/\(key.name)"
            guard DatabaseFile.exists(path) else {
                throw SealedStoreError(.keyUnknown, "the key file \(path) does not exist")
            }
            // The provider would replace it by a new key. It reports what else is wrong with the file.
            if (try? SealingKey.isHalfMade(at: path)) == true {
                throw SealedStoreError(.notAKey, "the key file \(path) is empty or cut off")
            }
        }
        if hasDatabase, !hasSecrets {
            throw DatabaseError(.wrongKey, "the sealed store \(secrets) with the database's key is empty")
        }
    }

    /// Whether the database has content, which only its own key opens.
    package var hasDatabase: Bool { SQLiteFiles.hasContent(database) }

    /// Returns whether an error means that the key of the database cannot be read again.
    package static func isLoss(_ error: any Error) -> Bool {
        switch error {
        case let error as SealedStoreError:
            let codes: [SealedStoreError.Code] = [
                .keyUnknown, .notAKey, .damaged, .truncated, .swapped, .rolledBack, .missingFile,
            ]
            // A place of the keys that cannot be reached can be reached later.
            return codes.contains(error.code)
        case let error as DatabaseError: return error.code == .wrongKey
        default: return false
        }
    }

    // MARK: Starting over

    /// Runs `body` while no process sets the files aside.
    package func whileInPlace<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await DatabaseFile(database, lockTimeout: Self.lockTimeout).lock.sharedWhile(body)
    }

    /// The longest wait for another process, in milliseconds.
    private static let lockTimeout: Int32 = 5_000

    /// Which files there are, to find out whether another process has replaced them.
    package struct State: Equatable {
        fileprivate let files: [FileIdentity?]
    }

    package var state: State {
        let paths = [database, secrets] + (key.map { ["\($0.folder)/\($0.name)"] } ?? [])
        return State(files: paths.map { FileIdentity(path: $0) })
    }

    /// Sets the files aside, and makes a database with the key that `makeKey` returns, which counts as recovered.
    ///
    /// Nothing happens if another process has replaced one of the files since a state.
    ///
    /// - Parameter makeKey: Makes a new sealed store, with the key of a new database.
    package func startOver(
        _ known: State, at now: Timestamp, makeKey: () async throws -> [UInt8]
    ) async throws {
        let file = try DatabaseFile(database, lockTimeout: Self.lockTimeout)
        try await file.lock.exclusiveWhile {
            guard state == known else { return }
            let aside = try file.setAside(at: now, with: try keyFiles() + [AsideFile(secrets)])
            let key = try PurchaseDatabase.checked(try await makeKey())
            _ = try RecoveryRun(
                file: file, key: key, busyTimeout: Self.lockTimeout, limit: Self.keptCount, now: now
            ).replaceFile(DamageCheck.Damage(.missing), aside: aside)
            // The files are new. One too many is no reason to say that they are not.
            try? removeSetAside(keeping: Self.keptCount)
        }
    }

    /// The number of sealed stores, keys and database files that are kept, also of those that recoveries have set
    /// aside.
    private static let keptCount = 3

    /// The file of the key, and those of earlier keys, which the new store must not take for its own. Their folder
    /// stays: it can be one that the process must not rename, such as a volume.
    private func keyFiles() throws(DatabaseError) -> [AsideFile] {
        guard let key else { return [] }
        let file = "\(key.folder)/\(key.name)"
        let earlier = try DatabaseError.converting(as: .readOnly) { () throws(FileError) in
            try Self.entries(startingWith: file + SealingKeyFile.earlierSuffix)
        }
        return [AsideFile(file)] + earlier.sorted().map { AsideFile(file, String($0.dropFirst(file.count))) }
    }
}
