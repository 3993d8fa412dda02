/// Where results go: standard output, or the file of `--output`, which appears when it is complete.
///
/// A file is written under another name beside its place and renamed at the end, so that nobody ever reads half of it.
/// What is no regular file, such as a pipe or a device, is written to directly.
final class Output {
    /// Results cannot be written.
    enum Failure: Error {
        /// Nobody reads any more, which is not an error: `verify-receipt … | head` ends like this.
        case closed
        case unusable(UsageError)
    }

    private let descriptor: Int32
    private let target: String?
    private let temporary: String?
    private var buffer: [UInt8] = []

    /// Opens the output; nil is standard output.
    init(path: String?) throws(UsageError) {
        guard let path, path != "-" else {
            (descriptor, target, temporary) = (1, nil, nil)
            return
        }
        let place = SystemCalls.resolved(path) ?? path
        let kind = try? SystemCalls.kind(ofFileAt: place)
        guard kind != .directory else {
            throw UsageError("\(Escaped(path)) is a folder", hint: "--output takes a file")
        }
        do throws(SystemCalls.Failure) {
            if kind == .other {
                descriptor = try SystemCalls.openForWriting(place, isNew: false)
                (target, temporary) = (nil, nil)
                return
            }
            let beside = "\(place).\(SystemCalls.processID).tmp"
            descriptor = try SystemCalls.openForWriting(beside, isNew: true)
            (target, temporary) = (place, beside)
            Interruption.setUnfinished(beside)
            if case .regular(let permissions) = kind {
                try SystemCalls.setPermissions(permissions, of: descriptor)
            }
        } catch {
            throw UsageError("cannot write \(Escaped(path)): \(error.reason)", hint: "it is named by --output")
        }
    }

    /// Whether colours and progress make sense here.
    var isTerminal: Bool { SystemCalls.isTerminal(descriptor) }

    /// Where bytes go when somebody else writes them; what was written before is flushed first.
    func write(_ bytes: [UInt8]) throws(Failure) {
        buffer += bytes
        if buffer.count >= 65_536 { try flush() }
    }

    func write(_ text: String) throws(Failure) {
        try write([UInt8](text.utf8))
    }

    func writeLine(_ text: String) throws(Failure) {
        try write(text + "\n")
    }

    /// Hands on what is buffered.
    func flush() throws(Failure) {
        guard !buffer.isEmpty else { return }
        do throws(SystemCalls.Failure) {
            try SystemCalls.write(buffer, to: descriptor)
        } catch {
            throw failure(error)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Completes the output and puts a file in its place.
    func finish() throws(Failure) {
        try flush()
        guard let target, let temporary else { return }
        do throws(SystemCalls.Failure) {
            try SystemCalls.synchronize(descriptor)
            try SystemCalls.close(descriptor)
            try SystemCalls.rename(temporary, to: target)
        } catch {
            throw failure(error)
        }
        Interruption.setUnfinished(nil)
    }

    /// Gives up; no trace of a file is left.
    func discard() {
        guard let temporary else { return }
        SystemCalls.remove(temporary)
        Interruption.setUnfinished(nil)
    }

    private func failure(_ error: SystemCalls.Failure) -> Failure {
        if error.isBrokenPipe { return .closed }
        return .unusable(UsageError("cannot write \(target.map { "\(Escaped($0))" } ?? "the result"): \(error.reason)"))
    }
}
