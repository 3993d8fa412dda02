/// The public keys by which purchases of Google Play apps are verified, one for each package.
///
/// Keys come from the Play Console and from nowhere else: one that arrives beside a purchase proves nothing.
public struct PlayKeyring: Sendable {
    private var keys: [String: PlayKey] = [:]

    /// Makes an empty ring.
    public init() {}

    /// The packages that have a key, sorted.
    public var packages: [String] { keys.keys.sorted() }

    /// Adds a package's key: base64 of a SubjectPublicKeyInfo as the Play Console shows it, PEM, or DER.
    ///
    /// A text that is no such key is kept as what it is, and purchases of the package are answered with `key-invalid`.
    public mutating func add(_ text: [UInt8], forPackage package: String) {
        keys[package] = PlayKey(text)
    }

    /// Why a text cannot be used as a key, in words; nil when it can.
    public static func problem(ofKey text: [UInt8]) -> String? {
        PlayKey(text).problem
    }

    func key(forPackage package: String) -> PlayKey? {
        // Swift compares texts by what they look like; packages are compared byte by byte.
        keys.first { $0.key.utf8.elementsEqual(package.utf8) }?.value
    }

    var onlyKey: PlayKey? { keys.count == 1 ? keys.first?.value : nil }

    /// The packages whose key verifies a signature, for a hint.
    func packages(verifying signature: RawSpan, over data: RawSpan) throws(CryptoFault) -> [String] {
        var found: [String] = []
        for (package, key) in keys {
            if let key = key.usable, try key.verifyRSA(signature, over: data, hash: .sha1) {
                found.append(package)
            }
        }
        return found.sorted()
    }
}
