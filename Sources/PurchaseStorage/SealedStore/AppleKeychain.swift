#if canImport(Security)
    internal import Foundation
    internal import Security

    /// The items of one service in the Keychain of this system.
    struct AppleKeychain: KeychainItems {
        let service: String
        /// The access group of the items; nil for all groups of the app, of which the system chooses one for new items.
        let accessGroup: String?

        func names() throws(KeychainFailure) -> [String] {
            // The contents of several items cannot be copied at once.
            let found = try copy([
                kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll,
            ])
            return (found as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccount as String] as? String }
        }

        func content(of name: String) throws(KeychainFailure) -> [UInt8]? {
            try copy([kSecAttrAccount as String: name, kSecReturnData as String: true])
                .map { [UInt8]($0 as? Data ?? Data()) }
        }

        func add(_ content: [UInt8], as name: String) throws(KeychainFailure) -> Bool {
            let item = query([
                kSecAttrAccount as String: name,
                kSecValueData as String: Data(content),
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ])
            let status = SecItemAdd(item, nil)
            if status == errSecDuplicateItem { return false }
            guard status == errSecSuccess else { throw failure(status) }
            return true
        }

        func delete(_ name: String) throws(KeychainFailure) {
            let status = SecItemDelete(query([kSecAttrAccount as String: name]))
            guard status == errSecSuccess || status == errSecItemNotFound else { throw failure(status) }
        }

        private func copy(_ options: [String: Any]) throws(KeychainFailure) -> CFTypeRef? {
            var result: CFTypeRef?
            // Safe: the call stores one object, which the variable then owns.
            let status = unsafe SecItemCopyMatching(query(options), &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw failure(status) }
            return result
        }

        private func query(_ options: [String: Any]) -> CFDictionary {
            var query = options
            query[kSecClass as String] = kSecClassGenericPassword
            query[kSecAttrService as String] = service
            // Without it, macOS uses a keychain in a file, which knows no accessibility, is part of backups, and asks
            // the user for a password.
            query[kSecUseDataProtectionKeychain as String] = true
            if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
            return query as CFDictionary
        }

        private func failure(_ status: OSStatus) -> KeychainFailure {
            switch status {
            case errSecInteractionNotAllowed, errSecAuthFailed: .locked
            case errSecMissingEntitlement: .notEntitled
            case errSecAllocate: .outOfMemory
            default: .reported(status)
            }
        }
    }
#endif
