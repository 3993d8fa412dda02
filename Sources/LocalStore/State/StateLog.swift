internal import ReceiptVerification

/// The state file of a running simulator, to which each step appends its changes.
///
/// When the changes take more space than the complete state before them, the file is replaced by a new complete state.
/// So the number of bytes that a step writes does not grow with the number of transactions, apart from that
/// replacement, which becomes rarer as the state grows.
///
/// A log can also keep a ``StateIndex``, with which a command reads only what it depends on.
struct StateLog: Sendable {
    private var file: AppendedFile
    /// The last record.
    private var place: StateIndex.Place
    /// The number of bytes after which the file is replaced.
    private var compactionCount: Int
    /// Whether the file has an older version, to which nothing can be appended.
    private var isOutdated: Bool
    private var indexing = Indexing.none

    /// How a log keeps the index.
    private enum Indexing {
        case none
        /// Writes an index of the complete state after each step.
        case complete(TransactionTable)
        /// Has only the part of the state that the index has loaded.
        case part(StateIndex)

        /// Where the transactions stand in the file.
        var table: TransactionTable? {
            get {
                switch self {
                case .none: nil
                case .complete(let table): table
                case .part(let index): index.table
                }
            }
            set {
                guard let newValue else { return }
                switch self {
                case .none: return
                case .complete: self = .complete(newValue)
                case .part(var index):
                    index.table = newValue
                    self = .part(index)
                }
            }
        }
    }

    /// The number of bytes of changes that are appended in any case.
    static let minimumChangeCount = 65_536
    /// The number of bytes of changes after which an index is renewed.
    static let indexedChangeCount = 16_384

    private init(_ file: AppendedFile, _ place: StateIndex.Place, baseCount: Int, isOutdated: Bool = false) {
        self.file = file
        self.place = place
        self.isOutdated = isOutdated
        compactionCount = Self.compactionCount(afterBaseOf: baseCount)
    }

    private static func compactionCount(afterBaseOf count: Int) -> Int { count + max(count, minimumChangeCount) }

    // MARK: Opening

    /// Opens a state file; nil if there is none.
    ///
    /// - Parameter isIndexed: Whether each step also writes the index.
    /// - Throws: ``StoreSimulatorError`` with the code `unreadable-state`, `damaged-state` or `newer-state`.
    static func open(
        _ path: String, isIndexed: Bool = false
    ) throws(StoreSimulatorError) -> (log: StateLog, state: SimulatorState)? {
        let read: (file: AppendedFile, bytes: [UInt8])?
        do {
            read = try AppendedFile.read(path, maximumCount: StateFile.maximumSize)
        } catch {
            throw StoreSimulatorError(.unreadableState, error.message, underlying: error)
        }
        guard let read else { return nil }
        do throws(StoreSimulatorError) {
            let content = try StateFile.decode(read.bytes)
            var file = read.file
            file.keep(content.completeCount)
            var log = StateLog(
                file, content.place, baseCount: content.baseCount, isOutdated: content.version < StateFile.version)
            if isIndexed {
                log.indexing = .complete(TransactionTable())
                log.indexAll(read.bytes)
            }
            return (log, content.state)
        } catch {
            throw StoreSimulatorError(error.code, "\(path): \(error.message)", underlying: error.underlying)
        }
    }

    /// Opens a state file for one command; nil if there is none.
    ///
    /// The state has everything that the command needs, and perhaps nothing else: only with an index that fits the file
    /// can the rest be left out.
    ///
    /// - Throws: As ``open(_:isIndexed:)``.
    static func open(
        _ path: String, for need: StateNeed
    ) throws(StoreSimulatorError) -> (log: StateLog, state: SimulatorState)? {
        // The complete state takes longer to read, but tells what is wrong.
        if let part = try? openPart(path, need) { return part }
        return try open(path, isIndexed: true)
    }

    private static func openPart(_ path: String, _ need: StateNeed) throws -> (log: StateLog, state: SimulatorState)? {
        guard var index = StateIndex.read(StateIndex.path(for: path)), index.place.end > 0 else { return nil }
        // The digest covers all records before, so where it is found, the file has grown from what the index describes.
        let digest = [UInt8](index.place.digest.utf8)
        let read = try AppendedFile.read(
            path, from: [index.place.lastRecord, index.place.end - 1], headCount: digest.count,
            maximumCount: StateFile.maximumSize)
        guard let (file, parts) = read, parts[0] == digest else { return nil }
        var lines = RecordLines(parts[1])
        // The newline at the end of the last record that the index covers.
        guard lines.next()?.isEmpty == true else { return nil }
        let changes = try StateFile.changes(&lines, after: index.place.digest)
        guard try index.apply(changes.map(\.change)) else { return nil }
        var place = index.place
        let offset = index.place.end - 1
        for change in changes { try index.table.add(record: change.line, at: offset + change.start) }
        if let last = changes.last {
            place = .init(lastRecord: offset + last.start, digest: last.digest, end: offset + lines.position)
        }
        // Only a process with the complete state can replace the file.
        guard place.end <= index.compactionCount,
            try index.load(need, reading: { try transactions(at: $0, in: path) })
        else { return nil }
        var kept = file
        kept.keep(place.end)
        var log = StateLog(kept, place, baseCount: place.end)
        log.indexing = .part(index)
        return (log, index.part)
    }

