/// The destination of results: standard output, or the file of `--output`.
///
/// A file is written under a temporary name in the same folder and renamed when it is complete, so that a reader never
/// sees an incomplete file. A pipe or a device is written to directly.
///
/// A resumable file always has the temporary name `FILE.partial`, which stays when a run is interrupted.
package final class Output {
    /// The reason that results cannot be written.
    package enum Failure: Error {
        /// The reader has closed the pipe, as in `verify-receipt … | head`. The tool then exits with success.
        case closed
        case unusable(UsageError)
    }

    private let descriptor: Int32
    private let target: String?
    private let temporary: String?
    private let isResumable: Bool
    private var buffer: [UInt8] = []

    /// Opens a file for writing, or standard output if the path is nil or `-`.
    package init(path: String?, isResumable: Bool = false) throws(UsageError) {
        guard let path, path != "-" else {
            (descriptor, target, temporary, self.isResumable) = (1, nil, nil, false)
            return
        }
        let destination = SystemCalls.resolved(path) ?? path
        let kind = try? SystemCalls.kind(ofFileAt: destination)
        guard kind != .directory else {
            throw UsageError("\(Escaped(path)) is a folder", hint: "--output takes a file")
        }
        let isLockedElsewhere: Bool
        do throws(SystemCalls.Failure) {
            if kind == .other {
                descriptor = try SystemCalls.openForWriting(destination, .truncating)
                (target, temporary, self.isResumable) = (nil, nil, false)
                return
            }
            let file = isResumable ? "\(destination).partial" : "\(destination).\(SystemCalls.processID).tmp"
            descriptor = try SystemCalls.openForWriting(file, isResumable ? .keeping : .new)
            (target, temporary, self.isResumable) = (destination, file, isResumable)
            isLockedElsewhere = isResumable ? try !SystemCalls.lock(descriptor) : false
            // A partial file with content belongs to an earlier run, which may be resumed.
            let size = try SystemCalls.size(of: descriptor)
            if !isLockedElsewhere, size == 0 { Interruption.setFileToRemove(file) }
            if case .regular(let permissions) = kind {
                try SystemCalls.setPermissions(permissions, of: descriptor)
            }
        } catch {
            throw .cannotWrite(path, error, hint: "check the value of --output")
        }
        guard !isLockedElsewhere else {
            throw UsageError(
                "another run is writing \(Escaped(path))", hint: "wait for it to finish, or name another file")
        }
    }

    /// Whether results go to a terminal.
    package var isTerminal: Bool { SystemCalls.isTerminal(descriptor) }

    // MARK: Writing

    /// Appends bytes to the buffer, and writes it out when it is full.
    package func write(_ bytes: [UInt8]) throws(Failure) {
        buffer += bytes
        if buffer.count >= 65_536 { try flush() }
    }

    package func write(_ text: String) throws(Failure) {
        try write([UInt8](text.utf8))
    }

    package func writeLine(_ text: String) throws(Failure) {
        try write(text + "\n")
    }

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

    /// Completes the output and renames a file to its final name.
    package func finish() throws(Failure) {
        try flush()
        guard let target, let temporary else { return }
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
        guard let temporary else { return }
        if let checkpointPath, SystemCalls.exists(checkpointPath) { return }
        SystemCalls.remove(temporary)
        Interruption.setFileToRemove(nil)
    }

    // MARK: Resuming

    /// The file in which a run stores its progress; nil if the output cannot be resumed.
    package var checkpointPath: String? { isResumable ? target.map { $0 + ".checkpoint" } : nil }

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
