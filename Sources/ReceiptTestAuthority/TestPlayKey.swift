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

    /// The name of the file of the key, in the folder of a test authority.
    package static let fileName = "play-key.pem"
    /// The name of the file of the public key there.
    package static let publicFileName = "play-key.txt"

    /// Reads the key from a file; the first use creates it.
    package static func loadOrCreate(at path: String) throws -> TestPlayKey {
        if let key = try load(from: path) { return key }
        let key = try TestPlayKey()
        do throws(FileError) {
            try key.write(to: path)
            return key
        } catch {
            // Another process can have created the key in the meantime.
            guard error.code == .exists, let other = try load(from: path) else { throw error }
            return other
        }
    }

    /// Writes the key to a new file with mode 0600.
    ///
    /// - Throws: `FileError`, with the code `exists` when the file exists.
    public func write(to path: String) throws(FileError) {
        guard let der = try? key.pkcs8() else { throw FileError(code: .outOfResources, path: path) }
        try PrivateFile.create(path, [UInt8](PEM.encode(der, label: "PRIVATE KEY").utf8))
    }
}
