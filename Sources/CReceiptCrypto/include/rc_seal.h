// AES-256-GCM (NIST SP 800-38D).
#ifndef RC_SEAL_H
#define RC_SEAL_H

#include "rc_status.h"

#define RC_SEAL_KEY_COUNT 32
#define RC_SEAL_NONCE_COUNT 12
#define RC_SEAL_TAG_COUNT 16

/// Encrypts and authenticates `count` bytes, and authenticates the `associated_count` bytes of `associated`.
///
/// `out` must have room for `count + RC_SEAL_TAG_COUNT` bytes: the ciphertext and then the tag. The same key and nonce
/// must never be used twice.
///
/// RC_UNSUPPORTED: a length exceeds INT_MAX.
rc_status rc_seal(
    const uint8_t key[RC_SEAL_KEY_COUNT], const uint8_t nonce[RC_SEAL_NONCE_COUNT], const uint8_t *associated,
    size_t associated_count, const uint8_t *plaintext, size_t count, uint8_t *out
);

/// Decrypts any number of messages with one key.
typedef struct rc_unsealer rc_unsealer;

/// Creates the state of a key, of which it keeps a copy.
rc_status rc_unsealer_new(const uint8_t key[RC_SEAL_KEY_COUNT], rc_unsealer **out);
/// Frees the state and wipes the key. Null is ignored.
void rc_unsealer_free(rc_unsealer *unsealer);

/// Verifies and decrypts the `count` bytes of `sealed`, the ciphertext and then the tag, without an allocation.
///
/// `out` must have room for `count - RC_SEAL_TAG_COUNT` bytes; unless the call succeeds, they are wiped. The next call can
/// follow any result.
///
/// RC_NO: the tag does not match key, nonce, associated bytes and ciphertext.
/// RC_MALFORMED: `count` is less than RC_SEAL_TAG_COUNT. RC_UNSUPPORTED: a length exceeds INT_MAX.
rc_status rc_unsealer_open(
    rc_unsealer *unsealer, const uint8_t nonce[RC_SEAL_NONCE_COUNT], const uint8_t *associated, size_t associated_count,
    const uint8_t *sealed, size_t count, uint8_t *out
);

#endif
