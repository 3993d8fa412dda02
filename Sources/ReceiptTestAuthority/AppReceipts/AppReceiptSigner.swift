package import ReceiptTypes
public import ReceiptVerification

/// Signs app receipts with the key of one certificate, as the App Store or Xcode does.
public struct AppReceiptSigner: Sendable {
    /// The form of the receipts.
    public let form: AppReceiptAuthority.Form
    /// The certificates in DER, leaf first.
    public let chain: [[UInt8]]
    let key: PrivateKey

    init(_ form: AppReceiptAuthority.Form, key: PrivateKey, chain: [[UInt8]]) {
        self.form = form
        self.key = key
        self.chain = chain
    }

    /// The container that the signer makes.
    public var container: Container {
        let hash: CertificateShape.Hash = form == .sha1 ? .sha1 : .sha256
        var signer = Container.SignerInfo(certificate: chain.first ?? [], hash: hash, key: key)
        if form == .xcode { signer.signatureAlgorithm = "1.2.840.113549.1.1.11" }
        return Container(
            hashes: [hash], certificates: chain, signers: [signer], isIndefinite: form == .xcode,
            isSorted: form != .xcode)
    }

    /// Signs a receipt and returns its container: DER, and BER for ``AppReceiptAuthority/Form/xcode``.
    ///
    /// - Throws: `CryptoFault` when OpenSSL fails, or a certificate of a changed container cannot be read.
    public func sign(
        _ receipt: TestAppReceipt, in container: Container? = nil
    ) throws(CryptoFault) -> [UInt8] {
        let container = container ?? self.container
        return try container.encoded(receipt.encoded(isSorted: container.isSorted))
    }

    /// Signs the members of a receipt and returns its container in base64.
    package func sign(_ members: JSONObject) throws(CryptoFault) -> String {
        Base64.standard.encode(try sign(TestAppReceipt(AppReceipt(members: members))))
    }

    /// Signs any payload and returns its container.
    ///
    /// - Throws: `CryptoFault` when OpenSSL fails, or a certificate of a changed container cannot be read.
    public func sign(payload: [UInt8], in container: Container? = nil) throws(CryptoFault) -> [UInt8] {
        try (container ?? self.container).encoded(payload)
    }
}
