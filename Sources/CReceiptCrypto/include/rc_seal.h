// AES-256-GCM (NIST SP 800-38D).
#ifndef RC_SEAL_H
#define RC_SEAL_H

#include "rc_status.h"

#define RC_SEAL_KEY_COUNT 32
#define RC_SEAL_NONCE_COUNT 12
#define RC_SEAL_TAG_COUNT 16

/// Encrypts `count` bytes into `out`, which has room for `count + RC_SEAL_TAG_COUNT`; the tag comes last.
rc_status rc_seal(
    const uint8_t key[RC_SEAL_KEY_COUNT], const uint8_t nonce[RC_SEAL_NONCE_COUNT], const uint8_t *associated,
    size_t associated_count, const uint8_t *plaintext, size_t count, uint8_t *out
);
/// Decrypts `count` bytes, tag last, into `out`, which has room for `count - RC_SEAL_TAG_COUNT`.
///
/// RC_NO: the tag does not fit; `out` is wiped.
rc_status rc_unseal(
    const uint8_t key[RC_SEAL_KEY_COUNT], const uint8_t nonce[RC_SEAL_NONCE_COUNT], const uint8_t *associated,
    size_t associated_count, const uint8_t *sealed, size_t count, uint8_t *out
);

#endif
