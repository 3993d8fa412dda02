#include "rc_internal.h"

#include <openssl/pkcs7.h>

// Identifier octets of the context-specific class, constructed: [0] and [1].
#define CONTEXT_0 0xA0u
#define CONTEXT_1 0xA1u

/// The OBJECT IDENTIFIER 1.2.840.113549.1.7.2, signedData, without identifier and length.
static const uint8_t signed_data_oid[] = {0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02};

static rc_span whole(const rc_der_element *element, const uint8_t *base) {
    return (rc_span){.offset = (size_t)(element->start - base), .count = (size_t)(element->end - element->start)};
}

static rc_span contents(const rc_der_element *element, const uint8_t *base) {
    return (rc_span){.offset = (size_t)(element->contents - base), .count = (size_t)(element->end - element->contents)};
}

/// Finds issuer and serial number of a certificate (RFC 5280 4.1).
static bool read_certificate(const rc_der_element *certificate, const uint8_t *base, rc_signed_data *out) {
    rc_der_reader outer = rc_der_inside(certificate);
    rc_der_element body, element;
    if (!rc_der_next(&outer, RC_DER_SEQUENCE, &body)) return false;
    rc_der_reader inner = rc_der_inside(&body);
    // The version is absent in a certificate of version 1.
    if (rc_der_is_next(&inner, CONTEXT_0) && !rc_der_next(&inner, CONTEXT_0, &element)) return false;
    if (!rc_der_next(&inner, RC_DER_INTEGER, &element)) return false;
    out->first_serial = whole(&element, base);
    if (!rc_der_next(&inner, RC_DER_SEQUENCE, &element) || !rc_der_next(&inner, RC_DER_SEQUENCE, &element)) return false;
    out->first_issuer = whole(&element, base);
    return true;
}

static bool read_certificates(rc_der_reader *reader, const uint8_t *base, rc_signed_data *out) {
    rc_der_element all, certificate;
    if (!rc_der_next(reader, CONTEXT_0, &all)) return false;
    out->certificates = whole(&all, base);
    rc_der_reader inside = rc_der_inside(&all);
    while (!rc_der_is_at_end(&inside)) {
        if (!rc_der_next(&inside, RC_DER_SEQUENCE, &certificate)) return false;
        if (out->certificate_count == 0 && !read_certificate(&certificate, base, out)) return false;
        if (out->certificate_count < RC_SIGNED_DATA_CERTIFICATES) {
            out->certificate[out->certificate_count] = whole(&certificate, base);
        }
        out->certificate_count++;
    }
    return true;
}

static bool read_content(rc_der_reader *reader, const uint8_t *base, rc_signed_data *out) {
    rc_der_element info, type, wrapper, octets;
    if (!rc_der_next(reader, RC_DER_SEQUENCE, &info)) return false;
    rc_der_reader inside = rc_der_inside(&info);
    if (!rc_der_next(&inside, RC_DER_OBJECT_IDENTIFIER, &type) || !rc_der_next(&inside, CONTEXT_0, &wrapper)
        || !rc_der_is_at_end(&inside)) {
        return false;
    }
    rc_der_reader content = rc_der_inside(&wrapper);
    if (!rc_der_next(&content, RC_DER_OCTET_STRING, &octets) || !rc_der_is_at_end(&content)) return false;
    out->content_type = whole(&type, base);
    out->content = contents(&octets, base);
    return true;
}

#define REQUIRE(condition, where) \
    do { \
        if (!(condition)) { \
            *part = (where); \
            return false; \
        } \
    } while (0)

static bool read_signer(
    rc_der_reader *reader, const uint8_t *base, rc_signed_data *out, rc_signed_data_part *part
) {
    rc_der_element signer, element;
    REQUIRE(rc_der_next(reader, RC_DER_SEQUENCE, &signer), RC_PART_SIGNER);
    rc_der_reader inside = rc_der_inside(&signer);
    REQUIRE(rc_der_next_integer(&inside, &out->signer_version) == RC_OK, RC_PART_SIGNER_VERSION);
    REQUIRE(rc_der_next(&inside, RC_DER_SEQUENCE, &element), RC_PART_SIGNER_CERTIFICATE);
    rc_der_reader certificate = rc_der_inside(&element);
    REQUIRE(rc_der_next(&certificate, RC_DER_SEQUENCE, &element), RC_PART_SIGNER_CERTIFICATE);
    out->signer_issuer = whole(&element, base);
    REQUIRE(
        rc_der_next(&certificate, RC_DER_INTEGER, &element) && rc_der_is_at_end(&certificate),
        RC_PART_SIGNER_CERTIFICATE);
    out->signer_serial = whole(&element, base);
    REQUIRE(rc_der_next(&inside, RC_DER_SEQUENCE, &element), RC_PART_DIGEST_ALGORITHM);
    out->digest_algorithm = whole(&element, base);
    out->has_signed_attributes = rc_der_is_next(&inside, CONTEXT_0);
    if (out->has_signed_attributes) REQUIRE(rc_der_next(&inside, CONTEXT_0, &element), RC_PART_SIGNED_ATTRIBUTES);
    REQUIRE(rc_der_next(&inside, RC_DER_SEQUENCE, &element), RC_PART_SIGNATURE_ALGORITHM);
    out->signature_algorithm = whole(&element, base);
    REQUIRE(rc_der_next(&inside, RC_DER_OCTET_STRING, &element), RC_PART_SIGNATURE);
    out->signature = contents(&element, base);
    out->has_unsigned_attributes = rc_der_is_next(&inside, CONTEXT_1);
    if (out->has_unsigned_attributes) REQUIRE(rc_der_next(&inside, CONTEXT_1, &element), RC_PART_UNSIGNED_ATTRIBUTES);
    REQUIRE(rc_der_is_at_end(&inside), RC_PART_SIGNER);
    return true;
}

