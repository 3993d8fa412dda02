// OpenSSL 3.0 has deprecated EC_POINT_get_Jprojective_coordinates_GFp.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "rc_internal.h"

#include <stdlib.h>

/// One signature of a batch. The numbers are allocated with the batch, so that adding a signature allocates nothing.
typedef struct rc_item {
    const rc_public_key *key;
    const rc_prepared_key *prepared;
    uint8_t digest[RC_SHA256_COUNT];
    uint8_t signature[RC_ES256_SIGNATURE_COUNT];
    size_t signature_count;
    /// The status of the fast path.
    rc_status fast;
    /// The final status.
    rc_status verdict;
#if RC_HAS_PREPARED_KEYS
    /// s in Montgomery form; after `invert_all` its inverse in Montgomery form.
    BIGNUM *s;
    /// The product of this s and all previous ones, in Montgomery form.
    BIGNUM *product;
    /// The previous item whose s is inverted.
    struct rc_item *previous;
#endif
} rc_item;

struct rc_es256_batch {
    rc_item *items;
    /// The items in the order of verification: by prepared key, since one table fills most of a processor cache.
    rc_item **order;
    size_t count;
    size_t capacity;
#if RC_HAS_PREPARED_KEYS
    struct rc_p256 *curve;
#endif
};

#if RC_HAS_PREPARED_KEYS

/// The curve and the working memory of a verification.
typedef struct rc_p256 {
    EC_GROUP *group;
    BN_CTX *context;
    BN_MONT_CTX *modulo_order;
    BN_MONT_CTX *modulo_field;
    BIGNUM *field;
    EC_POINT *sum;
    EC_POINT *summand;
    BIGNUM *r, *e, *u1, *u2, *x, *z, *inverse;
} rc_p256;

static void p256_free(rc_p256 *curve) {
    if (curve == NULL) return;
    EC_POINT_free(curve->sum);
    EC_POINT_free(curve->summand);
    BIGNUM *numbers[] = {
        curve->field, curve->r, curve->e, curve->u1, curve->u2, curve->x, curve->z, curve->inverse,
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) BN_free(numbers[i]);
    BN_MONT_CTX_free(curve->modulo_order);
    BN_MONT_CTX_free(curve->modulo_field);
    BN_CTX_free(curve->context);
    EC_GROUP_free(curve->group);
    OPENSSL_free(curve);
}

static rc_p256 *p256_new(void) {
    rc_p256 *curve = OPENSSL_zalloc(sizeof *curve);
    if (curve == NULL) return NULL;
    bool done = (curve->group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)) != NULL
        && (curve->context = BN_CTX_new()) != NULL && (curve->modulo_order = BN_MONT_CTX_new()) != NULL
        && (curve->modulo_field = BN_MONT_CTX_new()) != NULL && (curve->sum = EC_POINT_new(curve->group)) != NULL
        && (curve->summand = EC_POINT_new(curve->group)) != NULL;
    BIGNUM **numbers[] = {
        &curve->field, &curve->r, &curve->e, &curve->u1, &curve->u2, &curve->x, &curve->z, &curve->inverse,
    };
    for (size_t i = 0; done && i < sizeof numbers / sizeof *numbers; i++) done = (*numbers[i] = BN_new()) != NULL;
    done = done && EC_GROUP_get_curve(curve->group, curve->field, NULL, NULL, curve->context) == 1
        && BN_MONT_CTX_set(curve->modulo_field, curve->field, curve->context) == 1
        && BN_MONT_CTX_set(curve->modulo_order, EC_GROUP_get0_order(curve->group), curve->context) == 1;
    if (!done) {
        p256_free(curve);
        return NULL;
    }
    return curve;
}

/// Inverts all s modulo n with Montgomery's trick: one inversion, and three multiplications for each s.
static bool invert_all(rc_es256_batch *batch) {
    rc_p256 *curve = batch->curve;
    BN_MONT_CTX *mont = curve->modulo_order;
    rc_item *last = NULL;
    for (size_t i = 0; i < batch->count; i++) {
        rc_item *item = &batch->items[i];
        if (item->fast != RC_OK) continue;
        item->previous = last;
        last = item;
        if (BN_bin2bn(item->signature + 32, 32, item->s) == NULL
            || BN_to_montgomery(item->s, item->s, mont, curve->context) != 1) {
            return false;
        }
        bool done = item->previous == NULL
            ? BN_copy(item->product, item->s) != NULL
            : BN_mod_mul_montgomery(item->product, item->previous->product, item->s, mont, curve->context) == 1;
        if (!done) return false;
    }
    if (last == NULL) return true;
    BIGNUM *inverse = curve->inverse;
    if (BN_from_montgomery(inverse, last->product, mont, curve->context) != 1
        || BN_mod_inverse(inverse, inverse, EC_GROUP_get0_order(curve->group), curve->context) == NULL
        || BN_to_montgomery(inverse, inverse, mont, curve->context) != 1) {
        return false;
    }
    // From the last to the first: `inverse` is the inverse of the product of this s and all previous ones.
    for (rc_item *item = last; item != NULL; item = item->previous) {
        if (item->previous == NULL) return BN_copy(item->s, inverse) != NULL;
        // This product is no longer needed; it stores the next inverse until `item->s` has been used twice.
        if (BN_mod_mul_montgomery(item->product, inverse, item->s, mont, curve->context) != 1
            || BN_mod_mul_montgomery(item->s, inverse, item->previous->product, mont, curve->context) != 1
            || BN_copy(inverse, item->product) == NULL) {
            return false;
        }
    }
    return true;
}

