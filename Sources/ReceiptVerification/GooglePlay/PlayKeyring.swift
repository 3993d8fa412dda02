internal import ReceiptTypes

/// The public keys of Google Play apps, one for each package.
///
/// Take the keys from the Play Console only: a key that arrives together with a purchase proves nothing.
public struct PlayKeyring: Sendable {
    private static let mostKeysToTry = 64

    private var keys: [String: PlayKey] = [:]
    private var texts: [String: [UInt8]] = [:]

    /// Creates an empty keyring.
    public init() {}

    /// The names of the packages that have a key, sorted.
    public var packages: [String] { keys.keys.sorted() }

    /// Adds the key of a package: base64 of a SubjectPublicKeyInfo as the Play Console shows it, PEM, or DER.
    ///
    /// An unusable key is kept too, and purchases of its package fail with `key-invalid`.
    public mutating func add(_ text: [UInt8], forPackage package: String) {
        keys[package] = PlayKey(text)
        texts[package] = text
    }

    /// Returns one line for each package, with the digest of its key as it was given.
    package func identity() throws -> [String] {
        try texts.sorted { $0.key < $1.key }.map { "\($0.key) \(try SHA256Digest.of(bytes: $0.value))" }
    }

    /// Returns why bytes cannot be used as a key, in words; nil if they can.
    public static func problem(ofKey text: [UInt8]) -> String? {
        PlayKey(text).problem
    }

    func key(forPackage package: String) -> PlayKey? {
        // Swift strings are equal if they are canonically equivalent; package names are compared byte by byte.
        guard let place = keys.index(forKey: package), keys[place].key.isIdentical(to: package) else { return nil }
        return keys[place].value
    }

    var onlyKey: PlayKey? { keys.count == 1 ? keys.first?.value : nil }

    /// Returns the packages under whose key a signature is valid, for a hint; none if there are too many keys to try.
    ///
    /// An attacker can send any number of invalid signatures, and each would cost a verification by every key.
    func packages(verifying signature: RawSpan, over data: RawSpan) throws(CryptoFault) -> [String] {
        guard keys.count <= Self.mostKeysToTry else { return [] }
        var found: [String] = []
        for (package, key) in keys {
            if let key = key.usable, try key.verifyRSA(signature, over: data, hash: .sha1) {
                found.append(package)
            }
        }
        return found.sorted()
    }
}
