// Verifying many ES256 signatures together: they share one modular inversion, and prepared keys save multiplications.
#ifndef RC_ES256_BATCH_H
#define RC_ES256_BATCH_H

#include "rc_es256.h"
#include "rc_prepared_key.h"

/// The largest capacity of a batch. At this size the shared inversion costs far less than one percent of the work.
#define RC_ES256_BATCH_MAXIMUM 4096

/// Signatures that are verified together.
typedef struct rc_es256_batch rc_es256_batch;

/// Creates an empty batch for up to `capacity` signatures.
///
/// RC_UNSUPPORTED: `capacity` is 0 or exceeds RC_ES256_BATCH_MAXIMUM.
rc_status rc_es256_batch_new(size_t capacity, rc_es256_batch **out);

/// Frees the batch, but not the keys of its signatures. Null is ignored.
void rc_es256_batch_free(rc_es256_batch *batch);

/// Removes all signatures.
void rc_es256_batch_clear(rc_es256_batch *batch);

/// Adds a signature over a digest. Signatures are numbered from 0 in the order in which they are added.
///
/// `prepared` is the prepared form of `key`, or null. The batch copies digest and signature but borrows both keys: they
/// must stay alive until the batch is cleared or freed.
///
/// RC_NO: the batch is full, and the signature was not added. A malformed signature and an unsupported key are added;
/// rc_es256_batch_verdict reports them.
rc_status rc_es256_batch_add(
    rc_es256_batch *batch, const rc_public_key *key, const rc_prepared_key *prepared,
    const uint8_t digest[RC_SHA256_COUNT], const uint8_t *signature, size_t signature_count
);

/// Verifies all signatures.
///
/// A signature that the fast path does not accept is verified again by rc_es256_verify, whose status is final.
void rc_es256_batch_verify(rc_es256_batch *batch);

/// Returns the status that rc_es256_verify would return for the signature with that number.
///
/// RC_FAULT: rc_es256_batch_verify was not called after the signature was added, or `index` is out of range.
rc_status rc_es256_batch_verdict(const rc_es256_batch *batch, size_t index);

/// Returns the status of the fast path alone, so that tests can compare it with rc_es256_verify.
///
/// RC_UNSUPPORTED: OpenSSL was built without the functions of the fast path, or the key is not a P-256 key.
rc_status rc_es256_batch_fast_verdict(const rc_es256_batch *batch, size_t index);

#endif
