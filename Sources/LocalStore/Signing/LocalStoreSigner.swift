internal import ReceiptTestAuthority
internal import ReceiptTypes
public import ReceiptVerification

/// Signs for a local store, with keys and a root of its own.
///
/// > Warning: Nothing that it signs was paid for. Trust its root in tests and nowhere else.
public struct LocalStoreSigner: Sendable {
    let signer: TestSigner
    let playKey: TestPlayKey
    /// The root in DER.
    public let rootCertificate: [UInt8]
    /// The root as PEM.
    public let rootCertificatePEM: String
    /// Trusts the root and nothing else.
    public let trustAnchors: TrustAnchors

    /// The file of the Play key beside those of the authority.
    private static let playKeyName = "play-key.pem"

    /// Makes keys that live as long as the process.
    public init() throws(LocalStoreError) {
        try self.init(try Self.makeAuthority(), try Self.makePlayKey())
    }

    /// Opens a folder of keys; on first use the folder and the keys are made, with modes that let only their owner in.
    public init(folder: String) throws(LocalStoreError) {
        do {
            if let authority = try TestAuthority.load(from: folder) {
                try self.init(authority, Self.playKey(in: folder))
                return
            }
            let authority = try Self.makeAuthority()
            try authority.write(to: folder)
            try self.init(authority, Self.playKey(in: folder))
        } catch let error as LocalStoreError {
            throw error
        } catch {
            let message = (error as? FileError)?.message ?? "\(error)"
            throw LocalStoreError(.unusableKeys, message, underlying: error)
        }
    }

    private init(_ authority: TestAuthority, _ playKey: TestPlayKey) throws(LocalStoreError) {
        signer = authority.signer
        self.playKey = playKey
        rootCertificate = authority.rootCertificate
        rootCertificatePEM = authority.rootCertificatePEM
        var anchors = TrustAnchors()
        do {
            try anchors.add(authority.rootCertificate)
        } catch {
            throw LocalStoreError(.unusableKeys, "the root cannot be trusted", underlying: error)
        }
        trustAnchors = anchors
    }

    /// The public key for purchases in the form of Google Play, as the Play Console would show it.
    public var playPublicKey: String { playKey.publicKey }

    private static func playKey(in folder: String) throws -> TestPlayKey {
        let path = "\(folder)/\(playKeyName)"
        if let key = try TestPlayKey.load(from: path) { return key }
        let key = try makePlayKey()
        try key.write(to: path)
        return key
    }

    private static func makePlayKey() throws(LocalStoreError) -> TestPlayKey {
        do {
            return try TestPlayKey()
        } catch {
            throw LocalStoreError(.unusableKeys, "no Play key can be made", underlying: error)
        }
    }

    /// Valid at every time that a virtual clock can show and a certificate express.
    static func makeAuthority() throws(LocalStoreError) -> TestAuthority {
        func always(_ shape: CertificateShape, _ name: String) -> CertificateShape {
            var shape = shape
            shape.commonName = name
            shape.notBefore = Timestamp(clamping: 0)
            shape.notAfter = Timestamp(clamping: 253_402_300_799_000)
            return shape
        }
        do {
            return try TestAuthority(
                root: always(.root, "Local Store Root CA"),
                intermediate: always(.intermediate, "Local Store Intermediate CA"),
                leaf: always(.leaf, "Local Store Signing")
            )
        } catch {
            throw LocalStoreError(.unusableKeys, "no keys can be made", underlying: error)
        }
    }

    func sign(_ payload: some PayloadModel) throws(LocalStoreError) -> String {
        do {
            return try signer.sign(payload)
        } catch {
            throw LocalStoreError(.notSigned, error.message, underlying: error)
        }
    }
}
