#include "rc_internal.h"

// The order n of P-256 (FIPS 186-4 D.1.2.3), big endian.
static const uint8_t p256_order[32] = {
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
};

static bool is_scalar_in_range(const uint8_t scalar[32]) {
    static const uint8_t zero[32] = {0};
    return memcmp(scalar, p256_order, 32) < 0 && memcmp(scalar, zero, 32) != 0;
}

rc_key_type rc_classify_key(EVP_PKEY *pkey, int *bits) {
    *bits = 0;
    if (pkey == NULL) return RC_KEY_OTHER;
    *bits = EVP_PKEY_get_bits(pkey);
    if (EVP_PKEY_is_a(pkey, "RSA")) return RC_KEY_RSA;
    if (!EVP_PKEY_is_a(pkey, "EC")) return RC_KEY_OTHER;

    // A curve spelled out by its parameters can differ from the named one in a single value (CVE-2020-0601).
    int is_explicit = 0;
    if (EVP_PKEY_get_int_param(pkey, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &is_explicit) == 1
        && is_explicit) {
        return RC_KEY_OTHER;
    }
    char name[64];
    if (EVP_PKEY_get_group_name(pkey, name, sizeof name, NULL) != 1) return RC_KEY_OTHER;
    switch (OBJ_txt2nid(name)) {
    case NID_X9_62_prime256v1: return RC_KEY_P256;
    case NID_secp384r1: return RC_KEY_P384;
    case NID_secp521r1: return RC_KEY_P521;
    default: return RC_KEY_OTHER;
    }
}

static rc_status read_point(EVP_PKEY *pkey, uint8_t point[RC_P256_POINT_COUNT]) {
    BIGNUM *x = NULL, *y = NULL;
    rc_status status = RC_FAULT;
    if (EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_EC_PUB_X, &x) == 1
        && EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_EC_PUB_Y, &y) == 1
        && BN_bn2binpad(x, point + 1, 32) == 32 && BN_bn2binpad(y, point + 33, 32) == 32) {
        point[0] = 0x04;
        status = RC_OK;
    }
    BN_free(x);
    BN_free(y);
    return status;
}

rc_status rc_public_key_take(EVP_PKEY *pkey, rc_public_key **out) {
    rc_public_key *key = OPENSSL_zalloc(sizeof *key);
    if (key == NULL) {
        EVP_PKEY_free(pkey);
        return RC_NO_MEMORY;
    }
    key->pkey = pkey;
    key->type = rc_classify_key(pkey, &key->bits);
    rc_status status = key->type == RC_KEY_P256 ? read_point(pkey, key->point) : RC_OK;
    if (status != RC_OK) {
        rc_public_key_free(key);
        return status;
    }
    *out = key;
    return RC_OK;
}

rc_status rc_public_key_from_spki(const uint8_t *der, size_t count, rc_public_key **out) {
    if (!rc_fits_long(count)) return RC_MALFORMED;
    RC_BEGIN;
    rc_status status = RC_MALFORMED;
    const uint8_t *end = der;
    EVP_PKEY *pkey = d2i_PUBKEY(NULL, &end, (long)count);
    if (pkey != NULL && end == der + count) {
        // OpenSSL reads BER; only DER comes out of it again byte for byte.
        uint8_t *again = NULL;
        int again_count = i2d_PUBKEY(pkey, &again);
        if (again_count > 0 && (size_t)again_count == count && memcmp(again, der, count) == 0) {
            status = rc_public_key_take(pkey, out);
            pkey = NULL;
        }
        OPENSSL_free(again);
    }
    EVP_PKEY_free(pkey);
    RC_END;
    return status;
}

rc_status rc_public_key_from_p256_point(const uint8_t *point, size_t count, rc_public_key **out) {
    if (count != RC_P256_POINT_COUNT || point[0] != 0x04) return RC_MALFORMED;
    RC_BEGIN;
    rc_status status = RC_NO_MEMORY;
    EVP_PKEY *pkey = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (context != NULL) {
        OSSL_PARAM parameters[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)SN_X9_62_prime256v1, 0),
            OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, count),
            OSSL_PARAM_construct_end(),
        };
        status = RC_MALFORMED;
        if (EVP_PKEY_fromdata_init(context) == 1
            && EVP_PKEY_fromdata(context, &pkey, EVP_PKEY_PUBLIC_KEY, parameters) == 1) {
            status = rc_public_key_take(pkey, out);
        }
    }
    EVP_PKEY_CTX_free(context);
    RC_END;
    return status;
}

