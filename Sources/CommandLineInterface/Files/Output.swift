internal import ReceiptTypes

/// The destination of results: standard output, or the file that a flag names.
///
/// A file is written under a temporary name in the same folder and renamed when it is complete, so that a reader never
/// sees an incomplete file. A pipe or a device is written to directly.
///
/// A resumable file always has the temporary name `FILE.partial`, which stays when a run is interrupted.
package final class Output {
    /// The reason that results cannot be written.
    package enum Failure: Error {
        /// The reader has closed the pipe, as in `verify-receipt … | head`. The tool then exits with ``Output/code``.
        case closed
        case unusable(UsageError)
    }

    private let descriptor: Int32
    private let target: String?
    private let temporary: String?
    private let isResumable: Bool
    /// The files that the run writes or replaces.
    private let files: Set<FileIdentity>
    /// The flag that names the file, as it is written on the command line.
    private let flag: String
    private var buffer: [UInt8] = []
    private var isFinished = false
    /// The exit code of the results so far, with which a run ends early if its reader closes the pipe.
    package private(set) var code = ExitCode.success

    /// Opens a file for writing, or standard output if the path is nil or `-`.
    ///
    /// - Parameters:
    ///   - flag: The flag that names the path, as it is written on the command line.
    ///   - isPrivate: Whether a new file is for this user alone; a file that is replaced keeps its permissions.
    ///   - inputs: The paths of the files that the run reads. None of them may be the output, its temporary file or its
    ///     checkpoint, by any path: the run would destroy its input.
    ///   - protectedPaths: The paths of files and folders that belong to the tool, also of files that do not exist.
    ///     None of them may be the output or its folder. One with a hyphen at its end stands for every path that begins
    ///     so.
    package init(
        path: String?, from flag: String = "--output", isResumable: Bool = false, isPrivate: Bool = false,
        inputs: [String] = [], protectedPaths: [String] = []
    ) throws(UsageError) {
        self.flag = flag
        guard let path, path != "-" else {
            files = Set([Self.identity(of: try? SystemCalls.status(of: 1))].compactMap(\.self))
            (descriptor, target, temporary, self.isResumable) = (1, nil, nil, false)
            try Self.require(inputs + protectedPaths, toDifferFrom: files, flag)
            return
        }
        let destination = SystemCalls.resolved(path) ?? path
        let kind = try? SystemCalls.kind(ofFileAt: destination)
        guard kind != .directory else {
            throw UsageError("\(path) is a folder", hint: "\(flag) takes a file")
        }
        if kind == .other {
            do throws(SystemCalls.Failure) {
                descriptor = try SystemCalls.openForWriting(destination, .existing)
            } catch {
                throw .cannotWrite(path, error, hint: "check the value of \(flag)")
            }
            (target, temporary, self.isResumable, files) = (nil, nil, false, [])
            return
        }
        let suffixes = isResumable ? ["", Self.partialSuffix, Self.checkpointSuffix] : [""]
        let existing = suffixes.compactMap { Self.identity(of: try? SystemCalls.status(ofFileAt: destination + $0)) }
        // Before anything is opened: a temporary file that cannot be used is removed.
        try Self.require(inputs + protectedPaths, toDifferFrom: Set(existing), flag)
        try Self.requirePlace(of: destination, outside: protectedPaths, name: path, flag)
        let file = destination + (isResumable ? Self.partialSuffix : ".\(SystemCalls.processID).tmp")
        // A signal between creating the file and naming it here would leave the file behind.
        Interruption.beginDeferring()
        defer { Interruption.exitIfPending() }
        Interruption.setOutcomes(
            kept: "the results so far are in \(Escaped(file)); run the same command with --resume to continue",
            removed: "\(Escaped(path)) was not written"
        )
        descriptor =
            try isResumable
            ? Self.openPartialFile(file, of: path, flag) : Self.openNewFile(file, isPrivate, of: path, flag)
        do throws(SystemCalls.Failure) {
            let status = try SystemCalls.status(of: descriptor)
            files = Set(existing + [status.identity])
            // A partial file with content belongs to an earlier run, which may be resumed.
            if status.size == 0 { Interruption.setFileToRemove(file) }
            if case .regular(let permissions) = kind {
                try SystemCalls.setPermissions(permissions, of: descriptor)
            }
        } catch {
            throw .cannotWrite(path, error, hint: "check the value of \(flag)")
        }
        (target, temporary, self.isResumable) = (destination, file, isResumable)
    }

    private static let partialSuffix = ".partial"
    private static let checkpointSuffix = ".checkpoint"

    private static func openNewFile(
        _ file: String, _ isPrivate: Bool, of path: String, _ flag: String
    ) throws(UsageError) -> Int32 {
        do throws(SystemCalls.Failure) {
            return try SystemCalls.openForWriting(file, .new, permissions: isPrivate ? 0o600 : 0o666)
        } catch {
            throw .cannotWrite(path, error, hint: "check the value of \(flag)")
        }
    }

    /// Opens the partial file and locks it.
    private static func openPartialFile(_ file: String, of path: String, _ flag: String) throws(UsageError) -> Int32 {
        let opened: PartialFile
        do throws(SystemCalls.Failure) {
            opened = try PartialFile(file)
        } catch {
            throw .cannotWrite(path, error, hint: "check the value of \(flag)")
        }
        switch opened {
        case .locked(let descriptor): return descriptor
        case .foreign:
            throw UsageError(
                "\(file) is not a file of an earlier run by this user",
                hint: "remove it, or name another file with \(flag)")
        case .inUse:
            throw UsageError(
                "another run is writing \(path)", hint: "wait for it to finish, or name another file")
        }
    }

    /// The file in which a resumable run collects its results.
    private enum PartialFile {
        /// An open file, locked by this process.
        case locked(Int32)
        /// A link, a pipe, a file of another user, or a second name of a file.
        case foreign
        /// A file that another process has locked.
        case inUse

        init(_ file: String) throws(SystemCalls.Failure) {
            // A run that finishes between two calls renames its file: the lock then belongs to the finished file.
            for _ in 0..<16 {
                guard let descriptor = try SystemCalls.openOwnFile(file) else {
                    self = .foreign
                    return
                }
                guard try SystemCalls.lock(descriptor) else { break }
                let identity = try SystemCalls.status(of: descriptor).identity
                if let found = try? SystemCalls.status(ofFileAt: file, followsLink: false), found.identity == identity {
                    self = .locked(descriptor)
                    return
                }
                try SystemCalls.close(descriptor)
            }
            self = .inUse
        }
    }

    // MARK: Inputs

    /// Throws an error if the file at a path is the output, its temporary file or its checkpoint.
    package func requireInput(_ path: String, in folder: String) throws(UsageError) {
        guard let identity = Self.identity(of: try? SystemCalls.status(ofFileAt: path)), files.contains(identity)
        else { return }
        throw UsageError(
            "the output is in the folder \(folder), which is an input",
            hint: "name a file outside of the folder with \(flag)")
    }

    private static func require(
        _ inputs: [String], toDifferFrom files: Set<FileIdentity>, _ flag: String
    ) throws(UsageError) {
        guard !files.isEmpty else { return }
        for input in inputs {
            let status = input == "-" ? try? SystemCalls.status(of: 0) : try? SystemCalls.status(ofFileAt: input)
            guard let identity = identity(of: status), files.contains(identity) else { continue }
            let name = input == "-" ? "standard input" : "\(Escaped(input))"
            throw UsageError(
                "\(name) is an input, and this run would replace it with its output",
                hint: "name another file with \(flag)")
        }
    }

    /// Checks that a new file would not be in one of the tool's folders, or have the path that one of its files can
    /// get.
    private static func requirePlace(
        of destination: String, outside protectedPaths: [String], name: String, _ flag: String
    ) throws(UsageError) {
        let place = Place(destination)
        for path in protectedPaths {
            let isSame = Place(path).map { place?.isAt($0) ?? false } ?? false
            let isFolder = place.map { $0.folder == (try? SystemCalls.status(ofFileAt: path))?.identity } ?? false
            guard isSame || isFolder else { continue }
            throw UsageError(
                "\(name) is a path of files that the command works on",
                hint: "name another file with \(flag)")
        }
    }

    /// The name of a file and the identity of its folder, by which two paths of a file that does not exist are
    /// compared.
    private struct Place {
        let folder: FileIdentity
        let name: Substring

        /// Returns whether the file is at another place, or at one of those that begin so if that one has a hyphen at
        /// its end.
        func isAt(_ other: Place) -> Bool {
            folder == other.folder && (name == other.name || other.name.last == "-" && name.hasPrefix(other.name))
        }

        /// Finds the folder of a path; nil if there is none.
        init?(_ path: String) {
            // A link is followed to the file, which can be in another folder.
            let path = SystemCalls.resolved(path) ?? path
            let slash = path.lastIndex(of: "/")
            let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            guard let identity = (try? SystemCalls.status(ofFileAt: folder))?.identity else { return nil }
            self.folder = identity
            name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        }
    }

    /// The identity of a regular file; nil for anything else, since devices and pipes are not replaced.
    private static func identity(of status: FileStatus?) -> FileIdentity? {
        status.flatMap { $0.kind == .regular ? $0.identity : nil }
    }

    /// Whether results go to a terminal.
    package var isTerminal: Bool { SystemCalls.isTerminal(descriptor) }

    /// The number of columns of the terminal that results go to; nil if there is none, or it does not tell it.
    var terminalWidth: Int? { SystemCalls.terminalWidth(descriptor) }

    // MARK: Writing

    /// Adds the exit code of a result; call it before the result is written, because writing can end the run.
    package func record(_ code: ExitCode) { self.code = self.code.combined(with: code) }

    /// Appends bytes to the buffer, and writes it out when it is full.
    package func write(_ bytes: [UInt8]) throws(Failure) {
        buffer += bytes
        if buffer.count >= 65_536 { try flush() }
    }

    /// Writes text for a person.
    package func write(_ text: Escaped) throws(Failure) {
        try write([UInt8](text.description.utf8))
    }

    /// Writes a line for a person.
    package func writeLine(_ text: Escaped) throws(Failure) {
        try write(text + "\n")
    }

    /// Writes data as it is, such as a page or a script.
    package func write(ofData text: String) throws(Failure) { try write([UInt8](text.utf8)) }

    /// Writes a line of data as it is, such as JSON or a JWS.
    package func writeLine(ofData text: String) throws(Failure) { try write(ofData: text + "\n") }

    /// Writes out the buffer.
    package func flush() throws(Failure) {
        guard !buffer.isEmpty else { return }
        do throws(SystemCalls.Failure) {
            try SystemCalls.write(buffer, to: descriptor)
        } catch {
            throw failure(error)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Completes the output and renames a file to its final name. A second call does nothing.
    package func finish() throws(Failure) {
        guard !isFinished else { return }
        try flush()
        guard let target, let temporary else { return }
        isFinished = true
        do throws(SystemCalls.Failure) {
            try SystemCalls.synchronize(descriptor)
            try SystemCalls.close(descriptor)
            try SystemCalls.rename(temporary, to: target)
        } catch {
            throw failure(error)
        }
        if let checkpointPath { SystemCalls.remove(checkpointPath) }
        Interruption.setFileToRemove(nil)
        Interruption.setIsResumable(false)
    }

    /// Removes an incomplete file, unless its run can be resumed.
    package func discard() {
        guard let temporary, !isFinished else { return }
        if let checkpointPath, SystemCalls.exists(checkpointPath) { return }
        SystemCalls.remove(temporary)
        Interruption.setFileToRemove(nil)
    }

    // MARK: Resuming

    /// The file in which a run stores its progress; nil if the output cannot be resumed.
    package var checkpointPath: String? { isResumable ? target.map { $0 + Self.checkpointSuffix } : nil }

    /// The size of the partial file in bytes; 0 if the output cannot be resumed.
    package var partialSize: Int {
        get throws(Failure) {
            guard isResumable else { return 0 }
            do throws(SystemCalls.Failure) {
                return try SystemCalls.size(of: descriptor)
            } catch {
                throw failure(error)
            }
        }
    }

    /// Passes the first bytes of the partial file to a closure, in pieces; fewer bytes if the file is shorter.
    package func readPartial(_ count: Int, _ body: ([UInt8]) throws -> Void) throws {
        guard isResumable, let temporary else { return }
        let descriptor = try SystemCalls.openForReading(temporary)
        defer { try? SystemCalls.close(descriptor) }
        var rest = count
        while rest > 0 {
            let piece = try SystemCalls.read(descriptor, atMost: min(rest, 1_048_576))
            guard !piece.isEmpty else { return }
            try body(piece)
            rest -= piece.count
        }
    }

    /// Truncates the partial file of an earlier run to a number of bytes, and continues after them.
    package func truncate(to count: Int) throws(Failure) {
        guard isResumable else { return }
        do throws(SystemCalls.Failure) {
            try SystemCalls.truncate(descriptor, to: count)
        } catch {
            throw failure(error)
        }
        Interruption.setFileToRemove(count > 0 ? nil : temporary)
        Interruption.setIsResumable(count > 0)
    }

    /// Keeps the partial file from now on, even if the run is interrupted.
    package func markAsResumable() {
        Interruption.setFileToRemove(nil)
        Interruption.setIsResumable(true)
    }

    /// Writes the buffer through to the disk, and returns the size of the file in bytes.
    package func synchronize() throws(Failure) -> Int {
        try flush()
        do throws(SystemCalls.Failure) {
            try SystemCalls.synchronize(descriptor)
            return try SystemCalls.size(of: descriptor)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: SystemCalls.Failure) -> Failure {
        if error.isBrokenPipe { return .closed }
        guard let target else { return .unusable(UsageError("cannot write the result: \(error)")) }
        return .unusable(.cannotWrite(target, error))
    }
}
