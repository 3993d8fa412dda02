internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

/// The Google Play key of a simulator, which is created when it is first used.
///
/// An RSA key takes about half a second to create, and most simulators sell nothing on Google Play.
final class PlayKeySource: Sendable {
    private let known: Locked<TestPlayKey?>
    private let path: String?

    /// - Parameters:
    ///   - key: The key if it exists.
    ///   - path: The file of the key; nil for a key that is not stored.
    init(_ key: TestPlayKey?, path: String?) {
        known = Locked(key)
        self.path = path
    }

    /// Returns the key, which is the same for every caller.
    func key() throws(StoreSimulatorError) -> TestPlayKey {
        try known.withLock { (known) throws(StoreSimulatorError) in
            if let known { return known }
            let key = try create()
            known = key
            return key
        }
    }

    private func create() throws(StoreSimulatorError) -> TestPlayKey {
        do {
            return try path.map(TestPlayKey.loadOrCreate) ?? TestPlayKey()
        } catch let error as FileError {
            throw StoreSimulatorError(.unusableKeys, error.message, underlying: error)
        } catch {
            throw StoreSimulatorError(.unusableKeys, "generating the Play key failed", underlying: error)
        }
    }
}
