internal import CommandLineInterface
internal import PurchaseCore
internal import PurchaseStorage
internal import ReceiptTypes

/// `check`: checks every page, index, reference and seal.
struct CheckCommand {
    let session: Session

    func run() async throws -> ExitCode {
        try session.arguments.requireNoOperands()
        let data = try await OpenedData(session)
        try data.requireDatabase()
        let damage = try DatabaseInspection.damage(path: data.path, key: data.key)
        if damage != nil { session.output.record(.negative) }
        if session.writesJSON {
            let object: JSONObject = [
                "type": .string("check"), "sound": .boolean(damage == nil),
                "finding": .optionalString(damage?.finding.rawValue), "detail": .optionalString(damage?.detail),
            ]
            try session.writeLine(object, as: .check)
        } else if let damage {
            try session.output.writeLine("damaged: \(Escaped(damage.detail)) (\(damage.finding.rawValue))")
        } else {
            try session.output.writeLine("sound")
        }
        if damage != nil { session.messages.note("hint: replace the file with purchases repair") }
        return session.output.code
    }
}

/// `repair`: replaces a damaged database by what can be read of it.
struct RepairCommand {
    let session: Session

    func run() async throws -> ExitCode {
        try session.arguments.requireNoOperands()
        let data = try await OpenedData(session)
        try data.requireDatabaseOrRemains()
        let changed = ChangedRows(session.messages)
        try data.requireTables(changed)
        let recovery = try PurchaseDatabase.recover(path: data.path, key: data.key, onDamage: changed.add)
        if session.writesJSON {
            var object: JSONObject = [
                "type": .string("recovery"), "finding": .optionalString(recovery?.finding.rawValue),
                "detail": .optionalString(recovery?.detail), "damagedFile": .optionalString(recovery?.damagedPath),
                "rejectedRows": .integer(Int64(recovery?.rejectedRows ?? 0)),
            ]
            var rows = JSONObject()
            for (table, count) in (recovery?.salvagedRows ?? [:]).sorted(by: { $0.key < $1.key }) {
                rows[table] = .integer(Int64(count))
            }
            object["salvagedRows"] = .object(rows)
            try session.writeLine(object, as: .recovery)
        } else if let recovery {
            let purchases = recovery.salvagedRows["purchases"] ?? 0
            try session.output.writeLine("repaired: \(Escaped(recovery.detail)) (\(recovery.finding.rawValue))")
            try session.output.writeLine("purchases kept: \(purchases), rows rejected: \(recovery.rejectedRows)")
            if let path = recovery.damagedPath { try session.output.writeLine("damaged file: \(Escaped(path))") }
        } else {
            try session.output.writeLine("sound")
        }
        if recovery != nil {
            session.messages.note("hint: launch the app, which reads the rest from the store's history")
        }
        return .success
    }
}

/// `erase`: deletes everything of a user, or of all users.
struct EraseCommand {
    let session: Session

    func run() async throws -> ExitCode {
        let user = try user()
        let data = try await OpenedData(session)
        try data.requireDatabase()
        let changed = ChangedRows(session.messages)
        try data.requireTables(changed)
        let database = try PurchaseDatabase(path: data.path, key: data.key) { changed.add($0) }
        let (erased, hasFinished) = try await erase(user, from: database, data)
        if session.writesJSON {
            let object: JSONObject = [
                "type": .string("erasure"), "purchases": .integer(Int64(erased?.purchases ?? 0)),
                "events": .integer(Int64(erased?.events ?? 0)),
                "ledgerEntries": .integer(Int64(erased?.ledgerEntries ?? 0)),
            ]
            try session.writeLine(object, as: .erasure)
        } else {
            let counts = [
                "\(erased?.purchases ?? 0) purchases", "\(erased?.events ?? 0) events",
                "\(erased?.ledgerEntries ?? 0) ledger entries",
            ]
            try session.output.writeLine("deleted: \(counts.joined(separator: ", "))")
        }
        if hasFinished { session.messages.note("what an earlier erasure had left is deleted now") }
        let code = session.reportOmissions(of: changed)
        if erased != nil || hasFinished { return code }
        session.messages.note("hint: nothing of this user was found; see purchases list")
        for file in try database.filesSetAside() + data.keyedFiles.pathsSetAside() {
            session.messages.note("hint: \(Escaped(file)) can have rows of this user; delete it if it is not needed")
        }
        return .negative
    }

    /// The user to delete; nil for all.
    private func user() throws(UsageError) -> UUIDText? {
        guard session.arguments.has(.all) else {
            return UUIDText(try session.arguments.operand("the ID of an account, or --all"))
        }
        try session.arguments.requireNoOperands()
        return nil
    }

    /// Deletes a user that the database knows, or all users, and what an erasure has left that was killed or met a
    /// process that reads.
    private func erase(
        _ user: UUIDText?, from database: PurchaseDatabase, _ data: OpenedData
    ) async throws -> (erased: ErasedUser?, hasFinished: Bool) {
        let keyed = data.keyedFiles
        if user == nil { try await data.removeVerificationKeys() }
        do throws(DatabaseError) {
            // The user first: what an earlier erasure has left must not keep its rows.
            let isUnfinished = database.hasUnfinishedErasure
            guard let user else {
                try keyed.removeSetAside()
                return (try await database.eraseEverything(), isUnfinished)
            }
            let erased = try await database.eraseKnown(user) { () throws(DatabaseError) in try keyed.removeSetAside() }
            if let erased { return (erased, isUnfinished) }
            return (nil, try await database.finishErasure())
        } catch {
            guard database.hasUnfinishedErasure else { throw error }
            throw UsageError(
                "\(Escaped(error.message)) (\(error.code))", hint: "run the same command again, which deletes the rest")
        }
    }
}
