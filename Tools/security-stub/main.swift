// Uses the Keychain's adapter on the items of the stub, and prints what it returns.

import Foundation
import Security

func show(_ title: String, _ value: () throws -> Any?) {
    do {
        print("\(title): \(try value().map { "\($0)" } ?? "none")")
    } catch {
        print("\(title): \(error)")
    }
}

let keychain = AppleKeychain(service: "notes", accessGroup: nil)
show("names of no item") { try keychain.names() }
show("content of no item") { try keychain.content(of: "1") }
show("add 1") { try keychain.add([1, 2, 3], as: "1") }
show("add 1 again") { try keychain.add([9], as: "1") }
show("content of 1") { try keychain.content(of: "1") }
show("add 2") { try keychain.add([], as: "2") }
show("content of 2") { try keychain.content(of: "2") }
show("names") { try keychain.names().sorted() }
show("names of another service") { try AppleKeychain(service: "other", accessGroup: nil).names() }

let shared = AppleKeychain(service: "notes", accessGroup: "TEAM.shared")
show("names in another group") { try shared.names() }
show("add 3 to the group") { try shared.add([3], as: "3") }
show("names in the group") { try shared.names() }

show("delete 2") { try keychain.delete("2") }
show("delete 2 again") { try keychain.delete("2") }
show("names without 2") { try keychain.names().sorted() }

for status in [
    errSecInteractionNotAllowed, errSecAuthFailed, errSecMissingEntitlement, errSecAllocate, errSecParam,
] {
    KeychainStub.shared.fail(with: status)
    show("names, \(status)") { try keychain.names() }
    show("content, \(status)") { try keychain.content(of: "1") }
    show("add, \(status)") { try keychain.add([4], as: "4") }
    show("delete, \(status)") { try keychain.delete("1") }
}
KeychainStub.shared.fail(with: errSecSuccess)
show("names as before") { try keychain.names().sorted() }

// The items as another part of the app finds them.
let query: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "notes", kSecAttrAccount as String: "1",
    kSecUseDataProtectionKeychain as String: true, kSecReturnAttributes as String: true,
]
var item: CFTypeRef?
_ = SecItemCopyMatching(query as CFDictionary, &item)
let attributes = item as? [String: Any] ?? [:]
show("accessible as documented") {
    attributes[kSecAttrAccessible as String] as? String == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String
}
