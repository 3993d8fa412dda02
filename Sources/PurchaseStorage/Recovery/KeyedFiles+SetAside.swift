package import PurchaseCore
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
        try Self.converting { () throws(FileError) in try setAside().flatMap(\.paths) }
    }

    /// Deletes the sealed stores and keys that were set aside; throws if one of them is left.
    ///
    /// A file of the app in the folder of the keys stays there.
    ///
    /// - Parameter count: The number of the latest sealed stores that are kept, and of the latest keys.
    package func removeSetAside(keeping count: Int = 0) throws(DatabaseError) {
        try Self.converting { () throws(FileError) in
            for copies in try setAside() {
                for path in copies.paths.dropLast(count) { try remove(path, isOwn: copies.isOwn) }
            }
        }
    }

    /// What was set aside of one kind.
    private typealias Copies = (paths: [String], isOwn: (String) -> Bool)

    private func setAside() throws(FileError) -> [Copies] {
        let stores: Copies = (try Self.entries(startingWith: "\(secrets)\(Self.mark)").sorted(), { _ in true })
        guard let key else { return [stores] }
        let isOwn = { (name: String) in name.hasPrefix(key.name) || name.hasPrefix(".\(key.name)") }
        return [stores, (try Self.entries(startingWith: "\(key.folder)\(Self.mark)").sorted(), isOwn)]
    }

    private static let mark = ".damaged-"

    /// Deletes a file, or the files of a folder that are `isOwn`, and the folder if it is empty then.
    private func remove(_ path: String, isOwn: (String) -> Bool) throws(FileError) {
        let parts = try PrivateFolder.parts(of: path)
        let parent = try PrivateFolder(parts.folder)
        parent.remove(parts.name)
        guard parent.contains(parts.name) else { return }
        let folder = try PrivateFolder(path)
        for name in try folder.names(maximumCount: Self.entryLimit) where isOwn(name) {
            folder.remove(name)
            if folder.contains(name) { throw FileError(code: .unwritable, path: folder.path(of: name)) }
        }
        _ = unsafe rmdir(path)
    }

    private static func converting<Value>(_ body: () throws(FileError) -> Value) throws(DatabaseError) -> Value {
        do throws(FileError) {
            return try body()
        } catch {
            throw DatabaseError(.readOnly, "what was set aside is not deleted: \(error.message)", underlying: error)
        }
    }
}
