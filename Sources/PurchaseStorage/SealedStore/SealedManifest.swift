internal import PurchaseCore
internal import ReceiptVerification

/// The list of the values of a sealed store: what it names exists, and nothing else.
///
/// Writing it is the commit point of each change. Its version is the number of the last file that was written before
/// it, or, after a change that has written no value, the next number.
struct SealedManifest {
    /// The file of one value.
    struct Entry {
        /// The version of the file, which is also its name.
        var version: UInt64
        /// The tag of the file: a file of the same version and another history of the folder has another one.
        var tag: [UInt8]
    }

    /// The version of this manifest.
    var version: UInt64 = 0
    /// The version of the manifest before this one; 0 for the first.
    var previous: UInt64 = 0
    /// The values by the UTF-8 bytes of their names, so that names that differ in one byte are different.
    var entries: [[UInt8]: Entry] = [:]

    /// The names in the order of their bytes.
    var names: [[UInt8]] { entries.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    /// Returns the next version.
    func nextVersion() throws(SealedStoreError) -> UInt64 {
        let (next, overflow) = version.addingReportingOverflow(1)
        guard !overflow else { throw SealedStoreError(.full, "the store has counted as many changes as it can") }
        return next
    }

    // MARK: Bytes

    /// The bytes that an entry has in addition to its name.
    private static let entryOverhead = 16 + Seal.tagCount

    /// The largest number of bytes of a manifest with these limits.
    static func maximumCount(_ limits: SealedStoreLimits) -> Int {
        16 + limits.valueCount * (entryOverhead + limits.nameSize)
    }

    /// The bytes that ``init(version:bytes:)`` reads; the version is not among them.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendNumber(previous)
        bytes.appendNumber(UInt64(entries.count))
        for name in names {
            guard let entry = entries[name] else { continue }
            bytes.appendNumber(UInt64(name.count))
            bytes += name
            bytes.appendNumber(entry.version)
            bytes += entry.tag
        }
        return bytes
    }

    /// Creates an empty manifest, that of a new store.
    init() {}

    /// Reads the bytes of a manifest; nil if they are not one.
    init?(version: UInt64, bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        guard let previous = reader.number(), let count = reader.number() else { return nil }
        self.version = version
        self.previous = previous
        while !reader.isAtEnd {
            guard let nameCount = reader.number().flatMap(Int.init(exactly:)), let name = reader.bytes(nameCount),
                let version = reader.number(), version <= self.version, let tag = reader.bytes(Seal.tagCount),
                entries.updateValue(Entry(version: version, tag: tag), forKey: name) == nil
            else { return nil }
        }
        guard UInt64(entries.count) == count else { return nil }
    }
}
