internal import CommandLineInterface

/// A folder of exported files, which appears when it is complete.
struct ExportFolder {
    private let target: String
    private let temporary: String
    private var names: [String] = []

    /// - Parameter path: What must not be there yet.
    init(_ path: String) throws(UsageError) {
        target = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        temporary = "\(target).\(SystemCalls.processID).tmp"
        guard !SystemCalls.exists(target) else {
            throw UsageError("\(Escaped(target)) is there already", hint: "remove it, or name another folder")
        }
        do throws(SystemCalls.Failure) {
            try SystemCalls.makeFolder(temporary)
            try SystemCalls.makeFolder("\(temporary)/receipts")
        } catch {
            throw UsageError("cannot make \(Escaped(target)): \(error.reason)")
        }
    }

    /// Writes a file of this name, which may stand in `receipts`.
    mutating func write(_ bytes: [UInt8], as name: String) throws(UsageError) {
        do throws(SystemCalls.Failure) {
            let descriptor = try SystemCalls.openForWriting("\(temporary)/\(name)", .new)
            names.append(name)
            defer { try? SystemCalls.close(descriptor) }
            try SystemCalls.write(bytes, to: descriptor)
        } catch {
            throw UsageError("cannot write \(Escaped(name)) of \(Escaped(target)): \(error.reason)")
        }
    }

    /// Puts the folder in its place.
    func finish() throws(UsageError) {
        do throws(SystemCalls.Failure) {
            try SystemCalls.rename(temporary, to: target)
        } catch {
            throw UsageError("cannot make \(Escaped(target)): \(error.reason)")
        }
    }

    /// Leaves no trace.
    func discard() {
        for name in names { SystemCalls.remove("\(temporary)/\(name)") }
        SystemCalls.removeFolder("\(temporary)/receipts")
        SystemCalls.removeFolder(temporary)
    }
}