    /// Returns the transactions at places in a state file; nil if one of them is not there.
    private static func transactions(
        at entries: [TransactionTable.Entry], in path: String
    ) throws -> [StoredTransaction]? {
        // The last part begins after the end of the file, and is empty.
        let read = try AppendedFile.read(
            path, from: entries.map(\.offset) + [.max], headCount: entries.map(\.count).max() ?? 0,
            maximumCount: StateFile.maximumSize)
        var transactions: [StoredTransaction] = []
        for (entry, part) in zip(entries, read?.parts ?? []) {
            guard let transaction = try entry.transaction(in: part.prefix(entry.count)) else { return nil }
            transactions.append(transaction)
        }
        return transactions
    }

    /// Notes where the transactions stand in the content of the file.
    private mutating func indexAll(_ bytes: [UInt8]) {
        guard case .complete = indexing else { return }
        var table = TransactionTable()
        // Without the table, a command takes longer.
        try? table.add(fileContent: bytes)
        indexing.table = table
    }

    /// Writes a complete state to a file, atomically replacing an existing one.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unwritable-state`.
    static func create(_ path: String, _ state: SimulatorState) throws(StoreSimulatorError) -> StateLog {
        let (bytes, place) = try StateFile.content(of: state)
        do {
            return StateLog(try AppendedFile.write(path, bytes), place, baseCount: bytes.count)
        } catch {
            throw StoreSimulatorError(.unwritableState, error.message, underlying: error)
        }
    }

    // MARK: Saving

    /// Saves the state after a step; if that fails, the file keeps the state before the step.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unwritable-state`, or `changed-state` if another process has
    ///   written to the file.
    mutating func save(_ state: SimulatorState, after old: SimulatorState) throws(StoreSimulatorError) {
        if isOutdated {
            try compact(state)
        } else if let change = StateChange(from: old, to: state) {
            try append(change)
            compactIfNeeded(state)
        }
        // The step is saved. Without the index, the next purchase takes longer.
        try? updateIndex(state)
    }

    private mutating func append(_ change: StateChange) throws(StoreSimulatorError) {
        let record = try StateFile.record(of: change, after: place.digest)
        let start = file.keptCount
        do throws(FileError) {
            try file.append(record.bytes)
        } catch {
            throw Self.failure(error)
        }
        place = .init(lastRecord: start, digest: record.digest, end: file.keptCount)
        // Without the entries of this step, a command takes longer.
        try? indexing.table?.add(record: record.bytes.dropLast(), at: start)
    }

    private mutating func compactIfNeeded(_ state: SimulatorState) {
        // A part cannot replace the file. Later commands read the complete state, until one of them has replaced the
        // file.
        if case .part = indexing { return }
        guard file.keptCount > compactionCount else { return }
        do throws(StoreSimulatorError) {
            try compact(state)
        } catch {
            // The step is saved. The file grows until it can be replaced.
            compactionCount = Self.compactionCount(afterBaseOf: file.keptCount)
        }
    }

    /// Replaces the file by a complete state.
    private mutating func compact(_ state: SimulatorState) throws(StoreSimulatorError) {
        let (bytes, place) = try StateFile.content(of: state)
        do throws(FileError) {
            try file.replace(bytes)
        } catch {
            throw Self.failure(error)
        }
        let indexing = indexing
        self = StateLog(file, place, baseCount: bytes.count)
        self.indexing = indexing
        indexAll(bytes)
    }

    private mutating func updateIndex(_ state: SimulatorState) throws {
        switch indexing {
        case .none: return
        case .complete(let table):
            try write(StateIndex(of: state, at: place, compactionCount: compactionCount, table))
        case .part(var index):
            guard place.end - index.place.end > Self.indexedChangeCount else { return }
            try index.update(state, at: place)
            indexing = .part(index)
            try write(index)
        }
    }

    private func write(_ index: StateIndex) throws {
        try PrivateFile.replace(StateIndex.path(for: file.path), try index.content())
    }

    private static func failure(_ error: FileError) -> StoreSimulatorError {
        guard error.code == .mismatched else {
            return StoreSimulatorError(.unwritableState, error.message, underlying: error)
        }
        return StoreSimulatorError(
            .changedState, "another process has changed \(error.path) since it was read", underlying: error)
    }
}
