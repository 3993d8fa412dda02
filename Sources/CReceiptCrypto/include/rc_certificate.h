// Facts about one X.509 certificate (RFC 5280). No chain is built and nothing is trusted here.
#ifndef RC_CERTIFICATE_H
#define RC_CERTIFICATE_H

#include "rc_bytes.h"
#include "rc_public_key.h"
#include "rc_status.h"

typedef struct rc_certificate rc_certificate;

/// A certificate with more extensions is refused as malformed: real ones have about ten.
#define RC_MAXIMUM_EXTENSIONS 64

typedef enum RC_CLOSED_ENUM rc_signature_algorithm {
    RC_SIGNATURE_ECDSA_SHA256,
    RC_SIGNATURE_ECDSA_SHA384,
    RC_SIGNATURE_ECDSA_SHA512,
    RC_SIGNATURE_RSA_SHA256,
    RC_SIGNATURE_RSA_SHA384,
    RC_SIGNATURE_RSA_SHA512,
    /// SHA-1, MD5 and whatever else there is; `rc_certificate_signature_name` tells which.
    RC_SIGNATURE_OTHER,
} rc_signature_algorithm;

// The bits of keyUsage that receipts care about (RFC 5280 4.2.1.3), as OpenSSL numbers them.
#define RC_KEY_USAGE_DIGITAL_SIGNATURE 0x0080u
#define RC_KEY_USAGE_KEY_CERT_SIGN 0x0004u

typedef struct rc_certificate_facts {
    /// 1, 2 or 3.
    int version;
    /// Seconds since 1970-01-01T00:00:00Z.
    int64_t not_before;
    int64_t not_after;
    rc_key_type key_type;
    int key_bits;
    rc_signature_algorithm signature_algorithm;
    bool has_basic_constraints;
    bool is_ca;
    bool has_path_length;
    int64_t path_length;
    bool has_key_usage;
    uint32_t key_usage;
    int extension_count;
    uint8_t sha256[RC_SHA256_COUNT];
} rc_certificate_facts;

/// Reads one certificate.
///
/// RC_MALFORMED: not DER to the last byte, a date that is none, an extension that appears twice or cannot be read.
rc_status rc_certificate_parse(const uint8_t *der, size_t count, rc_certificate **out);
void rc_certificate_free(rc_certificate *certificate);

void rc_certificate_get_facts(const rc_certificate *certificate, rc_certificate_facts *facts);
/// The OID of an extension in dotted form, and whether it is critical; `index` counts from 0.
rc_status rc_certificate_extension(
    const rc_certificate *certificate, int index, char *oid, size_t oid_capacity, bool *critical
);
/// RC_UNSUPPORTED when OpenSSL cannot read the key.
rc_status rc_certificate_public_key(const rc_certificate *certificate, rc_public_key **out);

/// The subject's common name in UTF-8, or the whole subject where it has none.
rc_status rc_certificate_subject(const rc_certificate *certificate, rc_bytes **out);
rc_status rc_certificate_issuer(const rc_certificate *certificate, rc_bytes **out);
/// The serial number in upper-case hexadecimal.
rc_status rc_certificate_serial(const rc_certificate *certificate, rc_bytes **out);
/// The signature algorithm's name as OpenSSL spells it.
rc_status rc_certificate_signature_name(const rc_certificate *certificate, char *name, size_t capacity);

/// Whether the issuer name of `certificate` is the subject of `issuer` (RFC 5280 7.1).
bool rc_certificate_names_issuer(const rc_certificate *certificate, const rc_certificate *issuer);
/// Whether two certificates bear the same subject and the same public key.
bool rc_certificate_is_same_entity(const rc_certificate *left, const rc_certificate *right);
/// Whether the signature on `certificate` was made with the key of `issuer`. RC_NO: it was not.
rc_status rc_certificate_is_signed_by(const rc_certificate *certificate, const rc_certificate *issuer);

#endif
