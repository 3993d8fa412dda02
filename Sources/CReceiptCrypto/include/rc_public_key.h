// Public keys and what they can verify.
#ifndef RC_PUBLIC_KEY_H
#define RC_PUBLIC_KEY_H

#include "rc_sha256.h"
#include "rc_status.h"

#define RC_ES256_SIGNATURE_COUNT 64
#define RC_P256_POINT_COUNT 65

typedef struct rc_public_key rc_public_key;

typedef enum RC_CLOSED_ENUM rc_key_type {
    RC_KEY_P256,
    RC_KEY_P384,
    RC_KEY_P521,
    RC_KEY_RSA,
    /// Another algorithm or curve, explicit curve parameters, or a key that OpenSSL cannot read.
    RC_KEY_OTHER,
} rc_key_type;

typedef enum RC_CLOSED_ENUM rc_hash {
    RC_HASH_SHA1,
    RC_HASH_SHA256,
    RC_HASH_SHA384,
    RC_HASH_SHA512,
} rc_hash;

/// Reads a SubjectPublicKeyInfo (RFC 5280 4.1.2.7); RC_MALFORMED unless it is DER to the last byte.
rc_status rc_public_key_from_spki(const uint8_t *der, size_t count, rc_public_key **out);
/// Reads an uncompressed P-256 point: 04 || x || y (SEC 1 2.3.3). RC_MALFORMED when it is not on the curve.
rc_status rc_public_key_from_p256_point(const uint8_t *point, size_t count, rc_public_key **out);
void rc_public_key_free(rc_public_key *key);

rc_key_type rc_public_key_type(const rc_public_key *key);
/// The size of the field or of the modulus in bits.
int rc_public_key_bits(const rc_public_key *key);
/// The key as SubjectPublicKeyInfo in DER.
rc_status rc_public_key_spki(const rc_public_key *key, rc_bytes **out);
/// The key as uncompressed point; RC_UNSUPPORTED unless it is of P-256.
rc_status rc_public_key_p256_point(const rc_public_key *key, uint8_t point[RC_P256_POINT_COUNT]);

/// Verifies an ES256 signature (RFC 7518 3.4): r || s, 32 bytes each, big endian.
///
/// RC_MALFORMED: not 64 bytes, or r or s outside [1, n-1]. RC_NO: the signature does not fit.
/// RC_UNSUPPORTED: the key is not of P-256.
rc_status rc_es256_verify(
    const rc_public_key *key, const uint8_t digest[RC_SHA256_COUNT], const uint8_t *signature, size_t signature_count
);

/// Verifies an RSASSA-PKCS1-v1_5 signature (RFC 8017 8.2) over `message`.
///
/// RC_NO: the signature does not fit, whatever its length. RC_UNSUPPORTED: the key is not RSA.
rc_status rc_rsa_pkcs1_verify(
    const rc_public_key *key, rc_hash hash, const uint8_t *message, size_t message_count, const uint8_t *signature,
    size_t signature_count
);

#endif
