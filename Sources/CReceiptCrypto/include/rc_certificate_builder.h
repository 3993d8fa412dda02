// Making certificates, well formed or with chosen flaws, for test authorities and local stores.
#ifndef RC_CERTIFICATE_BUILDER_H
#define RC_CERTIFICATE_BUILDER_H

#include "rc_bytes.h"
#include "rc_certificate.h"
#include "rc_private_key.h"
#include "rc_status.h"

typedef struct rc_certificate_builder rc_certificate_builder;

rc_status rc_certificate_builder_new(rc_certificate_builder **out);
void rc_certificate_builder_free(rc_certificate_builder *builder);

/// `version` is 1 to 3; `serial` is an unsigned big-endian number.
rc_status rc_certificate_builder_set_version(rc_certificate_builder *builder, int version);
rc_status rc_certificate_builder_set_serial(rc_certificate_builder *builder, const uint8_t *serial, size_t count);
/// Seconds since 1970.
rc_status rc_certificate_builder_set_validity(rc_certificate_builder *builder, int64_t not_before, int64_t not_after);
/// Adds to the subject (or the issuer): `attribute` is a short name of OpenSSL, such as "CN"; the value is UTF-8.
rc_status rc_certificate_builder_add_name(
    rc_certificate_builder *builder, bool to_issuer, const char *attribute, const uint8_t *value, size_t count
);
rc_status rc_certificate_builder_set_public_key(rc_certificate_builder *builder, const rc_public_key *key);
/// Adds an extension in OpenSSL's text form, such as ("basicConstraints", "critical,CA:TRUE,pathlen:0").
rc_status rc_certificate_builder_add_extension(rc_certificate_builder *builder, const char *name, const char *value);
/// Adds an extension by OID with its value in DER.
rc_status rc_certificate_builder_add_raw_extension(
    rc_certificate_builder *builder, const char *oid, bool critical, const uint8_t *der, size_t count
);
/// Signs, and gives the certificate in DER.
rc_status rc_certificate_builder_sign(
    rc_certificate_builder *builder, const rc_private_key *issuer_key, rc_hash hash, rc_bytes **out
);

#endif
