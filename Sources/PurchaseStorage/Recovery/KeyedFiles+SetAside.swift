package import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

// Sealed stores and keys that were set aside, which open the database files that were set aside with them.
extension KeyedFiles {
    /// Returns the paths of the sealed stores and keys that were set aside, in ascending order.
    package func pathsSetAside() throws(DatabaseError) -> [String] {
        try DatabaseError.converting(as: .readOnly) { () throws(FileError) in
            try setAside().flatMap(\.self).map(\.path).sorted()
        }
    }

    /// Deletes the sealed stores and keys that were set aside; throws if one of them is left.
    ///
    /// - Parameter count: The number of the latest sealed stores that are kept, and of the latest keys.
    package func removeSetAside(keeping count: Int = 0) throws(DatabaseError) {
        try DatabaseError.converting(as: .readOnly) { () throws(FileError) in
            for copies in try setAside() {
                let kept = Set(copies.map(\.name)).sorted().suffix(count)
                for copy in copies where !kept.contains(copy.name) { try Self.remove(copy.path) }
            }
        }
    }

    /// A file or folder that was set aside.
    private struct Copy {
        let path: String
        /// The name under which it was set aside with other files, which begins with the date.
        let name: Substring
    }

    /// The sealed stores that were set aside, and the keys.
    private func setAside() throws(FileError) -> [[Copy]] {
        var copies: [[Copy]] = []
        for file in [secrets] + (key.map { ["\($0.folder)/\($0.name)"] } ?? []) {
            let start = file + AsideFile.mark
            copies.append(
                try Self.entries(startingWith: start).map { path in
                    let rest = path.dropFirst(start.count)
                    return Copy(path: path, name: rest.prefix { $0 != "." })
                })
        }
        return copies
    }

    /// Deletes a file, or a folder with its files; a sealed store has no folders in it.
    private static func remove(_ path: String) throws(FileError) {
        let parts = try PrivateFolder.parts(of: path)
        let parent = try PrivateFolder(parts.folder)
        parent.remove(parts.name)
        guard parent.contains(parts.name) else { return }
        let folder = try PrivateFolder(path)
        for name in try folder.names(maximumCount: Self.entryLimit) {
            folder.remove(name)
            if folder.contains(name) { throw FileError(code: .unwritable, path: folder.path(of: name)) }
        }
        if unsafe rmdir(path.systemPath) != 0 { throw FileError(code: .unwritable, path: path) }
    }
}
