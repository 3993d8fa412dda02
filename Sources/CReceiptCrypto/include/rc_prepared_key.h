// A P-256 key with a table of its own, for a signer that signs many receipts.
#ifndef RC_PREPARED_KEY_H
#define RC_PREPARED_KEY_H

#include "rc_public_key.h"

typedef struct rc_prepared_key rc_prepared_key;

/// Computes the table: some 40 ms of work and 150 kB of memory, after which one multiplication of the point costs what
/// one of the curve's generator costs.
///
/// RC_UNSUPPORTED: the key is not of P-256, or this build or this OpenSSL has no such tables.
rc_status rc_prepared_key_new(const rc_public_key *key, rc_prepared_key **out);
void rc_prepared_key_free(rc_prepared_key *key);

#endif
