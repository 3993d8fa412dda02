#include "rc_internal.h"

rc_key_type rc_classify_key(EVP_PKEY *pkey, int *bits) {
    *bits = 0;
    if (pkey == NULL) return RC_KEY_OTHER;
    *bits = EVP_PKEY_get_bits(pkey);
    if (EVP_PKEY_is_a(pkey, "RSA")) return RC_KEY_RSA;
    if (!EVP_PKEY_is_a(pkey, "EC")) return RC_KEY_OTHER;

    // Explicit parameters can describe a curve that differs from the named one in a single value (CVE-2020-0601).
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
    if (key->type == RC_KEY_RSA) {
        key->contexts = OPENSSL_zalloc(sizeof *key->contexts);
        if (key->contexts == NULL) status = RC_NO_MEMORY;
    }
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
        // OpenSSL also reads BER, but writes DER: only DER input is reproduced byte for byte.
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
    rc_rsa_contexts_free(key->contexts);
    EVP_PKEY_free(key->pkey);
    OPENSSL_free(key);
}

rc_key_type rc_public_key_type(const rc_public_key *key) { return key->type; }

int rc_public_key_bits(const rc_public_key *key) { return key->bits; }

rc_status rc_public_key_rsa_exponent(const rc_public_key *key, rc_bytes **out) {
    if (key->type != RC_KEY_RSA) return RC_UNSUPPORTED;
    RC_BEGIN;
    rc_status status = RC_FAULT;
    BIGNUM *exponent = NULL;
    if (EVP_PKEY_get_bn_param(key->pkey, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1) {
        int count = BN_num_bytes(exponent);
        uint8_t *bytes = OPENSSL_malloc(count > 0 ? (size_t)count : 1);
        if (bytes == NULL) {
            status = RC_NO_MEMORY;
        } else {
            BN_bn2bin(exponent, bytes);
            status = rc_bytes_take(bytes, (size_t)count, out);
        }
    }
    BN_free(exponent);
    RC_END;
    return status;
}

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
