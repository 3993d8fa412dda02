internal import ReceiptTestAuthority
internal import ReceiptTypes
public import ReceiptVerification

/// The keys of a store simulator: an App Store certificate chain under its own root, and a Google Play key.
///
/// > Warning: Its signatures do not prove a payment. Trust its root only in tests.
public struct SimulatorSigner: Sendable {
    let signer: TestSigner
    private let playKeySource: PlayKeySource
    /// The root certificate in DER.
    public let rootCertificate: [UInt8]
    /// The root certificate in PEM.
    public let rootCertificatePEM: String
    /// The trust anchors of a verifier that accepts this simulator: its root and no other.
    public let trustAnchors: TrustAnchors

    /// Generates keys that are not stored.
    public init() throws(StoreSimulatorError) {
        try self.init(try Self.makeAuthority(), PlayKeySource(nil, path: nil))
    }

    /// Reads the keys in a folder; the first use creates the folder and the keys, readable only by their owner.
    ///
    /// The Google Play key is created by the first Google Play purchase.
    public init(folder: String) throws(StoreSimulatorError) {
        do {
            let path = "\(folder)/\(TestPlayKey.fileName)"
            if let authority = try TestAuthority.load(from: folder) {
                try self.init(authority, PlayKeySource(try TestPlayKey.load(from: path), path: path))
                return
            }
            let authority = try Self.makeAuthority()
            try authority.write(to: folder)
            try self.init(authority, PlayKeySource(try TestPlayKey.load(from: path), path: path))
        } catch let error as StoreSimulatorError {
            throw error
        } catch {
            let message = (error as? FileError)?.message ?? "\(error)"
            throw StoreSimulatorError(.unusableKeys, message, underlying: error)
        }
    }

    private init(_ authority: TestAuthority, _ playKeySource: PlayKeySource) throws(StoreSimulatorError) {
        signer = authority.signer
        self.playKeySource = playKeySource
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
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unusable-keys` if the key cannot be created or stored.
    public var playPublicKey: String {
        get throws(StoreSimulatorError) { try playKey().publicKey }
    }

    /// Returns the key of Google Play purchases.
    func playKey() throws(StoreSimulatorError) -> TestPlayKey { try playKeySource.key() }

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
