/// Where results go: standard output, or the file of `--output`, which appears when it is complete.
///
/// A file is written under another name beside its place and renamed at the end, so that nobody ever reads half of it.
/// What is no regular file, such as a pipe or a device, is written to directly.
///
/// A resumable file keeps that other name, `FILE.partial`, from run to run, and stays when a run is interrupted.
package final class Output {
    /// Results cannot be written.
    package enum Failure: Error {
        /// Nobody reads any more, which is not an error: `verify-receipt … | head` ends like this.
        case closed
        case unusable(UsageError)
    }

    private let descriptor: Int32
    private let target: String?
    private let temporary: String?
    private let isResumable: Bool
    private var buffer: [UInt8] = []

    /// Opens the output; nil is standard output.
    package init(path: String?, isResumable: Bool = false) throws(UsageError) {
        guard let path, path != "-" else {
            (descriptor, target, temporary, self.isResumable) = (1, nil, nil, false)
            return
        }
        let place = SystemCalls.resolved(path) ?? path
        let kind = try? SystemCalls.kind(ofFileAt: place)
        guard kind != .directory else {
            throw UsageError("\(Escaped(path)) is a folder", hint: "--output takes a file")
        }
        let isBusy: Bool
        do throws(SystemCalls.Failure) {
            if kind == .other {
                descriptor = try SystemCalls.openForWriting(place, .existing)
                (target, temporary, self.isResumable) = (nil, nil, false)
                return
            }
            let beside = isResumable ? "\(place).partial" : "\(place).\(SystemCalls.processID).tmp"
            descriptor = try SystemCalls.openForWriting(beside, isResumable ? .kept : .new)
            (target, temporary, self.isResumable) = (place, beside, isResumable)
            isBusy = isResumable ? try !SystemCalls.lock(descriptor) : false
            // What an earlier run has left may be worth keeping.
            let size = try SystemCalls.size(of: descriptor)
            if !isBusy, size == 0 { Interruption.setUnfinished(beside) }
            if case .regular(let permissions) = kind {
                try SystemCalls.setPermissions(permissions, of: descriptor)
            }
        } catch {
            throw UsageError("cannot write \(Escaped(path)): \(error.reason)", hint: "it is named by --output")
        }
        guard !isBusy else {
            throw UsageError("another run is writing \(Escaped(path))", hint: "wait for it, or name another file")
        }
    }

    /// Whether colours and progress make sense here.
    package var isTerminal: Bool { SystemCalls.isTerminal(descriptor) }

    /// Where an interrupted run that is to be continued leaves what it has to remember; nil where nothing can be
    /// continued.
    package var checkpointPath: String? { isResumable ? target.map { $0 + ".checkpoint" } : nil }

    /// How many bytes an interrupted run has left; 0 where nothing can be continued.
    package var leftBytes: Int {
        get throws(Failure) {
            guard isResumable else { return 0 }
            do throws(SystemCalls.Failure) {
                return try SystemCalls.size(of: descriptor)
            } catch {
                throw failure(error)
            }
        }
    }

    /// Keeps so many bytes of what an interrupted run has left, and goes on behind them.
    package func keep(bytes count: Int) throws(Failure) {
        guard isResumable else { return }
        do throws(SystemCalls.Failure) {
            try SystemCalls.truncate(descriptor, to: count)
        } catch {
            throw failure(error)
        }
        Interruption.setUnfinished(count > 0 ? nil : temporary)
        Interruption.setIsResumable(count > 0)
    }

    /// Says that what has been written so far can be continued, whatever stops the run.
    package func markAsResumable() {
        Interruption.setUnfinished(nil)
        Interruption.setIsResumable(true)
    }

    /// Hands on what is buffered, down to the disk, and tells how many bytes are there.
    package func synchronize() throws(Failure) -> Int {
        try flush()
        do throws(SystemCalls.Failure) {
            try SystemCalls.synchronize(descriptor)
            return try SystemCalls.size(of: descriptor)
        } catch {
            throw failure(error)
        }
    }

    /// Where bytes go when somebody else writes them; what was written before is flushed first.
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

    /// Hands on what is buffered.
    package func flush() throws(Failure) {
        guard !buffer.isEmpty else { return }
        do throws(SystemCalls.Failure) {
            try SystemCalls.write(buffer, to: descriptor)
        } catch {
            throw failure(error)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Completes the output and puts a file in its place.
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
        Interruption.setUnfinished(nil)
        Interruption.setIsResumable(false)
    }

    /// Gives up; no trace of a file is left, save what can be continued.
    package func discard() {
        guard let temporary else { return }
        if let checkpointPath, SystemCalls.exists(checkpointPath) { return }
        SystemCalls.remove(temporary)
        Interruption.setUnfinished(nil)
    }

    private func failure(_ error: SystemCalls.Failure) -> Failure {
        if error.isBrokenPipe { return .closed }
        return .unusable(UsageError("cannot write \(target.map { "\(Escaped($0))" } ?? "the result"): \(error.reason)"))
    }
}
