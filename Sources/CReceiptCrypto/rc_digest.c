#include "rc_internal.h"

rc_status rc_digest(rc_hash hash, const uint8_t *message, size_t count, rc_bytes **out) {
    RC_BEGIN;
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned int digest_count = 0;
    int done = EVP_Digest(message, count, digest, &digest_count, rc_hash_method(hash), NULL);
    RC_END;
    return done == 1 ? rc_bytes_copy(digest, digest_count, out) : RC_FAULT;
}
