public import ReceiptVerification

/// An RSA key pair of a Google Play app, which makes signed purchases for tests.
public struct TestPlayKey: Sendable {
    private let key: PrivateKey
    /// The public key as the Play Console shows it: base64 of a SubjectPublicKeyInfo.
    public let publicKey: String

    /// Creates a new key; Google Play uses 2048 bits.
    public init(bits: Int = 2048) throws(CryptoFault) {
        try self.init(key: PrivateKey(generating: .rsa(bits: bits)))
    }

    private init(key: PrivateKey) throws(CryptoFault) {
        self.key = key
        publicKey = Base64.standard.encode(try key.publicKey().subjectPublicKeyInfo())
    }

    /// Signs purchase data as Google Play does, with RSASSA-PKCS1-v1_5 and SHA-1, and returns the signature in base64.
    public func sign(_ data: String) throws(CryptoFault) -> String {
        Base64.standard.encode(try key.signRSA([UInt8](data.utf8), hash: .sha1))
    }

    /// Reads a key from a file that ``write(to:)`` wrote; nil if the file does not exist.
    ///
    /// - Throws: `FileError`, with the code `encrypted-key`, `not-a-private-key` or, unless the key is an RSA key,
    ///   `wrong-key-type`.
    public static func load(from path: String) throws(FileError) -> TestPlayKey? {
        guard let key = try PrivateKey.load(from: path) else { return nil }
        guard let publicKey = try? key.publicKey(), publicKey.kind == .rsa, let playKey = try? TestPlayKey(key: key)
        else { throw FileError(code: .wrongKeyType, path: path) }
        return playKey
    }

    /// Writes the key to a new file with mode 0600.
    ///
    /// - Throws: `FileError`, with the code `exists` when the file exists.
    public func write(to path: String) throws(FileError) {
        guard let der = try? key.pkcs8() else { throw FileError(code: .outOfResources, path: path) }
        try PrivateFile.create(path, [UInt8](PEM.encode(der, label: "PRIVATE KEY").utf8))
    }
}
