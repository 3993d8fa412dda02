// Digests of whole messages (FIPS 180-4). For SHA-256 with a state, see rc_sha256.h.
#ifndef RC_DIGEST_H
#define RC_DIGEST_H

#include "rc_bytes.h"
#include "rc_rsa.h"
#include "rc_status.h"

/// Creates the digest of a message of `count` bytes. The caller owns `*out`.
rc_status rc_digest(rc_hash hash, const uint8_t *message, size_t count, rc_bytes **out);

#endif