/// Computes u1 = e / s and u2 = r / s modulo n (FIPS 186-5 6.4.2). Since `item->s` is the inverse in Montgomery form,
/// one Montgomery multiplication with it returns a quotient in plain form.
static bool compute_scalars(rc_p256 *curve, const rc_item *item) {
    const BIGNUM *order = EC_GROUP_get0_order(curve->group);
    if (BN_bin2bn(item->digest, RC_SHA256_COUNT, curve->e) == NULL
        || BN_bin2bn(item->signature, 32, curve->r) == NULL) {
        return false;
    }
    // A digest has 256 bits and 2n has more, so subtracting n once reduces it.
    if (BN_cmp(curve->e, order) >= 0 && BN_sub(curve->e, curve->e, order) != 1) return false;
    return BN_mod_mul_montgomery(curve->u1, curve->e, item->s, curve->modulo_order, curve->context) == 1
        && BN_mod_mul_montgomery(curve->u2, curve->r, item->s, curve->modulo_order, curve->context) == 1;
}

/// Computes sum = u1 G + u2 Q.
static bool compute_sum(rc_p256 *curve, const rc_item *item) {
    if (item->prepared != NULL) {
        return EC_POINT_mul(curve->group, curve->sum, curve->u1, NULL, NULL, curve->context) == 1
            && EC_POINT_mul(item->prepared->group, curve->summand, curve->u2, NULL, NULL, curve->context) == 1
            && EC_POINT_add(curve->group, curve->sum, curve->sum, curve->summand, curve->context) == 1;
    }
    return EC_POINT_oct2point(curve->group, curve->summand, item->key->point, RC_P256_POINT_COUNT, curve->context) == 1
        && EC_POINT_mul(curve->group, curve->sum, curve->u1, curve->summand, curve->u2, curve->context) == 1;
}

/// Compares the affine x of the sum modulo n with r. As x = X / Z², X is compared with r Z², which needs no division. If
/// r + n is less than p, x can also be r + n.
static rc_status compare_sum(rc_p256 *curve) {
    if (EC_POINT_is_at_infinity(curve->group, curve->sum)) return RC_NO;
    BN_MONT_CTX *mont = curve->modulo_field;
    BIGNUM *x = curve->x, *z = curve->z, *scaled = curve->u1, *square = curve->u2;
    if (EC_POINT_get_Jprojective_coordinates_GFp(curve->group, curve->sum, x, NULL, z, curve->context) != 1
        || BN_to_montgomery(square, z, mont, curve->context) != 1
        || BN_mod_mul_montgomery(square, square, z, mont, curve->context) != 1
        || BN_to_montgomery(square, square, mont, curve->context) != 1
        || BN_mod_mul_montgomery(scaled, square, curve->r, mont, curve->context) != 1) {
        return RC_FAULT;
    }
    if (BN_cmp(x, scaled) == 0) return RC_OK;
    if (BN_add(curve->r, curve->r, EC_GROUP_get0_order(curve->group)) != 1) return RC_FAULT;
    if (BN_cmp(curve->r, curve->field) >= 0) return RC_NO;
    if (BN_mod_mul_montgomery(scaled, square, curve->r, mont, curve->context) != 1) return RC_FAULT;
    return BN_cmp(x, scaled) == 0 ? RC_OK : RC_NO;
}

static rc_status verify_item(rc_p256 *curve, const rc_item *item) {
    if (!compute_scalars(curve, item) || !compute_sum(curve, item)) return RC_FAULT;
    return compare_sum(curve);
}

