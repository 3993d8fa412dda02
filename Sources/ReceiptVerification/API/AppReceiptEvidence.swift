internal import ReceiptTypes

/// The parts of an app receipt that another program needs to check it, as they are, verified or not.
package struct AppReceiptEvidence {
    /// The sizes in bits of an RSA key that may sign a receipt.
    package static let keyBits = Budget.receiptKeyBits
    /// The minimum size in bits of an RSA key that may sign a certificate.
    package static let smallestIssuerKey = Budget.certificateKeyBits

    /// The container without base64: in DER, or in BER as Xcode writes it.
    package let container: [UInt8]
    /// The bytes that are signed: the attributes in DER.
    package let attributes: [UInt8]
    /// The certificates in DER, leaf first.
    package let certificates: [[UInt8]]
    /// The name of the hash over which the receipt is signed, `SHA-1` or `SHA-256`; nil for another one.
    package let hash: String?
    /// The creation date.
    package let creationTime: EvidenceTime

    /// Reads the parts of a receipt; nil if it is no PKCS#7 SignedData with three certificates or a single one.
    package init?(_ receipt: [UInt8]) throws(CryptoFault) {
        var examination = Examination(isTracing: false)
        guard let container = try AppReceiptContainer.decode(receipt, &examination),
            let (der, _) = try AppReceiptContainer.der(container, &examination),
            let parts = der.withRawSpan({ try? SignedData(reading: $0) }),
            [1, Budget.chainLength].contains(parts.certificatePlaces.count)
        else { return nil }
        self.container = container
        attributes = Array(der[parts.content])
        hash = AppReceiptContainer.hashName(of: Array(der[parts.digestAlgorithm]))
        certificates = parts.certificatePlaces.map { Array(der[$0]) }
        creationTime =
            (try? AppReceiptContent(reading: attributes)).map { EvidenceTime(AppStoreAppReceipt.signingTime(of: $0)) }
            ?? .absent
    }
}

extension TrustAnchors {
    /// Returns the trusted root that is the last certificate of an app receipt; nil if it is not trusted.
    package func root(ofAppReceipt chain: [[UInt8]]) throws(CryptoFault) -> [UInt8]? {
        guard let der = chain.last else { return nil }
        let fingerprint = try SHA256Digest.of(bytes: der)
        return appReceiptRoots.contains { $0.fingerprint == fingerprint } ? der : nil
    }

    /// The roots under which app receipts are verified.
    package var appReceiptRoots: [TrustAnchor] { anchors(for: .appReceipts) }
}
