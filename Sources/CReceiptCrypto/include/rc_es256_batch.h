// Many ES256 signatures at once (RFC 7518 3.4): one modular inversion for all of them, and tables for prepared keys.
#ifndef RC_ES256_BATCH_H
#define RC_ES256_BATCH_H

#include "rc_prepared_key.h"

/// More at a time gain nothing: the inversion that they share is far below one percent of the work by then.
#define RC_ES256_BATCH_MAXIMUM 4096

typedef struct rc_es256_batch rc_es256_batch;

/// Makes an empty batch for up to `capacity` signatures, 1 to RC_ES256_BATCH_MAXIMUM. A batch is for one thread at a time.
rc_status rc_es256_batch_new(size_t capacity, rc_es256_batch **out);
void rc_es256_batch_free(rc_es256_batch *batch);

/// Empties the batch.
void rc_es256_batch_clear(rc_es256_batch *batch);
size_t rc_es256_batch_count(const rc_es256_batch *batch);

/// Adds a signature, which gets the number of those before it. The keys are not copied: they have to stay until the
/// batch is cleared. `prepared` is the table of the same key, or null.
///
/// RC_NO: the batch is full, and the signature is not in it. What else is wrong is the signature's own verdict.
rc_status rc_es256_batch_add(
    rc_es256_batch *batch, const rc_public_key *key, const rc_prepared_key *prepared,
    const uint8_t digest[RC_SHA256_COUNT], const uint8_t *signature, size_t signature_count
);

/// Judges all signatures. A signature that does not fit here is verified once more by `rc_es256_verify`, whose verdict
/// counts.
void rc_es256_batch_verify(rc_es256_batch *batch);

/// What `rc_es256_verify` says of the signature of that number, after `rc_es256_batch_verify`.
rc_status rc_es256_batch_verdict(const rc_es256_batch *batch, size_t index);

/// The same verdict without the second opinion of `rc_es256_verify`, so that the two can be compared: RC_UNSUPPORTED
/// where this build has only the plain way, or where the key is not of P-256.
rc_status rc_es256_batch_first_verdict(const rc_es256_batch *batch, size_t index);

#endif
