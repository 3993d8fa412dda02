public import PurchaseCore
internal import ReceiptTestAuthority
internal import ReceiptTypes
public import ReceiptVerification

/// The keys of a store simulator: an App Store certificate chain under its own root, one of app receipts under another
/// root, and a Google Play key.
///
/// > Warning: Its signatures do not prove a payment. Trust its root only in tests.
public struct SimulatorSigner: Sendable {
    let signer: TestSigner
    private let playKeySource: KeySource<TestPlayKey>
    private let appReceiptSource: KeySource<AppReceiptAuthority>
    /// The root certificate in DER.
    public let rootCertificate: [UInt8]
    /// The root certificate in PEM.
    public let rootCertificatePEM: String
    /// The trust anchors of a verifier that accepts this simulator: its root and no other.
    public let trustAnchors: TrustAnchors

    /// Generates keys that are not stored.
    public init() throws(StoreSimulatorError) {
        try self.init(try Self.makeAuthority(), playKey: nil, folder: nil)
    }

    /// Reads the keys in a folder; the first use creates the folder and the keys, readable only by their owner.
    ///
    /// Several processes can do so at the same time, and get the same keys.
    ///
    /// The Google Play key is created by the first Google Play purchase or the first use of ``playPublicKey``, and
    /// those of app receipts by the first app receipt.
    public init(folder: String) throws(StoreSimulatorError) {
        do {
            let authority = try TestAuthority.loadOrCreate(in: folder) { try Self.makeAuthority() }
            let playKey = try TestPlayKey.load(from: "\(folder)/\(TestPlayKey.fileName)")
            try self.init(authority, playKey: playKey, folder: folder)
        } catch let error as StoreSimulatorError {
            throw error
        } catch {
            let message = (error as? FileError)?.message ?? "\(error)"
            throw StoreSimulatorError(.unusableKeys, message, underlying: error)
        }
    }

    private init(
        _ authority: TestAuthority, playKey: TestPlayKey?, folder: String?
    ) throws(StoreSimulatorError) {
        signer = authority.signer
        playKeySource = KeySource(playKey, name: "Play key") {
            try folder.map { try TestPlayKey.loadOrCreate(at: "\($0)/\(TestPlayKey.fileName)") } ?? TestPlayKey()
        }
        appReceiptSource = KeySource(nil, name: "keys of app receipts") {
            try folder.map { try AppReceiptAuthority.loadOrCreate(in: $0, validity: Self.always) }
                ?? AppReceiptAuthority(validity: Self.always)
        }
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
    func playKey() throws(StoreSimulatorError) -> TestPlayKey { try playKeySource.keys() }

    /// The root certificate of app receipts in DER, which ``trustAnchors`` does not contain.
    ///
    /// - Throws: ``StoreSimulatorError`` with the code `unusable-keys` if the keys cannot be created or stored.
    public var appReceiptRootCertificate: [UInt8] {
        get throws(StoreSimulatorError) { try appReceiptSource.keys().rootCertificate }
    }

    /// Signs an app receipt and returns it in base64.
    func sign(_ receipt: AppReceipt) throws(StoreSimulatorError) -> String {
        let authority = try appReceiptSource.keys()
        do {
            return try authority.signer().sign(receipt.members)
        } catch {
            throw StoreSimulatorError(.notSigned, error.message, underlying: error)
        }
    }

    /// The validity of certificates: 1970 to 9999, for any time of the simulated clock.
    private static let always = Timestamp(clamping: 0)...Timestamp(clamping: 253_402_300_799_000)

    /// Creates a certificate authority that is always valid.
    static func makeAuthority() throws(StoreSimulatorError) -> TestAuthority {
        func always(_ shape: CertificateShape, _ name: String) -> CertificateShape {
            var shape = shape
            shape.commonName = name
            shape.notBefore = Self.always.lowerBound
            shape.notAfter = Self.always.upperBound
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
