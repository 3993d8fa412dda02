// Creating certificates, correct or with chosen flaws, for test authorities and store simulators.
#ifndef RC_CERTIFICATE_BUILDER_H
#define RC_CERTIFICATE_BUILDER_H

#include "rc_bytes.h"
#include "rc_private_key.h"
#include "rc_public_key.h"
#include "rc_rsa.h"
#include "rc_status.h"

/// A certificate that is being built.
typedef struct rc_certificate_builder rc_certificate_builder;

/// Creates a builder with an empty certificate.
rc_status rc_certificate_builder_new(rc_certificate_builder **out);
/// Frees the builder. Null is ignored.
void rc_certificate_builder_free(rc_certificate_builder *builder);

/// Sets the version, 1 to 3. RC_UNSUPPORTED: another version.
rc_status rc_certificate_builder_set_version(rc_certificate_builder *builder, int version);
/// Sets the serial number: `count` bytes, unsigned, big endian.
rc_status rc_certificate_builder_set_serial(rc_certificate_builder *builder, const uint8_t *serial, size_t count);
/// Sets both dates, in seconds since 1970-01-01T00:00:00Z. RC_UNSUPPORTED: a date that X.509 cannot express.
rc_status rc_certificate_builder_set_validity(rc_certificate_builder *builder, int64_t not_before, int64_t not_after);
/// Adds an attribute to the issuer name or the subject name.
///
/// `attribute` is OpenSSL's short name, such as "CN", with a terminating NUL; the value is `count` bytes of UTF-8. It is
/// encoded as PrintableString if `is_printable`, and otherwise as OpenSSL does: UTF8String, a country as PrintableString.
/// RC_UNSUPPORTED: OpenSSL does not know the attribute or rejects the value.
rc_status rc_certificate_builder_add_name(
    rc_certificate_builder *builder, bool to_issuer, const char *attribute, bool is_printable, const uint8_t *value,
    size_t count
);
/// Sets the subject's public key.
rc_status rc_certificate_builder_set_public_key(rc_certificate_builder *builder, const rc_public_key *key);
/// Adds an extension in OpenSSL's configuration syntax, such as ("basicConstraints", "critical,CA:TRUE,pathlen:0").
///
/// Both strings end with a NUL. RC_UNSUPPORTED: OpenSSL cannot parse them.
rc_status rc_certificate_builder_add_extension(rc_certificate_builder *builder, const char *name, const char *value);
/// Adds an extension by its OID, in dotted form with a terminating NUL, and the `count` bytes of its value in DER.
///
/// RC_UNSUPPORTED: the OID is not valid.
rc_status rc_certificate_builder_add_raw_extension(
    rc_certificate_builder *builder, const char *oid, bool critical, const uint8_t *der, size_t count
);
/// Adds subjectKeyIdentifier: the SHA-1 of the public key that was set (RFC 5280 4.2.1.2).
///
/// RC_FAULT: no public key was set, or the extension is there already.
rc_status rc_certificate_builder_add_subject_key_identifier(rc_certificate_builder *builder);
/// Adds authorityKeyIdentifier with the key identifier of the issuer's public key (RFC 5280 4.2.1.1).
///
/// RC_FAULT: the extension is there already.
rc_status rc_certificate_builder_add_authority_key_identifier(
    rc_certificate_builder *builder, const rc_public_key *issuer_key
);
/// Signs the certificate and encodes it in DER. The caller owns `*out`.
rc_status rc_certificate_builder_sign(
    rc_certificate_builder *builder, const rc_private_key *issuer_key, rc_hash hash, rc_bytes **out
);

#endif
