// SHA-256 (FIPS 180-4) with a state that can be copied.
#ifndef RC_SHA256_H
#define RC_SHA256_H

#include "rc_status.h"

/// The number of bytes in a digest.
#define RC_SHA256_COUNT 32

/// The running state of one computation.
typedef struct rc_sha256 rc_sha256;

/// Creates the state of an empty message.
rc_status rc_sha256_new(rc_sha256 **out);
/// Frees the state. Null is ignored.
void rc_sha256_free(rc_sha256 *state);
/// Sets the state back to that of an empty message, without an allocation.
rc_status rc_sha256_reset(rc_sha256 *state);
/// Appends `count` bytes to the message.
rc_status rc_sha256_update(rc_sha256 *state, const uint8_t *bytes, size_t count);
/// Copies `source` into `state`, so that messages with a common prefix share its computation. `source` stays usable.
rc_status rc_sha256_copy(rc_sha256 *state, const rc_sha256 *source);
/// Stores the digest of the message. The state then needs rc_sha256_reset or rc_sha256_copy before its next use.
rc_status rc_sha256_finish(rc_sha256 *state, uint8_t digest[RC_SHA256_COUNT]);

#endif
