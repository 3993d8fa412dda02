// Facts about one X.509 certificate (RFC 5280). These functions build no chain and establish no trust.
#ifndef RC_CERTIFICATE_H
#define RC_CERTIFICATE_H

#include "rc_bytes.h"
#include "rc_public_key.h"
#include "rc_sha256.h"
#include "rc_status.h"

/// An immutable certificate.
typedef struct rc_certificate rc_certificate;

/// The algorithm of the issuer's signature.
typedef enum RC_CLOSED_ENUM rc_signature_algorithm {
    RC_SIGNATURE_ECDSA_SHA256,
    RC_SIGNATURE_ECDSA_SHA384,
    RC_SIGNATURE_ECDSA_SHA512,
    RC_SIGNATURE_RSA_SHA256,
    RC_SIGNATURE_RSA_SHA384,
    RC_SIGNATURE_RSA_SHA512,
    /// RSA with SHA-1, which only chains of app receipts may have.
    RC_SIGNATURE_RSA_SHA1,
    /// Any other algorithm; see rc_certificate_signature_name.
    RC_SIGNATURE_OTHER,
} rc_signature_algorithm;

// Bits of `key_usage` (RFC 5280 4.2.1.3), as OpenSSL numbers them.
#define RC_KEY_USAGE_DIGITAL_SIGNATURE 0x0080u
#define RC_KEY_USAGE_KEY_CERT_SIGN 0x0004u

/// The most digests of one certificate.
#define RC_CERTIFICATE_DIGESTS 7

typedef struct rc_certificate_facts {
    /// 1, 2 or 3.
    int version;
    /// Seconds since 1970-01-01T00:00:00Z.
    int64_t not_before;
    /// Seconds since 1970-01-01T00:00:00Z.
    int64_t not_after;
    /// RC_KEY_OTHER if OpenSSL cannot read the key.
    rc_key_type key_type;
    /// 0 if OpenSSL cannot read the key.
    int key_bits;
    rc_signature_algorithm signature_algorithm;
    /// From basicConstraints; false without the extension.
    bool is_ca;
    /// Whether basicConstraints has a pathLenConstraint, which is then `path_length`.
    bool has_path_length;
    int64_t path_length;
    /// Whether the certificate has the extension keyUsage, whose bits are then `key_usage`.
    bool has_key_usage;
    uint32_t key_usage;
    /// Whether extendedKeyUsage names codeSigning or anyExtendedKeyUsage; false without the extension, and if it cannot
    /// be read.
    bool has_code_signing_purpose;
    int extension_count;
    /// The SHA-256 digests by which the certificate can be named, in this order: of the certificate in DER, of its
    /// TBSCertificate, of its SubjectPublicKeyInfo, and of its issuer and serial number as an IssuerAndSerialNumber
    /// (RFC 5652 10.2.4). Behind them, if it is signed with ECDSA, of the certificate with n - s in place of s, for each
    /// curve on which that can be: no signature covers the signature itself, and both forms are valid.
    uint8_t digests[RC_CERTIFICATE_DIGESTS][RC_SHA256_COUNT];
    int digest_count;
} rc_certificate_facts;

/// Reads one certificate.
///
/// RC_MALFORMED: the `count` bytes are not exactly one certificate in DER, a date is invalid, or basicConstraints or
/// keyUsage cannot be read or appears twice. Such bytes are rejected here because the facts would be incomplete.
rc_status rc_certificate_parse(const uint8_t *der, size_t count, rc_certificate **out);

/// Frees the certificate. Null is ignored.
void rc_certificate_free(rc_certificate *certificate);

/// Stores the facts of the certificate.
void rc_certificate_get_facts(const rc_certificate *certificate, rc_certificate_facts *facts);

/// Stores the OID of an extension in dotted form with a terminating NUL, and whether the extension is critical.
///
/// `index` counts from 0. RC_NO: there is no such extension.
/// RC_BUFFER_TOO_SMALL: the OID needs more than `oid_capacity` bytes.
rc_status rc_certificate_extension(
    const rc_certificate *certificate, int index, char *oid, size_t oid_capacity, bool *critical
);

/// Extracts the subject's public key. The caller owns `*out`, which may outlive the certificate.
///
/// RC_UNSUPPORTED: OpenSSL cannot read the key.
rc_status rc_certificate_public_key(const rc_certificate *certificate, rc_public_key **out);

/// Copies the subject's common name in UTF-8, or the complete name in the form of RFC 2253 if it has no common name.
/// The caller owns `*out`.
rc_status rc_certificate_subject(const rc_certificate *certificate, rc_bytes **out);
/// Copies the issuer's name in the same form. The caller owns `*out`.
rc_status rc_certificate_issuer(const rc_certificate *certificate, rc_bytes **out);
/// Copies the serial number in upper-case hexadecimal. The caller owns `*out`.
rc_status rc_certificate_serial(const rc_certificate *certificate, rc_bytes **out);
/// Stores OpenSSL's name of the signature algorithm with a terminating NUL, cut to `capacity - 1` characters.
rc_status rc_certificate_signature_name(const rc_certificate *certificate, char *name, size_t capacity);

/// Returns whether the issuer name of a certificate is its own subject name.
bool rc_certificate_is_self_issued(const rc_certificate *certificate);
/// Returns whether the issuer name of `certificate` is the subject name of `issuer` (RFC 5280 7.1).
bool rc_certificate_names_issuer(const rc_certificate *certificate, const rc_certificate *issuer);
/// Returns whether two certificates have the same subject name and the same public key.
bool rc_certificate_is_same_entity(const rc_certificate *left, const rc_certificate *right);
/// Verifies the signature of `certificate` with the public key of `issuer`.
///
/// RC_NO: the signature does not match. RC_UNSUPPORTED: OpenSSL cannot read the issuer's key. RC_HASH_FORBIDDEN: the
/// algorithm is RSA with SHA-1, and the system does not allow it.
rc_status rc_certificate_is_signed_by(const rc_certificate *certificate, const rc_certificate *issuer);

#endif
