// Public keys.
#ifndef RC_PUBLIC_KEY_H
#define RC_PUBLIC_KEY_H

#include "rc_bytes.h"
#include "rc_status.h"

/// The number of bytes in an uncompressed P-256 point.
#define RC_P256_POINT_COUNT 65

/// An immutable public key of any algorithm that OpenSSL reads.
typedef struct rc_public_key rc_public_key;

/// The algorithm and curve of a key.
typedef enum RC_CLOSED_ENUM rc_key_type {
    RC_KEY_P256,
    RC_KEY_P384,
    RC_KEY_P521,
    RC_KEY_RSA,
    /// Another algorithm or curve, or a curve given by explicit parameters instead of its name.
    RC_KEY_OTHER,
} rc_key_type;

/// Reads a SubjectPublicKeyInfo in DER (RFC 5280 4.1.2.7).
///
/// RC_MALFORMED: the `count` bytes are not exactly one SubjectPublicKeyInfo, or they are BER but not DER. The encoding
/// is checked here because the check needs OpenSSL's encoder.
rc_status rc_public_key_from_spki(const uint8_t *der, size_t count, rc_public_key **out);

/// Reads an uncompressed P-256 point: 04 || x || y (SEC 1 2.3.3).
///
/// RC_MALFORMED: `count` is not RC_P256_POINT_COUNT, the first byte is not 04, or the point is not on the curve.
rc_status rc_public_key_from_p256_point(const uint8_t *point, size_t count, rc_public_key **out);

/// Frees the key. Null is ignored.
void rc_public_key_free(rc_public_key *key);

/// Returns the algorithm and curve.
rc_key_type rc_public_key_type(const rc_public_key *key);

/// Returns the size of the curve's field or of the RSA modulus in bits.
int rc_public_key_bits(const rc_public_key *key);

/// Creates the public exponent of an RSA key, as a big-endian number without leading zeros. The caller owns `*out`.
///
/// RC_UNSUPPORTED: the key is not an RSA key.
rc_status rc_public_key_rsa_exponent(const rc_public_key *key, rc_bytes **out);

/// Encodes the key as SubjectPublicKeyInfo in DER. The caller owns `*out`.
rc_status rc_public_key_spki(const rc_public_key *key, rc_bytes **out);

/// Stores the key as an uncompressed point. RC_UNSUPPORTED: the key is not a P-256 key.
rc_status rc_public_key_p256_point(const rc_public_key *key, uint8_t point[RC_P256_POINT_COUNT]);

#endif
