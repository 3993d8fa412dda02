internal import CReceiptCrypto
internal import ReceiptTypes

/// Creates one certificate.
@safe
struct CertificateBuilder: ~Copyable {
    private let raw: OpaquePointer

    init() throws(CryptoFault) {
        var pointer: OpaquePointer?
        try unsafe rc_certificate_builder_new(&pointer).orThrow()
        guard let pointer = unsafe pointer else { throw .refused }
        unsafe raw = pointer
    }

    deinit { unsafe rc_certificate_builder_free(raw) }

    /// Fills in the shape's values, signs with the issuer's key, and returns the certificate in DER.
    consuming func sign(
        _ shape: CertificateShape,
        key: PublicKey,
        issuerName: String,
        by issuerKey: PrivateKey
    ) throws(CryptoFault) -> [UInt8] {
        try unsafe rc_certificate_builder_set_version(raw, Int32(clamping: shape.version)).orThrow()
        try setSerial()
        try unsafe rc_certificate_builder_set_validity(
            raw, shape.notBefore.secondsSince1970, shape.notAfter.secondsSince1970
        ).orThrow()
        try addName(shape.commonName, toIssuer: false)
        try addName(issuerName, toIssuer: true)
        try unsafe key.withRaw { unsafe rc_certificate_builder_set_public_key(raw, $0) }.orThrow()
        for (name, value) in shape.standardExtensions {
            try unsafe rc_certificate_builder_add_extension(raw, name, value).orThrow()
        }
        for item in shape.rawExtensions { try add(item) }
        let hash = shape.hash.native
        let bytes = try unsafe OwnedBytes { out in
            unsafe issuerKey.withRaw { unsafe rc_certificate_builder_sign(raw, $0, hash, &out) }
        }
        guard let bytes else { throw .refused }
        return bytes.array
    }

    /// Sets a random serial number: positive, 16 bytes (RFC 5280 4.1.2.2).
    private func setSerial() throws(CryptoFault) {
        var serial = try SealingKey.randomBytes(16)
        serial[0] = serial[0] & 0x3F | 0x40
        try serial.withRawSpan { span in
            unsafe span.withPointer { (pointer, count) in unsafe rc_certificate_builder_set_serial(raw, pointer, count)
            }
        }.orThrow()
    }

    private func addName(_ commonName: String, toIssuer: Bool) throws(CryptoFault) {
        for (attribute, value) in [("CN", commonName), ("O", "Receipt Test Authority")] {
            try [UInt8](value.utf8).withRawSpan { span in
                unsafe span.withPointer { (pointer, count) in
                    unsafe rc_certificate_builder_add_name(raw, toIssuer, attribute, pointer, count)
                }
            }.orThrow()
        }
    }

    private func add(_ item: CertificateShape.RawExtension) throws(CryptoFault) {
        try item.value.withRawSpan { span in
            unsafe span.withPointer { (pointer, count) in
                unsafe rc_certificate_builder_add_raw_extension(raw, item.oid, item.isCritical, pointer, count)
            }
        }.orThrow()
    }
}

extension CertificateShape.Hash {
    var native: rc_hash {
        switch self {
        case .sha1: .RC_HASH_SHA1
        case .sha256: .RC_HASH_SHA256
        case .sha384: .RC_HASH_SHA384
        case .sha512: .RC_HASH_SHA512
        }
    }
}
