internal import CommandLineInterface
internal import ReceiptTypes

/// A folder of exported files that is written under a temporary name and renamed when it is complete.
///
/// It takes the place of an earlier export, and of nothing else.
struct ExportFolder {
    /// The name of the file of the root of app receipts.
    static let appReceiptRoot = "app-receipt-root.der"

    private let target: String
    private let temporary: String
    /// The name of an earlier export between the two renames that replace it.
    private let replaced: String
    private var names: [String] = []

    /// Creates the temporary folder; throws if `path` exists and is not an earlier export.
    init(_ path: String) throws(UsageError) {
        target = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        temporary = "\(target).\(SystemCalls.processID).tmp"
        replaced = "\(target).\(SystemCalls.processID).old"
        guard !SystemCalls.exists(target) || Self.isExport(target) else {
            throw UsageError(
                "\(Escaped(target)) already exists, and is not an earlier export",
                hint: "remove it, or choose another folder")
        }
        do throws(SystemCalls.Failure) {
            try SystemCalls.makeFolder(temporary)
            try SystemCalls.makeFolder("\(temporary)/receipts")
        } catch {
            throw UsageError("cannot create \(Escaped(target)): \(error.reason)")
        }
    }

    /// Returns whether a folder has the files of an export and no others.
    private static func isExport(_ path: String) -> Bool {
        func names(in folder: String) -> [String]? {
            let status = try? SystemCalls.status(ofFileAt: folder, followsLink: false)
            guard status?.kind == .directory else { return nil }
            return (try? SystemCalls.names(inDirectory: folder))?.filter { $0 != "." && $0 != ".." }
        }
        guard let files = names(in: path), let receipts = names(in: "\(path)/receipts"),
            files.allSatisfy({ ["play-key.txt", "receipts", "root.der", "root.pem", appReceiptRoot].contains($0) })
        else { return false }
        return receipts.allSatisfy { name in
            ReceiptKind.allCases.contains { name.hasPrefix("\($0.rawValue)-") }
                && [".jws", ".json", ".b64"].contains(where: name.hasSuffix)
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

    /// Renames the temporary folder to its final path, and removes an earlier export.
    func finish() throws(UsageError) {
        let isReplacing = SystemCalls.exists(target)
        do throws(SystemCalls.Failure) {
            if isReplacing { try SystemCalls.rename(target, to: replaced) }
            do throws(SystemCalls.Failure) {
                try SystemCalls.rename(temporary, to: target)
            } catch {
                if isReplacing { try? SystemCalls.rename(replaced, to: target) }
                throw error
            }
        } catch {
            throw UsageError("cannot create \(Escaped(target)): \(error.reason)")
        }
        if isReplacing { SystemCalls.removeTree(replaced) }
    }

    /// Removes the temporary folder and its files.
    func discard() {
        for name in names { SystemCalls.remove("\(temporary)/\(name)") }
        SystemCalls.removeFolder("\(temporary)/receipts")
        SystemCalls.removeFolder(temporary)
    }
}
