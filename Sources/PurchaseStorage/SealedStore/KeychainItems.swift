/// The items of one sealed store in a keychain, which has at most one item of each name.
///
/// ``KeychainSealingKeys`` has all that is decided about keys; this port has only the calls of the system, which wait
/// for another process.
protocol KeychainItems: Sendable {
    /// The service that the items belong to.
    var service: String { get }

    /// Returns the names of all items, in any order.
    func names() throws(KeychainFailure) -> [String]

    /// Returns the content of an item; nil if there is none of this name.
    func content(of name: String) throws(KeychainFailure) -> [UInt8]?

    /// Adds an item; returns false, without a change, if there is one of this name.
    func add(_ content: [UInt8], as name: String) throws(KeychainFailure) -> Bool

    /// Deletes an item; nothing happens if there is none of this name.
    func delete(_ name: String) throws(KeychainFailure)
}

/// A reason that the keys of a keychain cannot be read or changed.
enum KeychainFailure: Error, Equatable {
    /// The device has not been unlocked since its start, or the keychain is locked.
    case locked
    /// The program is not signed as an app that may use the keychain, or the access group.
    case notEntitled
    case outOfMemory
    /// Another error, with the number that the system reports.
    case reported(Int32)
    /// An item is in the place of a key and is none.
    case notAKey(String)
    /// Two items have one name, which only different access groups allow.
    case severalGroups
    /// A key that was added is not there.
    case notKept
    /// The number of the latest key has no successor.
    case noNextNumber
    /// Other processes add or delete keys during each attempt.
    case changing
}
