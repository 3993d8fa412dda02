// A stub of the Keychain in Apple's framework Security, to compile and run its adapter on systems without Apple's SDK.
//
// It declares what Sources/PurchaseStorage/SealedStore/AppleKeychain.swift uses, with the names, types and values that
// Apple documents. The functions work on items in memory, by the documented rules that the adapter depends on, and
// reject an attribute that they do not know. No product contains or links it.
//
// It cannot show how Foundation's types become those of Core Foundation: here, CFString and CFDictionary are classes of
// Foundation. Neither can it show how the compiler rates the constants of Apple's SDK, nor what a system makes of
// entitlements, of the lock of the device and of backups.

public import Foundation

public typealias OSStatus = Int32
public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFDictionary = NSDictionary

public let errSecSuccess: OSStatus = 0
public let errSecParam: OSStatus = -50
public let errSecAllocate: OSStatus = -108
public let errSecAuthFailed: OSStatus = -25_293
public let errSecDuplicateItem: OSStatus = -25_299
public let errSecItemNotFound: OSStatus = -25_300
public let errSecInteractionNotAllowed: OSStatus = -25_308
public let errSecMissingEntitlement: OSStatus = -34_018

// Apple's SDK has constants. Here each one is computed, because a class of Foundation is not safe to share.
public var kSecClass: CFString { "class" as CFString }
public var kSecClassGenericPassword: CFString { "genp" as CFString }
public var kSecAttrService: CFString { "svce" as CFString }
public var kSecAttrAccount: CFString { "acct" as CFString }
public var kSecAttrAccessGroup: CFString { "agrp" as CFString }
public var kSecAttrAccessible: CFString { "pdmn" as CFString }
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { "cku" as CFString }
public var kSecUseDataProtectionKeychain: CFString { "nleg" as CFString }
public var kSecValueData: CFString { "v_Data" as CFString }
public var kSecReturnAttributes: CFString { "r_Attributes" as CFString }
public var kSecReturnData: CFString { "r_Data" as CFString }
public var kSecMatchLimit: CFString { "m_Limit" as CFString }
public var kSecMatchLimitAll: CFString { "m_LimitAll" as CFString }

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    KeychainStub.shared.answer(attributes, [.service, .account, .data, .accessible]) { items, query in
        guard let data = query.data, let account = query.text(.account) else { return errSecParam }
        let group = query.text(.group) ?? KeychainStub.defaultGroup
        guard !items.contains(where: { query.matches($0) && $0.account == account && $0.group == group }) else {
            return errSecDuplicateItem
        }
        items.append(
            KeychainStub.Item(
                service: query.text(.service) ?? "", account: account, group: group, data: data,
                accessible: query.text(.accessible) ?? "", isProtected: query.isProtected))
        return errSecSuccess
    }
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    KeychainStub.shared.answer(query, [.service, .account, .returnsData, .returnsAttributes, .limit]) { items, query in
        let isForAll = query.text(.limit) == kSecMatchLimitAll as String
        // Apple's documentation of SecItemCopyMatching forbids it for passwords.
        if isForAll, query.flag(.returnsData) { return errSecParam }
        let found = items.filter(query.matches)
        guard let first = found.first else { return errSecItemNotFound }
        if query.flag(.returnsData) { result?.pointee = first.data as NSData }
        if query.flag(.returnsAttributes) {
            result?.pointee = isForAll ? found.map(\.attributes) as NSArray : first.attributes
        }
        return errSecSuccess
    }
}

public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    KeychainStub.shared.answer(query, [.service, .account]) { items, query in
        let count = items.count
        items.removeAll(where: query.matches)
        return items.count < count ? errSecSuccess : errSecItemNotFound
    }
}

/// The items in memory, and what a test makes of them. Apple's framework has nothing of this.
public final class KeychainStub: @unchecked Sendable {
    public static let shared = KeychainStub()

    struct Item {
        let service: String
        let account: String
        let group: String
        let data: Data
        let accessible: String
        /// Whether it is in the data protection keychain and not in a keychain file of macOS.
        let isProtected: Bool

        var attributes: NSDictionary {
            [
                kSecAttrService as String: service, kSecAttrAccount as String: account,
                kSecAttrAccessGroup as String: group, kSecAttrAccessible as String: accessible,
            ] as NSDictionary
        }
    }

    /// The attributes that queries have in this stub.
    enum Attribute {
        case service, account, group, data, accessible, isProtected, itemClass, returnsData, returnsAttributes, limit

        var name: String {
            switch self {
            case .service: kSecAttrService as String
            case .account: kSecAttrAccount as String
            case .group: kSecAttrAccessGroup as String
            case .data: kSecValueData as String
            case .accessible: kSecAttrAccessible as String
            case .isProtected: kSecUseDataProtectionKeychain as String
            case .itemClass: kSecClass as String
            case .returnsData: kSecReturnData as String
            case .returnsAttributes: kSecReturnAttributes as String
            case .limit: kSecMatchLimit as String
            }
        }
    }

    struct Query {
        let values: [String: Any]

        var data: Data? { values[Attribute.data.name] as? Data }
        var isProtected: Bool { flag(.isProtected) }
        func text(_ attribute: Attribute) -> String? { values[attribute.name] as? String }
        func flag(_ attribute: Attribute) -> Bool { values[attribute.name] as? Bool ?? false }

        func matches(_ item: Item) -> Bool {
            item.isProtected == isProtected && item.service == text(.service)
                && (text(.account).map { $0 == item.account } ?? true)
                && (text(.group).map { $0 == item.group } ?? true)
        }
    }

    /// The group of an item for which the app names none.
    static let defaultGroup = "TEAM.com.example.notes"

    // Safe to share: the lock guards both.
    private let lock = NSLock()
    private var items: [Item] = []
    private var status = errSecSuccess

    /// Makes each call fail with a status, and change nothing; `errSecSuccess` ends that.
    public func fail(with status: OSStatus) {
        lock.withLock { self.status = status }
    }

    func answer(
        _ query: CFDictionary, _ attributes: [Attribute], _ body: (inout [Item], Query) -> OSStatus
    ) -> OSStatus {
        lock.withLock {
            guard status == errSecSuccess else { return status }
            let query = Query(values: query as? [String: Any] ?? [:])
            let known = Set((attributes + [.itemClass, .isProtected, .group]).map(\.name))
            guard known.isSuperset(of: query.values.keys),
                query.text(.itemClass) == kSecClassGenericPassword as String
            else { return errSecParam }
            return body(&items, query)
        }
    }
}
