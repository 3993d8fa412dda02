// SHA-256 with a state that can be copied.
#ifndef RC_SHA256_H
#define RC_SHA256_H

#include "rc_status.h"

#define RC_SHA256_COUNT 32

typedef struct rc_sha256 rc_sha256;

rc_status rc_sha256_new(rc_sha256 **out);
void rc_sha256_free(rc_sha256 *state);
/// Back to the state of a new one, without allocating.
rc_status rc_sha256_reset(rc_sha256 *state);
rc_status rc_sha256_update(rc_sha256 *state, const uint8_t *bytes, size_t count);
/// Makes `state` equal to `source`, which stays usable: the digest of a shared beginning is computed once.
rc_status rc_sha256_copy(rc_sha256 *state, const rc_sha256 *source);
/// The digest of all bytes so far; the state needs a reset or a copy before its next use.
rc_status rc_sha256_finish(rc_sha256 *state, uint8_t digest[RC_SHA256_COUNT]);

#endif
