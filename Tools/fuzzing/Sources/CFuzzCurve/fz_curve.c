#include "fz_curve.h"

#include <stdio.h>
#include <stdlib.h>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/obj_mac.h>

/// Created once and never freed; libFuzzer runs all inputs on one thread.
static EC_GROUP *group;
static BN_CTX *context;

/// Aborts if OpenSSL fails, because the expected results would be wrong.
static void must(bool done) {
    if (done) return;
    fputs("fuzz: the P-256 arithmetic of the targets failed\n", stderr);
    abort();
}

static const BIGNUM *prepare(void) {
    if (group == NULL) {
        group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
        context = BN_CTX_new();
        must(group != NULL && context != NULL);
    }
    return EC_GROUP_get0_order(group);
}

static BIGNUM *scalar_from(const uint8_t bytes[FZ_SCALAR_COUNT]) {
    BIGNUM *number = BN_bin2bn(bytes, FZ_SCALAR_COUNT, NULL);
    must(number != NULL && BN_nnmod(number, number, prepare(), context) == 1);
    return number;
}

static void scalar_to(BIGNUM *number, uint8_t out[FZ_SCALAR_COUNT]) {
    must(BN_bn2binpad(number, out, FZ_SCALAR_COUNT) == FZ_SCALAR_COUNT);
    BN_free(number);
}

void fz_scalar_multiply_add(
    const uint8_t left[FZ_SCALAR_COUNT], const uint8_t right[FZ_SCALAR_COUNT], const uint8_t addend[FZ_SCALAR_COUNT],
    uint8_t out[FZ_SCALAR_COUNT]
) {
    BIGNUM *a = scalar_from(left), *b = scalar_from(right), *c = scalar_from(addend);
    must(BN_mod_mul(a, a, b, prepare(), context) == 1 && BN_mod_add(a, a, c, prepare(), context) == 1);
    BN_free(b);
    BN_free(c);
    scalar_to(a, out);
}

void fz_scalar_negate(const uint8_t scalar[FZ_SCALAR_COUNT], uint8_t out[FZ_SCALAR_COUNT]) {
    BIGNUM *number = scalar_from(scalar);
    must(BN_mod_sub(number, prepare(), number, prepare(), context) == 1);
    scalar_to(number, out);
}

bool fz_scalar_invert(const uint8_t scalar[FZ_SCALAR_COUNT], uint8_t out[FZ_SCALAR_COUNT]) {
    BIGNUM *number = scalar_from(scalar);
    bool exists = !BN_is_zero(number);
    if (exists) must(BN_mod_inverse(number, number, prepare(), context) != NULL);
    scalar_to(number, out);
    return exists;
}

static bool point_to(EC_POINT *point, uint8_t out[FZ_POINT_COUNT]) {
    bool finite = EC_POINT_is_at_infinity(group, point) == 0;
    if (finite) {
        size_t count =
            EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, out, FZ_POINT_COUNT, context);
        must(count == FZ_POINT_COUNT);
    }
    EC_POINT_free(point);
    return finite;
}

bool fz_point_combine(
    const uint8_t generator_factor[FZ_SCALAR_COUNT], const uint8_t point_factor[FZ_SCALAR_COUNT], const uint8_t *point,
    uint8_t out[FZ_POINT_COUNT]
) {
    BIGNUM *first = scalar_from(generator_factor), *second = scalar_from(point_factor);
    EC_POINT *sum = EC_POINT_new(group), *other = EC_POINT_new(group);
    must(sum != NULL && other != NULL);
    ERR_set_mark();
    bool good = point == NULL || EC_POINT_oct2point(group, other, point, FZ_POINT_COUNT, context) == 1;
    ERR_pop_to_mark();
    if (good) {
        must(EC_POINT_mul(group, sum, first, point == NULL ? NULL : other, point == NULL ? NULL : second, context) == 1);
    }
    BN_free(first);
    BN_free(second);
    EC_POINT_free(other);
    if (good) return point_to(sum, out);
    EC_POINT_free(sum);
    return false;
}

bool fz_point_with_x(const uint8_t x[FZ_SCALAR_COUNT], bool is_odd, uint8_t out[FZ_POINT_COUNT]) {
    prepare();
    BIGNUM *number = BN_bin2bn(x, FZ_SCALAR_COUNT, NULL);
    EC_POINT *point = EC_POINT_new(group);
    must(number != NULL && point != NULL);
    ERR_set_mark();
    bool exists = EC_POINT_set_compressed_coordinates(group, point, number, is_odd ? 1 : 0, context) == 1;
    ERR_pop_to_mark();
    BN_free(number);
    if (exists) return point_to(point, out);
    EC_POINT_free(point);
    return false;
}

bool fz_error_queue_was_empty(void) {
    bool empty = ERR_peek_error() == 0;
    ERR_clear_error();
    return empty;
}
