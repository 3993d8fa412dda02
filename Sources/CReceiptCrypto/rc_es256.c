#include "rc_internal.h"

const uint8_t rc_p256_order[RC_P256_ORDER_COUNT] = {
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
};

static bool is_scalar_in_range(const uint8_t scalar[32]) {
    static const uint8_t zero[32] = {0};
    return memcmp(scalar, rc_p256_order, 32) < 0 && memcmp(scalar, zero, 32) != 0;
}

rc_status rc_es256_check_form(const rc_public_key *key, const uint8_t *signature, size_t signature_count) {
    if (key->type != RC_KEY_P256) return RC_UNSUPPORTED;
    if (signature_count != RC_ES256_SIGNATURE_COUNT) return RC_MALFORMED;
    return is_scalar_in_range(signature) && is_scalar_in_range(signature + 32) ? RC_OK : RC_MALFORMED;
}

/// Encodes r || s as ECDSA-Sig-Value in DER (RFC 3279 2.2.3), the form that EVP verifies. It has at most 72 bytes.
static int encode_signature(const uint8_t signature[RC_ES256_SIGNATURE_COUNT], uint8_t der[80]) {
    ECDSA_SIG *value = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, 32, NULL);
    BIGNUM *s = BN_bin2bn(signature + 32, 32, NULL);
    int count = -1;
    if (value != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(value, r, s) == 1) {
        r = s = NULL;
        count = i2d_ECDSA_SIG(value, &der);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(value);
    return count;
}

/// Returns whether u1 G + u2 Q is the point at infinity. That is so exactly if e G + r Q is, since they differ by the
/// factor s.
static bool is_sum_infinite(const rc_public_key *key, const uint8_t digest[RC_SHA256_COUNT], const uint8_t r[32]) {
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    EC_POINT *point = group != NULL ? EC_POINT_new(group) : NULL;
    EC_POINT *sum = group != NULL ? EC_POINT_new(group) : NULL;
    BIGNUM *u1 = BN_bin2bn(digest, RC_SHA256_COUNT, NULL), *u2 = BN_bin2bn(r, 32, NULL);
    bool is_infinite = point != NULL && sum != NULL && u1 != NULL && u2 != NULL
        && EC_POINT_oct2point(group, point, key->point, RC_P256_POINT_COUNT, NULL) == 1
        && EC_POINT_mul(group, sum, u1, point, u2, NULL) == 1 && EC_POINT_is_at_infinity(group, sum);
    BN_free(u1);
    BN_free(u2);
    EC_POINT_free(point);
    EC_POINT_free(sum);
    EC_GROUP_free(group);
    return is_infinite;
}

rc_status rc_es256_verify(
    const rc_public_key *key, const uint8_t digest[RC_SHA256_COUNT], const uint8_t *signature, size_t signature_count
) {
    rc_status status = rc_es256_check_form(key, signature, signature_count);
    if (status != RC_OK) return status;

    RC_BEGIN;
    status = RC_FAULT;
    uint8_t der[80];
    int der_count = encode_signature(signature, der);
    EVP_PKEY_CTX *context = der_count > 0 ? EVP_PKEY_CTX_new_from_pkey(NULL, key->pkey, NULL) : NULL;
    if (context != NULL && EVP_PKEY_verify_init(context) == 1) {
        int verdict = EVP_PKEY_verify(context, der, (size_t)der_count, digest, RC_SHA256_COUNT);
        if (verdict == 1) {
            status = RC_OK;
        } else if (verdict == 0 || is_sum_infinite(key, digest, signature)) {
            // FIPS 186-5 6.4.2 rejects the point at infinity; OpenSSL reports it as an error.
            status = RC_NO;
        }
        // Any other error is OpenSSL's fault: r and s are in range and the key is on the curve.
    }
    EVP_PKEY_CTX_free(context);
    RC_END;
    return status;
}

rc_status rc_es256_sign(
    const rc_private_key *key, const uint8_t digest[RC_SHA256_COUNT], uint8_t signature[RC_ES256_SIGNATURE_COUNT]
) {
    if (key->type != RC_KEY_P256) return RC_UNSUPPORTED;
    RC_BEGIN;
    rc_status status = RC_FAULT;
    uint8_t der[80];
    size_t der_count = sizeof der;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key->pkey, NULL);
    if (context != NULL && EVP_PKEY_sign_init(context) == 1
        && EVP_PKEY_sign(context, der, &der_count, digest, RC_SHA256_COUNT) == 1) {
        const uint8_t *end = der;
        ECDSA_SIG *value = d2i_ECDSA_SIG(NULL, &end, (long)der_count);
        if (value != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(value), signature, 32) == 32
            && BN_bn2binpad(ECDSA_SIG_get0_s(value), signature + 32, 32) == 32) {
            status = RC_OK;
        }
        ECDSA_SIG_free(value);
    }
    EVP_PKEY_CTX_free(context);
    RC_END;
    return status;
}

rc_status rc_es256_signature_der(const uint8_t signature[RC_ES256_SIGNATURE_COUNT], rc_bytes **out) {
    RC_BEGIN;
    uint8_t der[80];
    int count = encode_signature(signature, der);
    rc_status status = count > 0 ? rc_bytes_copy(der, (size_t)count, out) : RC_FAULT;
    RC_END;
    return status;
}
