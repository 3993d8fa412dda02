#include "rc_internal.h"

/// The parts of a certificate that its digests are made of (RFC 5280 4.1), where they stand in its DER.
typedef struct certificate_parts {
    rc_der_element tbs;
    rc_der_element serial;
    rc_der_element issuer;
    rc_der_element key;
    rc_der_element algorithm;
    rc_der_element signature;
} certificate_parts;

static bool find_parts(const uint8_t *der, size_t count, certificate_parts *parts) {
    rc_der_reader reader = {.at = der, .end = der + count};
    rc_der_element certificate, skipped;
    if (!rc_der_next(&reader, RC_DER_SEQUENCE, &certificate)) return false;
    rc_der_reader outer = rc_der_inside(&certificate);
    if (!rc_der_next(&outer, RC_DER_SEQUENCE, &parts->tbs)
        || !rc_der_next(&outer, RC_DER_SEQUENCE, &parts->algorithm)
        || !rc_der_next(&outer, V_ASN1_BIT_STRING, &parts->signature)) {
        return false;
    }
    rc_der_reader inner = rc_der_inside(&parts->tbs);
    uint8_t version = V_ASN1_CONTEXT_SPECIFIC | V_ASN1_CONSTRUCTED;
    if (rc_der_is_next(&inner, version) && !rc_der_next(&inner, version, &skipped)) return false;
    return rc_der_next(&inner, RC_DER_INTEGER, &parts->serial)
        && rc_der_next(&inner, RC_DER_SEQUENCE, &skipped)  // signature
        && rc_der_next(&inner, RC_DER_SEQUENCE, &parts->issuer)
        && rc_der_next(&inner, RC_DER_SEQUENCE, &skipped)  // validity
        && rc_der_next(&inner, RC_DER_SEQUENCE, &skipped)  // subject
        && rc_der_next(&inner, RC_DER_SEQUENCE, &parts->key);
}

static size_t size_of(const rc_der_element *element) { return (size_t)(element->end - element->start); }

/// Hashes one digest of a certificate after the other.
typedef struct digest_writer {
    EVP_MD_CTX *context;
    rc_certificate_facts *facts;
} digest_writer;

static bool begin(digest_writer *writer) {
    if (writer->facts->digest_count >= RC_CERTIFICATE_DIGESTS) return false;
    // A null type keeps the digest method of the context; fetching it is the expensive part.
    const EVP_MD *method = writer->facts->digest_count == 0 ? EVP_sha256() : NULL;
    return EVP_DigestInit_ex(writer->context, method, NULL) == 1;
}

static bool add(digest_writer *writer, const uint8_t *bytes, size_t count) {
    return EVP_DigestUpdate(writer->context, bytes, count) == 1;
}

static bool add_element(digest_writer *writer, const rc_der_element *element) {
    return add(writer, element->start, size_of(element));
}

/// Adds the header of an element whose contents follow.
static bool add_header(digest_writer *writer, int tag, size_t count) {
    if (count > INT_MAX) return false;
    uint8_t header[16], *end = header;
    ASN1_put_object(&end, tag == V_ASN1_SEQUENCE, (int)count, tag, V_ASN1_UNIVERSAL);
    return add(writer, header, (size_t)(end - header));
}

static bool finish(digest_writer *writer) {
    rc_certificate_facts *facts = writer->facts;
    if (EVP_DigestFinal_ex(writer->context, facts->digests[facts->digest_count], NULL) != 1) return false;
    facts->digest_count += 1;
    return true;
}

/// Writes the digest of the certificate with another value of its signature.
static bool write_with_signature(
    digest_writer *writer, const certificate_parts *parts, const uint8_t *value, size_t value_count
) {
    // A BIT STRING begins with the number of unused bits.
    const uint8_t unused = 0;
    int bits_count = ASN1_object_size(0, (int)value_count + 1, V_ASN1_BIT_STRING);
    return bits_count > 0 && begin(writer)
        && add_header(writer, V_ASN1_SEQUENCE, size_of(&parts->tbs) + size_of(&parts->algorithm) + (size_t)bits_count)
        && add_element(writer, &parts->tbs) && add_element(writer, &parts->algorithm)
        && add_header(writer, V_ASN1_BIT_STRING, value_count + 1) && add(writer, &unused, 1)
        && add(writer, value, value_count) && finish(writer);
}

