// OpenSSL 3.0 has deprecated EC_GROUP_precompute_mult.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "rc_internal.h"

#if RC_HAS_PREPARED_KEYS

rc_status rc_prepared_key_new(const rc_public_key *key, rc_prepared_key **out) {
    if (key->type != RC_KEY_P256) return RC_UNSUPPORTED;
    RC_BEGIN;
    rc_status status = RC_NO_MEMORY;
    rc_prepared_key *prepared = OPENSSL_zalloc(sizeof *prepared);
    BN_CTX *context = BN_CTX_new();
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    EC_POINT *point = group != NULL ? EC_POINT_new(group) : NULL;
    if (prepared != NULL && context != NULL && point != NULL) {
        // OpenSSL computes tables for the generator of a group only, so the public point becomes the generator of a new
        // group. The order is the same: P-256 has cofactor 1, so each point except infinity generates the entire group.
        const BIGNUM *order = EC_GROUP_get0_order(group);
        status = RC_FAULT;
        if (EC_POINT_oct2point(group, point, key->point, RC_P256_POINT_COUNT, context) == 1
            && EC_GROUP_set_generator(group, point, order, BN_value_one()) == 1
            && EC_GROUP_precompute_mult(group, context) == 1) {
            status = EC_GROUP_have_precompute_mult(group) == 1 ? RC_OK : RC_UNSUPPORTED;
        }
    }
    EC_POINT_free(point);
    BN_CTX_free(context);
    if (status == RC_OK) {
        prepared->group = group;
        *out = prepared;
    } else {
        EC_GROUP_free(group);
        OPENSSL_free(prepared);
    }
    RC_END;
    return status;
}

void rc_prepared_key_free(rc_prepared_key *key) {
    if (key == NULL) return;
    EC_GROUP_free(key->group);
    OPENSSL_free(key);
}

#else

rc_status rc_prepared_key_new(const rc_public_key *key, rc_prepared_key **out) {
    (void)key;
    (void)out;
    return RC_UNSUPPORTED;
}

void rc_prepared_key_free(rc_prepared_key *key) { (void)key; }

#endif