static int compare_keys(const void *left, const void *right) {
    const rc_item *a = *(rc_item *const *)left, *b = *(rc_item *const *)right;
    if (a->prepared != b->prepared) return (uintptr_t)a->prepared < (uintptr_t)b->prepared ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void sort_by_key(rc_es256_batch *batch) {
    bool is_sorted = true;
    for (size_t i = 0; i < batch->count; i++) {
        batch->order[i] = &batch->items[i];
        is_sorted = is_sorted && (i == 0 || compare_keys(&batch->order[i - 1], &batch->order[i]) < 0);
    }
    if (!is_sorted) qsort(batch->order, batch->count, sizeof *batch->order, compare_keys);
}

static void verify_fast(rc_es256_batch *batch) {
    RC_BEGIN;
    for (size_t i = 0; i < batch->count; i++) {
        rc_item *item = &batch->items[i];
        item->fast = rc_es256_check_form(item->key, item->signature, item->signature_count);
    }
    if (invert_all(batch)) {
        sort_by_key(batch);
        for (size_t i = 0; i < batch->count; i++) {
            rc_item *item = batch->order[i];
            if (item->fast == RC_OK) item->fast = verify_item(batch->curve, item);
        }
    } else {
        for (size_t i = 0; i < batch->count; i++) {
            if (batch->items[i].fast == RC_OK) batch->items[i].fast = RC_FAULT;
        }
    }
    RC_END;
}

static bool prepare(rc_es256_batch *batch) {
    if ((batch->curve = p256_new()) == NULL) return false;
    for (size_t i = 0; i < batch->capacity; i++) {
        batch->items[i].s = BN_new();
        batch->items[i].product = BN_new();
        if (batch->items[i].s == NULL || batch->items[i].product == NULL) return false;
    }
    return true;
}

static void discard(rc_es256_batch *batch) {
    for (size_t i = 0; i < batch->capacity; i++) {
        BN_free(batch->items[i].s);
        BN_free(batch->items[i].product);
    }
    p256_free(batch->curve);
}

#else

static void verify_fast(rc_es256_batch *batch) {
    for (size_t i = 0; i < batch->count; i++) batch->items[i].fast = RC_UNSUPPORTED;
}

static bool prepare(rc_es256_batch *batch) {
    (void)batch;
    return true;
}

static void discard(rc_es256_batch *batch) { (void)batch; }

#endif

rc_status rc_es256_batch_new(size_t capacity, rc_es256_batch **out) {
    if (capacity < 1 || capacity > RC_ES256_BATCH_MAXIMUM) return RC_UNSUPPORTED;
    rc_es256_batch *batch = OPENSSL_zalloc(sizeof *batch);
    if (batch == NULL) return RC_NO_MEMORY;
    batch->capacity = capacity;
    batch->items = OPENSSL_zalloc(capacity * sizeof *batch->items);
    batch->order = OPENSSL_zalloc(capacity * sizeof *batch->order);
    RC_BEGIN;
    bool done = batch->items != NULL && batch->order != NULL && prepare(batch);
    RC_END;
    if (!done) {
        rc_es256_batch_free(batch);
        return RC_NO_MEMORY;
    }
    *out = batch;
    return RC_OK;
}

void rc_es256_batch_free(rc_es256_batch *batch) {
    if (batch == NULL) return;
    if (batch->items != NULL) discard(batch);
    OPENSSL_free(batch->items);
    OPENSSL_free(batch->order);
    OPENSSL_free(batch);
}

void rc_es256_batch_clear(rc_es256_batch *batch) { batch->count = 0; }

rc_status rc_es256_batch_add(
    rc_es256_batch *batch, const rc_public_key *key, const rc_prepared_key *prepared,
    const uint8_t digest[RC_SHA256_COUNT], const uint8_t *signature, size_t signature_count
) {
    if (batch->count >= batch->capacity) return RC_NO;
    rc_item *item = &batch->items[batch->count];
    item->key = key;
    item->prepared = prepared;
    memcpy(item->digest, digest, RC_SHA256_COUNT);
    if (signature_count == RC_ES256_SIGNATURE_COUNT) memcpy(item->signature, signature, RC_ES256_SIGNATURE_COUNT);
    item->signature_count = signature_count;
    // Until the batch is verified, the signature must not count as valid.
    item->fast = item->verdict = RC_FAULT;
    batch->count++;
    return RC_OK;
}

void rc_es256_batch_verify(rc_es256_batch *batch) {
    verify_fast(batch);
    for (size_t i = 0; i < batch->count; i++) {
        rc_item *item = &batch->items[i];
        item->verdict = item->fast == RC_OK
            ? RC_OK
            : rc_es256_verify(item->key, item->digest, item->signature, item->signature_count);
    }
}

rc_status rc_es256_batch_verdict(const rc_es256_batch *batch, size_t index) {
    return index < batch->count ? batch->items[index].verdict : RC_FAULT;
}

rc_status rc_es256_batch_fast_verdict(const rc_es256_batch *batch, size_t index) {
    return index < batch->count ? batch->items[index].fast : RC_FAULT;
}