// The orders of P-384 and P-521 (FIPS 186-4 D.1.2.4 and D.1.2.5), big endian. OpenSSL tells an order only of a curve that
// it has created, which is slow.
static const uint8_t order_p384[] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc7, 0x63, 0x4d, 0x81, 0xf4, 0x37, 0x2d, 0xdf,
    0x58, 0x1a, 0x0d, 0xb2, 0x48, 0xb0, 0xa7, 0x7a, 0xec, 0xec, 0x19, 0x6a, 0xcc, 0xc5, 0x29, 0x73,
};
static const uint8_t order_p521[] = {
    0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfa,
    0x51, 0x86, 0x87, 0x83, 0xbf, 0x2f, 0x96, 0x6b, 0x7f, 0xcc, 0x01, 0x48, 0xf7, 0x09, 0xa5, 0xd0,
    0x3b, 0xb5, 0xc9, 0xb8, 0x89, 0x9c, 0x47, 0xae, 0xbb, 0x6f, 0xb7, 0x1e, 0x91, 0x38, 0x64, 0x09,
};

/// Writes the digest of the certificate with (r, n - s) in place of (r, s); nothing if the signature is none of a curve
/// with this order.
static bool write_other_form(
    digest_writer *writer, const certificate_parts *parts, const ECDSA_SIG *signature, const uint8_t *order_bytes,
    size_t order_count
) {
    BIGNUM *order = BN_bin2bn(order_bytes, (int)order_count, NULL);
    const BIGNUM *r = ECDSA_SIG_get0_r(signature), *s = ECDSA_SIG_get0_s(signature);
    bool done = order != NULL;
    if (done && !BN_is_zero(s) && !BN_is_negative(s) && BN_cmp(s, order) < 0 && BN_cmp(r, order) < 0) {
        ECDSA_SIG *other = ECDSA_SIG_new();
        BIGNUM *other_r = BN_dup(r), *other_s = BN_new();
        done = other != NULL && other_r != NULL && other_s != NULL && BN_sub(other_s, order, s) == 1
            && ECDSA_SIG_set0(other, other_r, other_s) == 1;
        if (done) {
            other_r = other_s = NULL;
            uint8_t *value = NULL;
            int count = i2d_ECDSA_SIG(other, &value);
            done = count > 0 && write_with_signature(writer, parts, value, (size_t)count);
            OPENSSL_free(value);
        }
        BN_free(other_r);
        BN_free(other_s);
        ECDSA_SIG_free(other);
    }
    BN_free(order);
    return done;
}

/// Writes the digests of the other forms of an ECDSA signature. The curve is that of the issuer's key, which is not
/// known here, so each curve that an issuer may have is taken.
static bool write_other_forms(digest_writer *writer, const certificate_parts *parts) {
    const rc_der_element *bits = &parts->signature;
    if (bits->end - bits->contents < 2) return true;
    const uint8_t *value = bits->contents + 1;
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &value, (long)(bits->end - value));
    // A signature that cannot be read verifies under no key.
    if (signature == NULL) return true;
    bool done = write_other_form(writer, parts, signature, rc_p256_order, sizeof rc_p256_order)
        && write_other_form(writer, parts, signature, order_p384, sizeof order_p384)
        && write_other_form(writer, parts, signature, order_p521, sizeof order_p521);
    ECDSA_SIG_free(signature);
    return done;
}

static bool write_digests(digest_writer *writer, const certificate_parts *parts, const uint8_t *der, size_t count) {
    bool done = begin(writer) && add(writer, der, count) && finish(writer)
        && begin(writer) && add_element(writer, &parts->tbs) && finish(writer)
        && begin(writer) && add_element(writer, &parts->key) && finish(writer)
        && begin(writer) && add_header(writer, V_ASN1_SEQUENCE, size_of(&parts->issuer) + size_of(&parts->serial))
        && add_element(writer, &parts->issuer) && add_element(writer, &parts->serial) && finish(writer);
    switch (writer->facts->signature_algorithm) {
    case RC_SIGNATURE_ECDSA_SHA256:
    case RC_SIGNATURE_ECDSA_SHA384:
    case RC_SIGNATURE_ECDSA_SHA512: return done && write_other_forms(writer, parts);
    default: return done;
    }
}

bool rc_certificate_read_digests(const uint8_t *der, size_t count, rc_certificate_facts *facts) {
    facts->digest_count = 0;
    certificate_parts parts;
    if (!find_parts(der, count, &parts)) return false;
    digest_writer writer = {.context = EVP_MD_CTX_new(), .facts = facts};
    bool done = writer.context != NULL && write_digests(&writer, &parts, der, count);
    EVP_MD_CTX_free(writer.context);
    return done;
}
