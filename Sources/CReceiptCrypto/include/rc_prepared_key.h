// Precomputed tables of P-256 keys, for signers with many signatures.
#ifndef RC_PREPARED_KEY_H
#define RC_PREPARED_KEY_H

#include "rc_public_key.h"
#include "rc_status.h"

/// An immutable P-256 key with a precomputed table of multiples of its point.
typedef struct rc_prepared_key rc_prepared_key;

/// Computes the precomputed table of a key, which takes about 40 ms and 150 kB.
///
/// Multiplying the key's point then costs as little as multiplying the curve's generator.
///
/// RC_UNSUPPORTED: the key is not a P-256 key, or OpenSSL was built without the functions that compute tables.
rc_status rc_prepared_key_new(const rc_public_key *key, rc_prepared_key **out);

/// Frees the prepared key. Null is ignored.
void rc_prepared_key_free(rc_prepared_key *key);

#endif
