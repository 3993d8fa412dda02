internal import CommandLineInterface
internal import ReceiptTypes

/// The files of a folder and its subfolders, in the order of their names.
///
/// Only regular files are read. A link is not followed, so that nothing outside of the folder is read and nothing
/// twice; a pipe or a device could block the run or never end.
struct FolderFiles {
    /// The depth of nested folders that are read.
    private static let maximumDepth = 16
    /// The number of skipped entries of a kind that are named.
    private static let namedEntries = 5

    private(set) var paths: [String] = []
    /// The number of entries that could be files with receipts and cannot be read.
    private(set) var unreadableCount = 0
    /// The entries that are not read, by the reason.
    private var skipped: [(reason: String, paths: [String], count: Int)] = []
    /// The folders that are being read; a mounted folder can contain itself.
    private var ancestors: [FileIdentity] = []

    init(_ folder: String) throws(SystemCalls.Failure) {
        ancestors = [try SystemCalls.status(ofFileAt: folder).identity]
        try collect(folder)
    }

    private mutating func collect(_ folder: String) throws(SystemCalls.Failure) {
        for name in try SystemCalls.names(inDirectory: folder).sorted() where name != "." && name != ".." {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            if name.hasPrefix(".") {
                skip(path, "hidden")
                continue
            }
            guard let status = try status(of: path) else {
                unreadableCount += 1
                skip(path, "removed")
                continue
            }
            switch status.kind {
            case .regular: paths.append(path)
            case .directory:
                if ancestors.contains(status.identity) {
                    skip(path, "a folder that contains itself")
                } else if ancestors.count >= Self.maximumDepth {
                    unreadableCount += 1
                    skip(path, "a folder deeper than \(Self.maximumDepth) folders")
                } else {
                    ancestors.append(status.identity)
                    defer { ancestors.removeLast() }
                    try collect(path)
                }
            default: skip(path, status.kind.rawValue)
            }
        }
    }

    /// Returns the status of an entry, without following a link; nil if there is no such entry.
    private func status(of path: String) throws(SystemCalls.Failure) -> FileStatus? {
        do throws(SystemCalls.Failure) {
            return try SystemCalls.status(ofFileAt: path, followsLink: false)
        } catch {
            if error.isAbsent { return nil }
            throw error
        }
    }

    private mutating func skip(_ path: String, _ reason: String) {
        let index = skipped.firstIndex { $0.reason == reason } ?? skipped.count
        if index == skipped.count { skipped.append((reason, [], 0)) }
        skipped[index].count += 1
        if skipped[index].paths.count < Self.namedEntries { skipped[index].paths.append(path) }
    }

    /// The sentences that name the entries that are not read.
    var notes: [String] {
        skipped.map { reason, paths, count in
            let names = paths.map { "\(Escaped($0))" }.joined(separator: ", ")
            let rest = count > paths.count ? " and \(count - paths.count) more" : ""
            return "\(count) skipped (\(reason)): \(names)\(rest)"
        }
    }
}
