#include <openssl/pkcs7.h>

#include "rc_internal.h"

/// Appends the digest of the concatenation of some parts.
static bool append(rc_certificate_facts *facts, const uint8_t *const parts[], const size_t counts[], int part_count) {
    if (facts->digest_count >= RC_CERTIFICATE_DIGESTS) return false;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool done = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    for (int index = 0; index < part_count && done; index++) {
        done = EVP_DigestUpdate(context, parts[index], counts[index]) == 1;
    }
    done = done && EVP_DigestFinal_ex(context, facts->digests[facts->digest_count], NULL) == 1;
    if (done) facts->digest_count += 1;
    EVP_MD_CTX_free(context);
    return done;
}

/// Appends the digest of what OpenSSL has encoded, and frees it.
static bool append_encoded(rc_certificate_facts *facts, uint8_t *der, int count) {
    const uint8_t *parts[] = {der};
    const size_t counts[] = {(size_t)count};
    bool done = count > 0 && append(facts, parts, counts, 1);
    OPENSSL_free(der);
    return done;
}

static bool append_issuer_and_serial(rc_certificate_facts *facts, const X509 *x509) {
    PKCS7_ISSUER_AND_SERIAL *identifier = PKCS7_ISSUER_AND_SERIAL_new();
    ASN1_INTEGER *serial = ASN1_INTEGER_dup(X509_get0_serialNumber(x509));
    bool done = false;
    if (identifier != NULL && serial != NULL
        && X509_NAME_set(&identifier->issuer, X509_get_issuer_name(x509)) == 1) {
        ASN1_INTEGER_free(identifier->serial);
        identifier->serial = serial;
        serial = NULL;
        uint8_t *der = NULL;
        int count = i2d_PKCS7_ISSUER_AND_SERIAL(identifier, &der);
        done = append_encoded(facts, der, count);
    }
    ASN1_INTEGER_free(serial);
    PKCS7_ISSUER_AND_SERIAL_free(identifier);
    return done;
}

/// Appends the digest of the certificate with the signature (r, n - s) in place of (r, s).
static bool append_with_signature(
    rc_certificate_facts *facts, const ECDSA_SIG *signature, const X509_ALGOR *algorithm, const uint8_t *tbs,
    size_t tbs_count
) {
    ASN1_BIT_STRING *bits = ASN1_BIT_STRING_new();
    uint8_t *value = NULL, *outer_algorithm = NULL, *outer_bits = NULL;
    int value_count = i2d_ECDSA_SIG(signature, &value);
    bool done = false;
    if (bits != NULL && value_count > 0) {
        ASN1_STRING_set0(bits, value, value_count);
        value = NULL;
        bits->flags |= ASN1_STRING_FLAG_BITS_LEFT;
        int algorithm_count = i2d_X509_ALGOR(algorithm, &outer_algorithm);
        int bits_count = i2d_ASN1_BIT_STRING(bits, &outer_bits);
        if (algorithm_count > 0 && bits_count > 0 && tbs_count <= INT_MAX / 2 && algorithm_count <= INT_MAX / 8) {
            uint8_t header[16], *end = header;
            ASN1_put_object(
                &end, 1, (int)tbs_count + algorithm_count + bits_count, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL);
            const uint8_t *parts[] = {header, tbs, outer_algorithm, outer_bits};
            const size_t counts[] = {(size_t)(end - header), tbs_count, (size_t)algorithm_count, (size_t)bits_count};
            done = append(facts, parts, counts, 4);
        }
    }
    OPENSSL_free(value);
    OPENSSL_free(outer_algorithm);
    OPENSSL_free(outer_bits);
    ASN1_BIT_STRING_free(bits);
    return done;
}

/// Appends the digest of the certificate in the other form of its ECDSA signature on a curve; nothing if the signature
/// is none of this curve.
static bool append_other_form(
    rc_certificate_facts *facts, int curve, const ECDSA_SIG *signature, const X509_ALGOR *algorithm,
    const uint8_t *tbs, size_t tbs_count
) {
    EC_GROUP *group = EC_GROUP_new_by_curve_name(curve);
    const BIGNUM *order = group != NULL ? EC_GROUP_get0_order(group) : NULL;
    const BIGNUM *r = ECDSA_SIG_get0_r(signature), *s = ECDSA_SIG_get0_s(signature);
    bool done = order != NULL;
    if (done && !BN_is_zero(s) && !BN_is_negative(s) && BN_cmp(s, order) < 0 && BN_cmp(r, order) < 0) {
        ECDSA_SIG *other = ECDSA_SIG_new();
        BIGNUM *other_r = BN_dup(r), *other_s = BN_new();
        done = other != NULL && other_r != NULL && other_s != NULL && BN_sub(other_s, order, s) == 1
            && ECDSA_SIG_set0(other, other_r, other_s) == 1;
        if (done) {
            other_r = other_s = NULL;
            done = append_with_signature(facts, other, algorithm, tbs, tbs_count);
        }
        BN_free(other_r);
        BN_free(other_s);
        ECDSA_SIG_free(other);
    }
    EC_GROUP_free(group);
    return done;
}

/// Appends the digests of the other forms of an ECDSA signature. The curve is that of the issuer's key, which is not
/// known here, so each curve that an issuer may have is taken.
static bool append_other_forms(rc_certificate_facts *facts, const X509 *x509, const uint8_t *tbs, size_t tbs_count) {
    const ASN1_BIT_STRING *value = NULL;
    const X509_ALGOR *algorithm = NULL;
    X509_get0_signature(&value, &algorithm, x509);
    if (value == NULL || value->length <= 0) return true;
    const uint8_t *end = value->data;
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &end, value->length);
    // A signature that cannot be read verifies under no key.
    if (signature == NULL) return true;
    static const int curves[] = {NID_X9_62_prime256v1, NID_secp384r1, NID_secp521r1};
    bool done = true;
    for (size_t index = 0; index < sizeof curves / sizeof *curves && done; index++) {
        done = append_other_form(facts, curves[index], signature, algorithm, tbs, tbs_count);
    }
    ECDSA_SIG_free(signature);
    return done;
}

bool rc_certificate_read_digests(X509 *x509, const uint8_t *der, size_t count, rc_certificate_facts *facts) {
    facts->digest_count = 0;
    uint8_t *tbs = NULL, *key = NULL;
    int tbs_count = i2d_re_X509_tbs(x509, &tbs);
    int key_count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(x509), &key);
    const uint8_t *whole[] = {der}, *inner[] = {tbs};
    const size_t whole_count[] = {count}, inner_count[] = {(size_t)tbs_count};
    bool done = tbs_count > 0 && append(facts, whole, whole_count, 1) && append(facts, inner, inner_count, 1);
    if (done) done = append_encoded(facts, key, key_count);
    else OPENSSL_free(key);
    done = done && append_issuer_and_serial(facts, x509);
    switch (facts->signature_algorithm) {
    case RC_SIGNATURE_ECDSA_SHA256:
    case RC_SIGNATURE_ECDSA_SHA384:
    case RC_SIGNATURE_ECDSA_SHA512:
        done = done && append_other_forms(facts, x509, tbs, (size_t)tbs_count);
        break;
    default: break;
    }
    OPENSSL_free(tbs);
    return done;
}
