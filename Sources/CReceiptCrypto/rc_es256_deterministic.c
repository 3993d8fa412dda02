#include "rc_internal.h"

#include <openssl/hmac.h>

// Deterministic ECDSA (RFC 6979) for P-256 and SHA-256, where the sizes of numbers and of digests are equal: 32 bytes.
// OpenSSL offers it from version 3.2 on; this package supports 3.0.

#define COUNT RC_SHA256_COUNT

/// The state of the generator (3.2): the key K and the value V.
struct generator {
    uint8_t key[COUNT];
    uint8_t value[COUNT];
};

/// Computes HMAC-SHA-256 of a message under the key of the generator.
static bool authenticate(const struct generator *state, const uint8_t *message, size_t count, uint8_t result[COUNT]) {
    uint8_t digest[EVP_MAX_MD_SIZE];
    if (HMAC(EVP_sha256(), state->key, COUNT, message, count, digest, NULL) == NULL) return false;
    memcpy(result, digest, COUNT);
    OPENSSL_cleanse(digest, sizeof digest);
    return true;
}

/// Replaces V by its HMAC under K.
static bool step(struct generator *state) { return authenticate(state, state->value, COUNT, state->value); }

/// Replaces K by the HMAC of V, a separator and `seed`, and then V.
static bool reseed(struct generator *state, uint8_t separator, const uint8_t *seed, size_t seed_count) {
    uint8_t message[COUNT + 1 + 2 * COUNT];
    if (seed_count > 2 * COUNT) return false;
    memcpy(message, state->value, COUNT);
    message[COUNT] = separator;
    if (seed_count > 0) memcpy(message + COUNT + 1, seed, seed_count);
    bool done = authenticate(state, message, COUNT + 1 + seed_count, state->key) && step(state);
    OPENSSL_cleanse(message, sizeof message);
    return done;
}

/// Prepares the generator for a private key and the digest modulo n (3.2, steps a to g).
static bool start(struct generator *state, const BIGNUM *private_key, const BIGNUM *digest) {
    uint8_t seed[2 * COUNT];
    memset(state->value, 0x01, COUNT);
    memset(state->key, 0x00, COUNT);
    bool done = BN_bn2binpad(private_key, seed, COUNT) == COUNT && BN_bn2binpad(digest, seed + COUNT, COUNT) == COUNT
        && reseed(state, 0x00, seed, sizeof seed) && reseed(state, 0x01, seed, sizeof seed);
    OPENSSL_cleanse(seed, sizeof seed);
    return done;
}

/// Computes r and s with the number `k`; both are 0 if another number is needed.
static bool sign_with(
    const EC_GROUP *group, const BIGNUM *private_key, const BIGNUM *digest, const BIGNUM *k, BIGNUM *r, BIGNUM *s,
    BN_CTX *context
) {
    const BIGNUM *order = EC_GROUP_get0_order(group);
    EC_POINT *point = EC_POINT_new(group);
    BIGNUM *inverse = BN_new();
    bool done = point != NULL && inverse != NULL && EC_POINT_mul(group, point, k, NULL, NULL, context) == 1
        && EC_POINT_get_affine_coordinates(group, point, r, NULL, context) == 1 && BN_nnmod(r, r, order, context) == 1
        && BN_mod_inverse(inverse, k, order, context) != NULL && BN_mod_mul(s, r, private_key, order, context) == 1
        && BN_mod_add(s, s, digest, order, context) == 1 && BN_mod_mul(s, s, inverse, order, context) == 1;
    BN_clear_free(inverse);
    EC_POINT_clear_free(point);
    return done;
}

/// Signs the digest modulo n with the first number of the generator that leads to a signature.
static bool sign(
    const EC_GROUP *group, const BIGNUM *private_key, const BIGNUM *digest, BIGNUM *r, BIGNUM *s, BN_CTX *context
) {
    struct generator state;
    BIGNUM *k = BN_new();
    bool done = k != NULL && start(&state, private_key, digest), found = false;
    // A number is rejected with a probability of 2^-32, so eight attempts always suffice.
    for (int attempt = 0; done && !found && attempt < 8; attempt++) {
        if (attempt > 0) done = reseed(&state, 0x00, NULL, 0);
        done = done && step(&state) && BN_bin2bn(state.value, COUNT, k) != NULL;
        if (!done || BN_is_zero(k) || BN_cmp(k, EC_GROUP_get0_order(group)) >= 0) continue;
        done = sign_with(group, private_key, digest, k, r, s, context);
        found = done && !BN_is_zero(r) && !BN_is_zero(s);
    }
    BN_clear_free(k);
    OPENSSL_cleanse(&state, sizeof state);
    return found;
}

rc_status rc_es256_sign_deterministically(
    const rc_private_key *key, const uint8_t digest[RC_SHA256_COUNT], uint8_t signature[RC_ES256_SIGNATURE_COUNT]
) {
    if (key->type != RC_KEY_P256) return RC_UNSUPPORTED;
    RC_BEGIN;
    rc_status status = RC_FAULT;
    BN_CTX *context = BN_CTX_new();
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    BIGNUM *private_key = NULL, *number = BN_bin2bn(digest, RC_SHA256_COUNT, NULL);
    BIGNUM *r = BN_new(), *s = BN_new();
    if (context != NULL && group != NULL && number != NULL && r != NULL && s != NULL
        && EVP_PKEY_get_bn_param(key->pkey, OSSL_PKEY_PARAM_PRIV_KEY, &private_key) == 1
        && BN_nnmod(number, number, EC_GROUP_get0_order(group), context) == 1
        && sign(group, private_key, number, r, s, context) && BN_bn2binpad(r, signature, 32) == 32
        && BN_bn2binpad(s, signature + 32, 32) == 32) {
        status = RC_OK;
    }
    BN_free(s);
    BN_free(r);
    BN_free(number);
    BN_clear_free(private_key);
    EC_GROUP_free(group);
    BN_CTX_free(context);
    RC_END;
    return status;
}
