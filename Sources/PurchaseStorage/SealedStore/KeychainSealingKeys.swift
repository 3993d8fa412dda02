#if canImport(Security)
    internal import Foundation
    public import ReceiptVerification
    internal import Security

    /// The keys of a sealed store in the Keychain of an Apple system.
    ///
    /// They are not synchronized and not part of a backup, and are available after the first unlock of the device. Each
    /// key is an item of its own, which is added and deleted but never changed, so processes that make keys at the same
    /// time lose none; one more item repeats the current key.
    public struct KeychainSealingKeys: SealingKeyProvider {
        private let service: String

        /// Creates a provider.
        ///
        /// - Parameter service: The service attribute of the items, one for each store: `com.example.app.secrets`.
        public init(service: String) {
            self.service = service
        }

        /// The account attribute of the item that repeats the current key.
        private static let current = "current"

        /// Returns the keys of the Keychain, and makes the first one if there is none.
        public func keys() throws(SealedStoreError) -> SealingKeys {
            if let keys = try stored() { return keys }
            let first = try add()
            // If another process is first, its key is the current one and this one an earlier one.
            let status = SecItemAdd(query(Self.current, data: first.bytes), nil)
            guard status == errSecSuccess || status == errSecDuplicateItem else { throw error(status) }
            if let keys = try stored() { return keys }
            throw SealedStoreError(.keysUnavailable, "the Keychain has no key of \(service)")
        }

        /// Makes a new current key.
        public func makeKey() throws(SealedStoreError) -> SealingKeys {
            _ = try keys()
            let new = try add()
            let change = [kSecValueData as String: Data(new.bytes)] as CFDictionary
            let status = SecItemUpdate(query(Self.current), change)
            guard status == errSecSuccess else { throw error(status) }
            return try keys()
        }

        /// Deletes the items of earlier keys.
        public func forget(_ keys: [SealingKey]) throws(SealedStoreError) {
            let current = try stored()?.current
            for key in keys where key != current {
                let status = SecItemDelete(query(try account(of: key)))
                guard status == errSecSuccess || status == errSecItemNotFound else { throw error(status) }
            }
        }

        /// Adds an item with a new key.
        private func add() throws(SealedStoreError) -> SealingKey {
            let key: SealingKey
            do throws(CryptoFault) {
                key = try SealingKey.random()
            } catch {
                throw SealedStoreError(error)
            }
            let status = SecItemAdd(query(try account(of: key), data: key.bytes), nil)
            guard status == errSecSuccess else { throw error(status) }
            return key
        }

        /// The keys of all items; nil if there is no current key.
        private func stored() throws(SealedStoreError) -> SealingKeys? {
            guard let bytes = try data(of: Self.current) else { return nil }
            guard let current = SealingKey(bytes: bytes) else { throw notAKey }
            var earlier: [SealingKey] = []
            for account in try accounts() where account != Self.current {
                // An item that another process has deleted in between is no longer needed.
                guard let bytes = try data(of: account) else { continue }
                guard let key = SealingKey(bytes: bytes) else { throw notAKey }
                earlier.append(key)
            }
            return SealingKeys(current: current, earlier: earlier)
        }

        private func data(of account: String) throws(SealedStoreError) -> [UInt8]? {
            try copy(account, [kSecReturnData as String: true]).map { [UInt8](($0 as? Data) ?? Data()) }
        }

        private func accounts() throws(SealedStoreError) -> [String] {
            // Some systems do not return the data of several items at once.
            let found = try copy(
                nil, [kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll])
            return (found as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccount as String] as? String }
        }

        private func copy(_ account: String?, _ options: [String: Any]) throws(SealedStoreError) -> CFTypeRef? {
            var result: CFTypeRef?
            // Safe: the call stores one object, which the variable then owns.
            let status = unsafe SecItemCopyMatching(query(account, options: options), &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw error(status) }
            return result
        }

        private func query(
            _ account: String?, data: [UInt8]? = nil, options: [String: Any] = [:]
        ) -> CFDictionary {
            var query = options
            query[kSecClass as String] = kSecClassGenericPassword
            query[kSecAttrService as String] = service
            if let account { query[kSecAttrAccount as String] = account }
            if let data {
                query[kSecValueData as String] = Data(data)
                query[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            }
            return query as CFDictionary
        }

        private func account(of key: SealingKey) throws(SealedStoreError) -> String {
            do throws(CryptoFault) {
                return try key.identifier().map { String($0, radix: 16) }.joined(separator: "-")
            } catch {
                throw SealedStoreError(error)
            }
        }

        private var notAKey: SealedStoreError {
            SealedStoreError(.notAKey, "an item of \(service) in the Keychain is not a key")
        }

        private func error(_ status: OSStatus) -> SealedStoreError {
            let isLocked = status == errSecInteractionNotAllowed || status == errSecAuthFailed
            return SealedStoreError(
                isLocked ? .keysLocked : .keysUnavailable, "the Keychain has reported the error \(status)")
        }
    }
#endif