static bool read_signed_data(
    rc_der_reader *reader, const uint8_t *base, rc_signed_data *out, rc_signed_data_part *part
) {
    rc_der_element element;
    REQUIRE(rc_der_next_integer(reader, &out->version) == RC_OK, RC_PART_VERSION);
    REQUIRE(rc_der_next(reader, RC_DER_SET, &element), RC_PART_DIGEST_ALGORITHMS);
    out->digest_algorithms = contents(&element, base);
    REQUIRE(read_content(reader, base, out), RC_PART_CONTENT);
    REQUIRE(read_certificates(reader, base, out), RC_PART_CERTIFICATES);
    out->has_revocation_lists = rc_der_is_next(reader, CONTEXT_1);
    if (out->has_revocation_lists) REQUIRE(rc_der_next(reader, CONTEXT_1, &element), RC_PART_REVOCATION_LISTS);
    REQUIRE(rc_der_next(reader, RC_DER_SET, &element), RC_PART_SIGNER);
    REQUIRE(rc_der_is_at_end(reader), RC_PART_END);
    rc_der_reader signers = rc_der_inside(&element);
    while (!rc_der_is_at_end(&signers)) {
        // A second signer is counted and not read: the members are those of the first.
        if (out->signer_count == 0) {
            REQUIRE(read_signer(&signers, base, out, part), *part);
        } else {
            REQUIRE(rc_der_next(&signers, RC_DER_SEQUENCE, &element), RC_PART_SIGNER);
        }
        out->signer_count++;
    }
    REQUIRE(out->signer_count > 0, RC_PART_SIGNER);
    return true;
}

static bool read_container(const uint8_t *der, size_t count, rc_signed_data *out, rc_signed_data_part *part) {
    rc_der_reader reader = {.at = der, .end = der + count};
    rc_der_element container, type, wrapper, element;
    REQUIRE(rc_der_next(&reader, RC_DER_SEQUENCE, &container), RC_PART_CONTAINER);
    REQUIRE(rc_der_is_at_end(&reader), RC_PART_END);
    rc_der_reader inside = rc_der_inside(&container);
    REQUIRE(
        rc_der_next(&inside, RC_DER_OBJECT_IDENTIFIER, &type)
            && (size_t)(type.end - type.contents) == sizeof signed_data_oid
            && memcmp(type.contents, signed_data_oid, sizeof signed_data_oid) == 0
            && rc_der_next(&inside, CONTEXT_0, &wrapper),
        RC_PART_CONTAINER);
    REQUIRE(rc_der_is_at_end(&inside), RC_PART_END);
    rc_der_reader content = rc_der_inside(&wrapper);
    REQUIRE(rc_der_next(&content, RC_DER_SEQUENCE, &element), RC_PART_CONTAINER);
    REQUIRE(rc_der_is_at_end(&content), RC_PART_END);
    rc_der_reader signed_data = rc_der_inside(&element);
    return read_signed_data(&signed_data, der, out, part);
}

rc_status rc_signed_data_read(const uint8_t *der, size_t count, rc_signed_data *out, rc_signed_data_part *part) {
    *part = RC_PART_CONTAINER;
    memset(out, 0, sizeof *out);
    if (!rc_fits_int(count)) return RC_MALFORMED;
    RC_BEGIN;
    bool is_read = read_container(der, count, out, part);
    RC_END;
    return is_read ? RC_OK : RC_MALFORMED;
}

rc_status rc_signed_data_to_der(const uint8_t *ber, size_t count, rc_bytes **out) {
    if (!rc_fits_int(count)) return RC_MALFORMED;
    RC_BEGIN;
    rc_status status = RC_MALFORMED;
    const uint8_t *end = ber;
    PKCS7 *container = d2i_PKCS7(NULL, &end, (long)count);
    if (container != NULL && end == ber + count && PKCS7_type_is_signed(container)) {
        uint8_t *der = NULL;
        int der_count = i2d_PKCS7(container, &der);
        if (der_count > 0) status = rc_bytes_take(der, (size_t)der_count, out);
    }
    PKCS7_free(container);
    RC_END;
    return status;
}
