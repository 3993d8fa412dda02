internal import ReceiptVerification

/// The state file of a running simulator, to which each step appends its changes.
///
/// When the changes take more space than the complete state before them, the file is replaced by a new complete state.
/// So the number of bytes that a step writes does not grow with the number of transactions, apart from that replacement,
/// which becomes rarer as the state grows.
struct StateLog: Sendable {
    private var file: AppendedFile
    /// The digest of the last record.
    private var digest: String
    /// The number of bytes after which the file is replaced.
    private var compactionCount: Int
    /// Whether the file has an older version, to which nothing can be appended.
    private var isOutdated: Bool

    /// The number of bytes of changes that are appended in any case.
    static let minimumChangeCount = 65_536

    private init(_ file: AppendedFile, digest: String, baseCount: Int, isOutdated: Bool = false) {
        self.file = file
        self.digest = digest
        self.isOutdated = isOutdated
        compactionCount = Self.compactionCount(afterBaseOf: baseCount)
    }

    private static func compactionCount(afterBaseOf count: Int) -> Int { count + max(count, minimumChangeCount) }

    /// Opens a state file; nil if there is none.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unreadable-state`, `damaged-state` or `newer-state`.
    static func open(_ path: String) throws(StoreSimulatorError) -> (log: StateLog, state: SimulatorState)? {
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
            let log = StateLog(
                file, digest: content.digest, baseCount: content.baseCount,
                isOutdated: content.version < StateFile.version)
            return (log, content.state)
        } catch {
            throw StoreSimulatorError(error.code, "\(path): \(error.message)", underlying: error.underlying)
        }
    }

    /// Writes a complete state to a file, atomically replacing an existing one.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unwritable-state`.
    static func create(_ path: String, _ state: SimulatorState) throws(StoreSimulatorError) -> StateLog {
        let (bytes, digest) = try StateFile.content(of: state)
        do {
            return StateLog(try AppendedFile.write(path, bytes), digest: digest, baseCount: bytes.count)
        } catch {
            throw StoreSimulatorError(.unwritableState, error.message, underlying: error)
        }
    }

    /// Saves the state after a step; if that fails, the file keeps the state before the step.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unwritable-state`, or `changed-state` if another process has
    ///   written to the file.
    mutating func save(_ state: SimulatorState, after old: SimulatorState) throws(StoreSimulatorError) {
        guard !isOutdated else { return try compact(state) }
        guard let change = StateChange(from: old, to: state) else { return }
        let record = try StateFile.record(of: change, after: digest)
        do throws(FileError) {
            try file.append(record.bytes)
        } catch {
            throw Self.failure(error)
        }
        digest = record.digest
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
        let (bytes, digest) = try StateFile.content(of: state)
        do throws(FileError) {
            try file.replace(bytes)
        } catch {
            throw Self.failure(error)
        }
        self = StateLog(file, digest: digest, baseCount: bytes.count)
    }

    private static func failure(_ error: FileError) -> StoreSimulatorError {
        guard error.code == .mismatched else {
            return StoreSimulatorError(.unwritableState, error.message, underlying: error)
        }
        return StoreSimulatorError(
            .changedState, "another process has changed \(error.path) since it was read", underlying: error)
    }
}
