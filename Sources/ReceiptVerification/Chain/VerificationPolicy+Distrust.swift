internal import ReceiptTypes

extension VerificationPolicy {
    /// Distrusts the certificates in a file's bytes: one certificate in DER, or one or more in PEM.
    ///
    /// Each certificate is named by its TBSCertificate, by its issuer and serial number, and by its key, so every other
    /// certificate with that key is distrusted too. To distrust one certificate alone, add the SHA-256 of its DER to
    /// ``distrustedCertificates``.
    ///
    /// - Throws: ``TrustAnchorError`` if the bytes contain no certificate or one cannot be read. Then nothing is added.
    public mutating func distrust(_ bytes: [UInt8]) throws(TrustAnchorError) {
        for certificate in try TrustAnchors.certificates(in: bytes) {
            distrustedCertificates.formUnion(certificate.signedDigests)
        }
    }

    /// Distrusts what the value of a command-line flag names: a SHA-256 in 64 hexadecimal digits, with or without
    /// colons, or a file of certificates.
    ///
    /// - Parameter failure: Returns the error for a value that names nothing of this; it gets the reason that the file
    ///   cannot be used, or nil if there is no digest and no file.
    package mutating func distrust<Failure: Error>(
        _ text: String, readingFilesWith readFile: (String) throws(Failure) -> [UInt8],
        failingWith failure: (_ reason: String?) -> Failure
    ) throws(Failure) {
        if let digest = SHA256Digest(hexadecimal: text.filter { $0 != ":" }) {
            distrustedCertificates.insert(digest)
            return
        }
        guard let bytes = try? readFile(text) else { throw failure(nil) }
        do throws(TrustAnchorError) {
            try distrust(bytes)
        } catch {
            throw failure(error.message)
        }
    }

    /// Returns the distrusted digest that names a certificate; nil if there is none.
    ///
    /// - Parameter digests: All digests of the certificate, as ``Certificate/digests`` has them.
    func distrusts(_ digests: [SHA256Digest]) -> SHA256Digest? {
        guard !distrustedCertificates.isEmpty else { return nil }
        return digests.first(where: distrustedCertificates.contains)
    }
}