void rc_public_key_free(rc_public_key *key) {
    if (key == NULL) return;
    EVP_PKEY_free(key->pkey);
    OPENSSL_free(key);
}

rc_key_type rc_public_key_type(const rc_public_key *key) { return key->type; }

int rc_public_key_bits(const rc_public_key *key) { return key->bits; }

rc_status rc_public_key_spki(const rc_public_key *key, rc_bytes **out) {
    RC_BEGIN;
    uint8_t *der = NULL;
    int count = i2d_PUBKEY(key->pkey, &der);
    rc_status status = count > 0 ? rc_bytes_take(der, (size_t)count, out) : RC_FAULT;
    RC_END;
    return status;
}

rc_status rc_public_key_p256_point(const rc_public_key *key, uint8_t point[RC_P256_POINT_COUNT]) {
    if (key->type != RC_KEY_P256) return RC_UNSUPPORTED;
    memcpy(point, key->point, RC_P256_POINT_COUNT);
    return RC_OK;
}

/// r || s as ECDSA-Sig-Value in DER (RFC 3279 2.2.3), which is what EVP verifies; 72 bytes at the most.
static int encode_ecdsa_signature(const uint8_t signature[RC_ES256_SIGNATURE_COUNT], uint8_t der[80]) {
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

rc_status rc_es256_examine_form(const rc_public_key *key, const uint8_t *signature, size_t signature_count) {
    if (key->type != RC_KEY_P256) return RC_UNSUPPORTED;
    if (signature_count != RC_ES256_SIGNATURE_COUNT) return RC_MALFORMED;
    return is_scalar_in_range(signature) && is_scalar_in_range(signature + 32) ? RC_OK : RC_MALFORMED;
}

/// Whether u1 G + u2 Q is the point at infinity, which is the case when e G + r Q is: both differ by the factor s.
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
    rc_status status = rc_es256_examine_form(key, signature, signature_count);
    if (status != RC_OK) return status;

    RC_BEGIN;
    status = RC_FAULT;
    uint8_t der[80];
    int der_count = encode_ecdsa_signature(signature, der);
    EVP_PKEY_CTX *context = der_count > 0 ? EVP_PKEY_CTX_new_from_pkey(NULL, key->pkey, NULL) : NULL;
    if (context != NULL && EVP_PKEY_verify_init(context) == 1) {
        int verdict = EVP_PKEY_verify(context, der, (size_t)der_count, digest, RC_SHA256_COUNT);
        if (verdict == 1) {
            status = RC_OK;
        } else if (verdict == 0 || is_sum_infinite(key, digest, signature)) {
            // FIPS 186-5 6.4.2 rejects the point at infinity, where OpenSSL sees an error instead of a verdict.
            status = RC_NO;
        }
        // Anything else is a fault of the machinery: r and s are in range and the key is on the curve.
    }
    EVP_PKEY_CTX_free(context);
    RC_END;
    return status;
}

const EVP_MD *rc_hash_method(rc_hash hash) {
    switch (hash) {
    case RC_HASH_SHA1: return EVP_sha1();
    case RC_HASH_SHA256: return EVP_sha256();
    case RC_HASH_SHA384: return EVP_sha384();
    case RC_HASH_SHA512: return EVP_sha512();
    }
    return NULL;
}

rc_status rc_rsa_pkcs1_verify(
    const rc_public_key *key, rc_hash hash, const uint8_t *message, size_t message_count, const uint8_t *signature,
    size_t signature_count
) {
    if (key->type != RC_KEY_RSA) return RC_UNSUPPORTED;
    RC_BEGIN;
    rc_status status = RC_FAULT;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *key_context = NULL;
    if (context != NULL
        && EVP_DigestVerifyInit(context, &key_context, rc_hash_method(hash), NULL, key->pkey) == 1
        && EVP_PKEY_CTX_set_rsa_padding(key_context, RSA_PKCS1_PADDING) == 1) {
        // A signature of the wrong length is an error to OpenSSL; to the caller it is one that does not fit.
        int verdict = EVP_DigestVerify(context, signature, signature_count, message, message_count);
        status = verdict == 1 ? RC_OK : RC_NO;
    }
    EVP_MD_CTX_free(context);
    RC_END;
    return status;
}
