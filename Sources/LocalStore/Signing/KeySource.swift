internal import PurchaseCore
internal import ReceiptTypes
internal import ReceiptVerification

/// RSA keys of a simulator, which are created when they are first used.
///
/// An RSA key takes about half a second to create, and most simulators sell nothing on Google Play and export no app
/// receipts.
final class KeySource<Keys: Sendable>: Sendable {
    private let known: Locked<Keys?>
    private let name: String
    private let create: @Sendable () throws -> Keys

    /// - Parameters:
    ///   - known: The keys if they exist.
    ///   - name: What the keys are for, in messages.
    ///   - create: Creates the keys, or reads those that another process has created.
    init(_ known: Keys?, name: String, create: @escaping @Sendable () throws -> Keys) {
        self.known = Locked(known)
        self.name = name
        self.create = create
    }

    /// Returns the keys, which are the same for every caller.
    func keys() throws(StoreSimulatorError) -> Keys {
        try known.withLock { (known) throws(StoreSimulatorError) in
            if let known { return known }
            let keys = try made()
            known = keys
            return keys
        }
    }

    private func made() throws(StoreSimulatorError) -> Keys {
        do {
            return try create()
        } catch let error as FileError {
            throw StoreSimulatorError(.unusableKeys, error.message, underlying: error)
        } catch {
            throw StoreSimulatorError(.unusableKeys, "generating the \(name) failed", underlying: error)
        }
    }
}
