internal import CReceiptCrypto
package import ReceiptTypes

/// Builds and signs one X.509 certificate.
///
/// Nothing is checked: a test needs certificates that a real authority would never issue.
@safe
package struct CertificateBuilder: ~Copyable {
    private let raw: OpaquePointer

    /// Creates a builder of an empty certificate.
    package init() throws(CryptoFault) {
        var pointer: OpaquePointer?
        try unsafe rc_certificate_builder_new(&pointer).orThrow()
        guard let pointer = unsafe pointer else { throw .libraryFailure }
        unsafe raw = pointer
    }

    deinit { unsafe rc_certificate_builder_free(raw) }

    /// Sets the version: 1, 2 or 3.
    package func setVersion(_ version: Int) throws(CryptoFault) {
        try unsafe rc_certificate_builder_set_version(raw, Int32(clamping: version)).orThrow()
    }

    /// Sets the serial number, an unsigned integer in big-endian order.
    package func setSerial(_ serial: [UInt8]) throws(CryptoFault) {
        try serial.withRawSpan { span in
            unsafe span.withPointer { (pointer, count) in unsafe rc_certificate_builder_set_serial(raw, pointer, count)
            }
        }.orThrow()
    }

    /// Sets the dates, rounded down to seconds.
    package func setValidity(from start: Timestamp, to end: Timestamp) throws(CryptoFault) {
        try unsafe rc_certificate_builder_set_validity(raw, start.secondsSince1970, end.secondsSince1970).orThrow()
    }

    /// Adds an attribute such as `CN` to the name of the subject or of the issuer.
    ///
    /// It is a UTF8String, except for a country, or a PrintableString if `isPrintable`.
    package func addName(
        _ attribute: String, _ value: String, isPrintable: Bool = false, toIssuer: Bool
    ) throws(CryptoFault) {
        try [UInt8](value.utf8).withRawSpan { span in
            unsafe span.withPointer { (pointer, count) in
                unsafe rc_certificate_builder_add_name(raw, toIssuer, attribute, isPrintable, pointer, count)
            }
        }.orThrow()
    }

    /// Sets the subject's public key.
    package func setPublicKey(_ key: PublicKey) throws(CryptoFault) {
        try unsafe key.withRaw { unsafe rc_certificate_builder_set_public_key(raw, $0) }.orThrow()
    }

    /// Adds an extension in OpenSSL's configuration syntax, such as `keyUsage` with `critical,digitalSignature`.
    package func addExtension(_ name: String, _ value: String) throws(CryptoFault) {
        try unsafe rc_certificate_builder_add_extension(raw, name, value).orThrow()
    }

    /// Adds an extension with a value in DER.
    package func addExtension(oid: String, isCritical: Bool, value: [UInt8]) throws(CryptoFault) {
        try value.withRawSpan { span in
            unsafe span.withPointer { (pointer, count) in
                unsafe rc_certificate_builder_add_raw_extension(raw, oid, isCritical, pointer, count)
            }
        }.orThrow()
    }

    /// Adds subjectKeyIdentifier: the SHA-1 of the public key (RFC 5280 4.2.1.2).
    ///
    /// The public key must be set before.
    package func addSubjectKeyIdentifier() throws(CryptoFault) {
        try unsafe rc_certificate_builder_add_subject_key_identifier(raw).orThrow()
    }

    /// Adds authorityKeyIdentifier with the key identifier of the issuer's key (RFC 5280 4.2.1.1).
    package func addAuthorityKeyIdentifier(of issuerKey: PublicKey) throws(CryptoFault) {
        try unsafe issuerKey.withRaw { unsafe rc_certificate_builder_add_authority_key_identifier(raw, $0) }.orThrow()
    }

    /// Signs the certificate with the issuer's key and returns it in DER.
    package consuming func sign(with issuerKey: PrivateKey, hash: HashAlgorithm) throws(CryptoFault) -> [UInt8] {
        let bytes = try unsafe OwnedBytes { out in
            unsafe issuerKey.withRaw { unsafe rc_certificate_builder_sign(raw, $0, hash.native, &out) }
        }
        guard let bytes else { throw .libraryFailure }
        return bytes.array
    }
}
