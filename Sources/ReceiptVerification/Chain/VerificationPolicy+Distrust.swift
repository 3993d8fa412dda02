internal import ReceiptTypes

extension VerificationPolicy {
    /// Distrusts the certificates in a file's bytes: one certificate in DER, or one or more in PEM.
    ///
    /// Each certificate is named by its TBSCertificate, by its issuer and serial number, and by its key, so every other
    /// certificate with that key is distrusted too. To distrust one certificate alone, add the SHA-256 of its DER to
    /// ``distrustedCertificates``.
    ///
    /// - Throws: ``TrustAnchorError`` if the bytes contain no certificate, if one cannot be read, or if something
    ///   beside the certificates may be what was meant. Then nothing is added.
    public mutating func distrust(_ bytes: [UInt8]) throws(TrustAnchorError) {
        _ = try distrust(certificatesIn: bytes)
    }

    /// Distrusts the certificates in a file's bytes, and returns them.
    mutating func distrust(certificatesIn bytes: [UInt8]) throws(TrustAnchorError) -> [Certificate] {
        let certificates = try TrustAnchors.certificates(in: bytes)
        // What is skipped among roots is not trusted; what is skipped here would be.
        guard bytes.first == 0x30 || !PEM.hasOtherBlocks(than: "CERTIFICATE", in: bytes) else {
            throw TrustAnchorError(code: .notOnlyCertificates)
        }
        for certificate in certificates { distrustedCertificates.formUnion(certificate.signedDigests) }
        return certificates
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

    /// A distrusted digest that names a certificate.
    struct Distrust {
        let digest: SHA256Digest
        /// The part of the certificate that the digest is of, in words; nil for the certificate itself.
        let part: String?
    }

    /// What the digests of a certificate are of, as ``Certificate/digests`` has them, in words.
    private static let digestedParts: [String?] = [
        nil, "its TBSCertificate", "its key (SubjectPublicKeyInfo)", "its issuer and serial number",
    ]
    /// The order of the digests in messages: those that other programs print come first.
    private static let digestOrder = [0, 2, 1, 3]

    /// Returns the distrusted digest that names a certificate; nil if there is none.
    ///
    /// - Parameter digests: All digests of the certificate, as ``Certificate/digests`` has them.
    func distrusts(_ digests: [SHA256Digest]) -> Distrust? {
        guard !distrustedCertificates.isEmpty else { return nil }
        let others = digests.indices.dropFirst(Self.digestOrder.count)
        let order = Self.digestOrder.filter(digests.indices.contains) + others
        return order.first { distrustedCertificates.contains(digests[$0]) }.map { place in
            let parts = Self.digestedParts
            return Distrust(
                digest: digests[place],
                part: parts.indices.contains(place) ? parts[place] : "it with the other form of its signature")
        }
    }
}

extension VerificationPolicy.Distrust {
    /// Says why a certificate is distrusted.
    ///
    /// - Parameter name: The name of the certificate, such as `certificate with SHA-256 …`.
    func words(for name: String) -> String {
        part.map { "\(name), which is distrusted by the SHA-256 of \($0), \(digest)" } ?? "distrusted \(name)"
    }
}
