internal import CommandLineInterface

/// A folder of exported files that is written under a temporary name and renamed when it is complete.
struct ExportFolder {
    private let target: String
    private let temporary: String
    private var names: [String] = []

    /// Creates the temporary folder; throws if `path` exists.
    init(_ path: String) throws(UsageError) {
        target = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        temporary = "\(target).\(SystemCalls.processID).tmp"
        guard !SystemCalls.exists(target) else {
            throw UsageError("\(Escaped(target)) already exists", hint: "remove it, or choose another folder")
        }
        do throws(SystemCalls.Failure) {
            try SystemCalls.makeFolder(temporary)
            try SystemCalls.makeFolder("\(temporary)/receipts")
        } catch {
            throw UsageError("cannot create \(Escaped(target)): \(error.reason)")
        }
    }

    /// Writes a new file.
    ///
    /// - Parameter name: A file name, or `receipts/` and a file name.
    mutating func write(_ bytes: [UInt8], as name: String) throws(UsageError) {
        do throws(SystemCalls.Failure) {
            let descriptor = try SystemCalls.openForWriting("\(temporary)/\(name)", .new)
            names.append(name)
            defer { try? SystemCalls.close(descriptor) }
            try SystemCalls.write(bytes, to: descriptor)
        } catch {
            throw UsageError("cannot write \(Escaped(name)) in \(Escaped(target)): \(error.reason)")
        }
    }

    /// Renames the temporary folder to its final path.
    func finish() throws(UsageError) {
        do throws(SystemCalls.Failure) {
            try SystemCalls.rename(temporary, to: target)
        } catch {
            throw UsageError("cannot create \(Escaped(target)): \(error.reason)")
        }
    }

    /// Removes the temporary folder and its files.
    func discard() {
        for name in names { SystemCalls.remove("\(temporary)/\(name)") }
        SystemCalls.removeFolder("\(temporary)/receipts")
        SystemCalls.removeFolder(temporary)
    }
}
