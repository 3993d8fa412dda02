// RSASSA-PKCS1-v1_5 signatures (RFC 8017 8.2).
#ifndef RC_RSA_H
#define RC_RSA_H

#include "rc_bytes.h"
#include "rc_private_key.h"
#include "rc_public_key.h"
#include "rc_status.h"

/// The hash function of a signature.
typedef enum RC_CLOSED_ENUM rc_hash {
    RC_HASH_SHA1,
    RC_HASH_SHA256,
    RC_HASH_SHA384,
    RC_HASH_SHA512,
} rc_hash;

/// Verifies a signature of `signature_count` bytes over a message of `message_count` bytes.
///
/// RC_NO: the signature does not match, or it does not have the length of the modulus.
/// RC_UNSUPPORTED: the key is not an RSA key. RC_HASH_FORBIDDEN: the hash is SHA-1, and the system does not allow it.
rc_status rc_rsa_pkcs1_verify(
    const rc_public_key *key, rc_hash hash, const uint8_t *message, size_t message_count, const uint8_t *signature,
    size_t signature_count
);

/// Signs a message of `count` bytes. The caller owns `*out`, the signature.
///
/// RC_UNSUPPORTED: the key is not an RSA key.
rc_status rc_rsa_pkcs1_sign(
    const rc_private_key *key, rc_hash hash, const uint8_t *message, size_t count, rc_bytes **out
);

#endif
