// Private keys and signing, for test authorities and local stores.
#ifndef RC_PRIVATE_KEY_H
#define RC_PRIVATE_KEY_H

#include "rc_bytes.h"
#include "rc_public_key.h"
#include "rc_status.h"

typedef struct rc_private_key rc_private_key;

/// Makes a key: P-256, P-384, P-521, or RSA with `rsa_bits` of modulus.
rc_status rc_private_key_generate(rc_key_type type, int rsa_bits, rc_private_key **out);
/// Reads a PrivateKeyInfo (PKCS#8, unencrypted) in DER.
rc_status rc_private_key_from_pkcs8(const uint8_t *der, size_t count, rc_private_key **out);
void rc_private_key_free(rc_private_key *key);

rc_status rc_private_key_pkcs8(const rc_private_key *key, rc_bytes **out);
rc_status rc_private_key_public_key(const rc_private_key *key, rc_public_key **out);

/// Signs a SHA-256 digest with a P-256 key, as r || s (RFC 7518 3.4).
rc_status rc_es256_sign(
    const rc_private_key *key, const uint8_t digest[RC_SHA256_COUNT], uint8_t signature[RC_ES256_SIGNATURE_COUNT]
);
/// Signs `message` with RSASSA-PKCS1-v1_5.
rc_status rc_rsa_pkcs1_sign(
    const rc_private_key *key, rc_hash hash, const uint8_t *message, size_t count, rc_bytes **out
);

#endif
