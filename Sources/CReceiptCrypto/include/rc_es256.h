// ES256: ECDSA on P-256 with SHA-256, the signature as r || s (RFC 7518 3.4).
#ifndef RC_ES256_H
#define RC_ES256_H

#include "rc_bytes.h"
#include "rc_private_key.h"
#include "rc_public_key.h"
#include "rc_sha256.h"
#include "rc_status.h"

/// The number of bytes in a signature: r and s, 32 bytes each, big endian.
#define RC_ES256_SIGNATURE_COUNT 64

/// Verifies a signature of `signature_count` bytes over a SHA-256 digest.
///
/// RC_NO: the signature does not match. RC_UNSUPPORTED: the key is not a P-256 key.
/// RC_MALFORMED: the signature does not have 64 bytes, or r or s is outside [1, n-1]. The range is checked here because
/// it is a step of the algorithm (FIPS 186-5 6.4.2), and because r = s = 0 matches any message if the check is
/// missing (CVE-2022-21449).
rc_status rc_es256_verify(
    const rc_public_key *key, const uint8_t digest[RC_SHA256_COUNT], const uint8_t *signature, size_t signature_count
);

/// Signs a SHA-256 digest. RC_UNSUPPORTED: the key is not a P-256 key.
rc_status rc_es256_sign(
    const rc_private_key *key, const uint8_t digest[RC_SHA256_COUNT], uint8_t signature[RC_ES256_SIGNATURE_COUNT]
);

/// Signs a SHA-256 digest as RFC 6979 says: one key and one digest always have the same signature. RC_UNSUPPORTED: the
/// key is not a P-256 key.
///
/// For keys of tests only: the time that it takes can depend on the key.
rc_status rc_es256_sign_deterministically(
    const rc_private_key *key, const uint8_t digest[RC_SHA256_COUNT], uint8_t signature[RC_ES256_SIGNATURE_COUNT]
);

/// Encodes a signature as ECDSA-Sig-Value in DER (RFC 3279 2.2.3), the form that other programs read.
rc_status rc_es256_signature_der(const uint8_t signature[RC_ES256_SIGNATURE_COUNT], rc_bytes **out);

#endif
