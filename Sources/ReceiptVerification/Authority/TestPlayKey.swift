internal import CReceiptCrypto

/// A Google Play app's key with both halves, to make signed purchases for tests.
public struct TestPlayKey: Sendable {
    let key: PrivateKey
    /// The public key as the Play Console shows it: base64 of a SubjectPublicKeyInfo.
    public let publicKey: String

    /// Makes an RSA key; the store uses 2048 bits.
    public init(bits: Int = 2048) throws(CryptoFault) {
        try self.init(key: PrivateKey(generating: .rsa(bits: bits)))
    }

    init(key: PrivateKey) throws(CryptoFault) {
        self.key = key
        publicKey = Base64.standard.encode(try key.publicKey().subjectPublicKeyInfo())
    }

    /// The signature over purchase data in base64, made as the store makes it: RSASSA-PKCS1-v1_5 with SHA-1.
    public func sign(_ data: String) throws(CryptoFault) -> String {
        Base64.standard.encode(try key.signRSA([UInt8](data.utf8), hash: .RC_HASH_SHA1))
    }
}
