internal import PurchaseCore

/// The sizes up to which a sealed store keeps values, and how long it waits for other processes.
struct SealedStoreLimits: Sendable {
    /// The largest number of values.
    var valueCount = SealedStore.maximumValueCount
    /// The largest number of bytes of a value.
    var valueSize = SealedStore.maximumValueSize
    /// The largest number of UTF-8 bytes of a name.
    var nameSize = SealedStore.maximumNameSize
    /// The longest wait for the lock, in half seconds.
    var lockAttempts = 20
    /// The most keys of the provider that one operation tries.
    let keyAttempts = 100
    /// The most entries of the folder that are looked at.
    let entryCount = 100_000

    /// Returns the bytes of a name.
    func bytes(of name: String) throws(SealedStoreError) -> [UInt8] {
        guard name.utf8.count <= nameSize else {
            throw SealedStoreError(
                .nameTooLong, "the name of the value has \(name.utf8.count) bytes, and \(nameSize) are possible")
        }
        return [UInt8](name.utf8)
    }
}
