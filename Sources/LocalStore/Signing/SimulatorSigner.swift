internal import ReceiptTestAuthority
internal import ReceiptTypes
public import ReceiptVerification

/// The keys of a store simulator: an App Store certificate chain under its own root, and a Google Play key.
///
/// > Warning: Its signatures do not prove a payment. Trust its root only in tests.
public struct SimulatorSigner: Sendable {
    let signer: TestSigner
    let playKey: TestPlayKey
    /// The root certificate in DER.
    public let rootCertificate: [UInt8]
    /// The root certificate in PEM.
    public let rootCertificatePEM: String
    /// The trust anchors of a verifier that accepts this simulator: its root and no other.
    public let trustAnchors: TrustAnchors

    /// The file name of the Play key, in the folder of the certificate authority's keys.
    private static let playKeyName = "play-key.pem"

    /// Generates keys that are not stored.
    public init() throws(StoreSimulatorError) {
        try self.init(try Self.makeAuthority(), try Self.makePlayKey())
    }

    /// Reads the keys in a folder; the first use creates the folder and the keys, readable only by their owner.
    public init(folder: String) throws(StoreSimulatorError) {
        do {
            if let authority = try TestAuthority.load(from: folder) {
                try self.init(authority, Self.playKey(in: folder))
                return
            }
            let authority = try Self.makeAuthority()
            try authority.write(to: folder)
            try self.init(authority, Self.playKey(in: folder))
        } catch let error as StoreSimulatorError {
            throw error
        } catch {
            let message = (error as? FileError)?.message ?? "\(error)"
            throw StoreSimulatorError(.unusableKeys, message, underlying: error)
        }
    }

    private init(_ authority: TestAuthority, _ playKey: TestPlayKey) throws(StoreSimulatorError) {
        signer = authority.signer
        self.playKey = playKey
        rootCertificate = authority.rootCertificate
        rootCertificatePEM = authority.rootCertificatePEM
        var anchors = TrustAnchors()
        do {
            try anchors.add(authority.rootCertificate)
        } catch {
            throw StoreSimulatorError(
                .unusableKeys, "the root certificate cannot be used as a trust anchor", underlying: error)
        }
        trustAnchors = anchors
    }

    /// The public key of Google Play purchases, in base64 as the Play Console shows it.
    public var playPublicKey: String { playKey.publicKey }

    private static func playKey(in folder: String) throws -> TestPlayKey {
        let path = "\(folder)/\(playKeyName)"
        if let key = try TestPlayKey.load(from: path) { return key }
        let key = try makePlayKey()
        try key.write(to: path)
        return key
    }

    private static func makePlayKey() throws(StoreSimulatorError) -> TestPlayKey {
        do {
            return try TestPlayKey()
        } catch {
            throw StoreSimulatorError(.unusableKeys, "generating the Play key failed", underlying: error)
        }
    }

    /// Creates a certificate authority that is valid from 1970 to 9999, for any time of the simulated clock.
    static func makeAuthority() throws(StoreSimulatorError) -> TestAuthority {
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
            throw StoreSimulatorError(.unusableKeys, "generating the certificate authority failed", underlying: error)
        }
    }

    func sign(_ payload: some PayloadModel) throws(StoreSimulatorError) -> String {
        do {
            return try signer.sign(payload)
        } catch {
            throw StoreSimulatorError(.notSigned, error.message, underlying: error)
        }
    }
}
