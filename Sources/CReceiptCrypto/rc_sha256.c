#include "rc_internal.h"

rc_status rc_sha256_new(rc_sha256 **out) {
    rc_sha256 *state = OPENSSL_malloc(sizeof *state);
    if (state == NULL) return RC_NO_MEMORY;
    RC_BEGIN;
    state->context = EVP_MD_CTX_new();
    int done = state->context != NULL && EVP_DigestInit_ex(state->context, EVP_sha256(), NULL) == 1;
    RC_END;
    if (!done) {
        rc_sha256_free(state);
        return RC_NO_MEMORY;
    }
    *out = state;
    return RC_OK;
}

void rc_sha256_free(rc_sha256 *state) {
    if (state == NULL) return;
    EVP_MD_CTX_free(state->context);
    OPENSSL_free(state);
}

rc_status rc_sha256_reset(rc_sha256 *state) {
    RC_BEGIN;
    // A null type keeps the digest method of the context; fetching it is the expensive part.
    int done = EVP_DigestInit_ex(state->context, NULL, NULL);
    RC_END;
    return done == 1 ? RC_OK : RC_FAULT;
}

rc_status rc_sha256_update(rc_sha256 *state, const uint8_t *bytes, size_t count) {
    RC_BEGIN;
    int done = EVP_DigestUpdate(state->context, bytes, count);
    RC_END;
    return done == 1 ? RC_OK : RC_FAULT;
}

rc_status rc_sha256_copy(rc_sha256 *state, const rc_sha256 *source) {
    RC_BEGIN;
    int done = EVP_MD_CTX_copy_ex(state->context, source->context);
    RC_END;
    return done == 1 ? RC_OK : RC_FAULT;
}

rc_status rc_sha256_finish(rc_sha256 *state, uint8_t digest[RC_SHA256_COUNT]) {
    RC_BEGIN;
    unsigned int count = RC_SHA256_COUNT;
    int done = EVP_DigestFinal_ex(state->context, digest, &count);
    RC_END;
    return done == 1 && count == RC_SHA256_COUNT ? RC_OK : RC_FAULT;
}
