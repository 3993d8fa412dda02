internal import CommandLineInterface
internal import PurchaseAssembly
internal import PurchaseCore
internal import PurchaseStorage
internal import ReceiptTypes

/// The paths that the flags name.
struct DataPlaces {
    let database: String
    let secrets: String
    let keyFile: String
    /// The name of the store whose key is in the Secret Service; nil if it is in the file.
    let secretService: String?
    private let arguments: Arguments

    init(_ arguments: Arguments) {
        self.arguments = arguments
        let folder = PurchaseFolder(arguments.value(of: .data) ?? ".")
        database = arguments.value(of: .database) ?? folder.databasePath
        secrets = arguments.value(of: .secrets) ?? folder.secretsPath
        keyFile = arguments.value(of: .keyFile) ?? folder.keyPath
        secretService = arguments.value(of: .secretService)
    }

    /// The files at the paths.
    var files: KeyedFiles {
        guard secretService == nil else { return KeyedFiles(database: database, secrets: secrets, key: nil) }
        let slash = keyFile.lastIndex(of: "/")
        let folder = slash.map { String(keyFile[..<$0]) } ?? "."
        return KeyedFiles(
            database: database, secrets: secrets,
            key: (folder: folder, name: slash.map { String(keyFile[keyFile.index(after: $0)...]) } ?? keyFile))
    }

    /// The paths that no output replaces.
    var paths: [String] { files.paths }

    /// Checks that there is a file or folder at the path of a flag, so that none is created.
    func require(_ path: String, _ name: String, _ flag: Flag) throws(UsageError) {
        guard !SystemCalls.exists(path) else { return }
        let variable = arguments.variable(of: arguments.mentions(flag) ? flag : .data)
        throw UsageError(
            "there is no \(name) \(Escaped(path))",
            hint: variable.map { "check the value of \($0)" }
                ?? "name the folder with --data in which the app has been started, or use \(flag.spelling)")
    }

    /// The place of the sealed store's key, which must have one.
    func keys() throws(UsageError) -> any SealingKeyProvider {
        guard let secretService else {
            try require(keyFile, "key file", .keyFile)
            return SealingKeyFile(keyFile)
        }
        #if canImport(Security)
            throw UsageError(
                "there is no Secret Service on this system", hint: "leave out \(arguments.spelling(of: .secretService))"
            )
        #else
            return SecretServiceKeys(store: secretService, makesFirst: false)
        #endif
    }
}

/// The database and the key that the flags name. Nothing is created that does not exist.
struct OpenedData {
    let path: String
    let key: [UInt8]
    private let places: DataPlaces
    private let secrets: SealedStore

    /// Reads the key of the database.
    init(_ session: Session) async throws {
        let arguments = session.arguments
        guard arguments.value(of: .user).map(\.isEmpty) != true else { throw UsageError("--user needs an account") }
        places = DataPlaces(arguments)
        path = places.database
        let keys = try places.keys()
        try places.require(places.secrets, "sealed store", .secrets)
        let value: [UInt8]?
        do throws(SealedStoreError) {
            secrets = try SealedStore(folder: places.secrets, keys: keys)
            value = try await secrets.value(of: PurchaseFolder.databaseKeyName)
        } catch {
            throw UsageError("\(Escaped(error.message)) (\(error.code))", hint: error.hint.map { Escaped($0) })
        }
        guard let value else {
            throw UsageError(
                "the sealed store \(Escaped(places.secrets)) has no value \(PurchaseFolder.databaseKeyName)",
                hint: "name another one with \(arguments.spelling(of: .secrets))")
        }
        key = value
    }

    /// The database, the sealed store and its key.
    var keyedFiles: KeyedFiles { places.files }

    /// The paths of the files that the tool works on.
    var files: [String] { places.paths }

    /// Opens the database for reading.
    func inspection() throws -> DatabaseInspection {
        try requireDatabase()
        do throws(DatabaseError) {
            return try DatabaseInspection(path: path, key: key)
        } catch {
            throw Self.usageError(error)
        }
    }

    /// Removes the verification keys from the sealed store; the app finds them again with the next receipts.
    func removeVerificationKeys() async throws(SealedStoreError) {
        try await secrets.remove(PurchaseFiles.verificationKeysName)
    }

    /// Checks that there is a file, so that none is created.
    func requireDatabase() throws(UsageError) { try places.require(path, "database", .database) }

    /// Checks that there is a file, or that one was there: a database that was removed leaves its lock.
    func requireDatabaseOrRemains() throws(UsageError) {
        if !SystemCalls.exists("\(path)-lock") { try requireDatabase() }
    }

    /// Checks that the app has created the tables; for a command that writes, which first sets a foreign journal
    /// and a foreign log aside.
    func requireTables(_ changed: ChangedRows) throws(UsageError) {
        do throws(DatabaseError) {
            try PurchaseDatabase.setAsideForeignFiles(path: path, key: key) { changed.add($0) }
            _ = try DatabaseInspection(path: path, key: key)
        } catch {
            if error.code == .noTables { throw Self.usageError(error) }
        }
    }

    static func usageError(_ error: DatabaseError) -> UsageError {
        let hint =
            switch error.code {
            case .noTables: "launch the app, which creates them"
            case .damaged: "run purchases check, and then purchases repair"
            case .foreignJournal, .foreignLog:
                "run purchases repair or launch the app; either sets it aside under another name"
            default: error.hint
            }
        return UsageError(
            "\(Escaped(error.message)) (\(error.code))", hint: hint.map { Escaped($0) },
            code: [.foreignJournal, .foreignLog].contains(error.code) ? .foreign : .unusable)
    }
}

/// The rows that a database has reported, because another program has changed them.
final class ChangedRows: Sendable {
    private let messages: Messages
    private let rows = Locked<[DamagedRow]>([])

    init(_ messages: Messages) {
        self.messages = messages
    }

    /// Adds a row, or prints what was set aside, also when quiet.
    func add(_ row: DamagedRow) {
        guard row.pathSetAside == nil else { return messages.error(UsageError("\(Escaped(row.description))")) }
        rows.withLock { $0.append(row) }
    }

    var all: [DamagedRow] { rows.withLock { $0 } }
}

extension Session {
    /// Reports each row that an inspection has left out, also when quiet, because the results are incomplete without
    /// it.
    ///
    /// - Returns: The exit code: negative if a row was left out.
    func reportOmissions(of inspection: DatabaseInspection) -> ExitCode {
        report(inspection.omissions.map { ($0.row, $0.isMissing) })
    }

    /// Reports each row that a database has ignored, also when quiet.
    ///
    /// - Returns: The exit code: negative if a row was ignored.
    func reportOmissions(of changed: ChangedRows) -> ExitCode { report(changed.all.map { ($0, false) }) }

    private func report(_ omissions: [(row: DamagedRow, isMissing: Bool)]) -> ExitCode {
        for (index, omission) in omissions.enumerated() {
            let (table, identity) = (Escaped(omission.row.table), Escaped(omission.row.identity))
            let isLast = index == omissions.count - 1
            messages.error(
                UsageError(
                    omission.isMissing
                        ? "a row of \(table) is missing: \(identity)"
                        : "a row of \(table) has a wrong seal and is left out: \(identity)",
                    hint: isLast ? "run purchases check, and then purchases repair" : nil))
        }
        return omissions.isEmpty ? .success : .negative
    }
}
