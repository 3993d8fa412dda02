#include <openssl/asn1.h>
#include <openssl/pkcs7.h>

#include "rc_internal.h"

rc_status rc_asn1_header(
    rc_asn1_form form, bool is_context_specific, uint8_t tag, size_t count, uint8_t header[RC_ASN1_HEADER_CAPACITY],
    size_t *header_count
) {
    if (!rc_fits_int(count)) return RC_UNSUPPORTED;
    int constructed = 0;
    switch (form) {
    case RC_ASN1_PRIMITIVE: constructed = 0; break;
    case RC_ASN1_CONSTRUCTED: constructed = 1; break;
    case RC_ASN1_INDEFINITE: constructed = 2; break;
    }
    uint8_t *end = header;
    int class = is_context_specific ? V_ASN1_CONTEXT_SPECIFIC : V_ASN1_UNIVERSAL;
    ASN1_put_object(&end, constructed, (int)count, tag, class);
    *header_count = (size_t)(end - header);
    return RC_OK;
}

rc_status rc_asn1_integer(int64_t value, rc_bytes **out) {
    RC_BEGIN;
    rc_status status = RC_FAULT;
    ASN1_INTEGER *integer = ASN1_INTEGER_new();
    if (integer != NULL && ASN1_INTEGER_set_int64(integer, value) == 1) {
        uint8_t *der = NULL;
        int count = i2d_ASN1_INTEGER(integer, &der);
        if (count > 0) status = rc_bytes_take(der, (size_t)count, out);
    }
    ASN1_INTEGER_free(integer);
    RC_END;
    return status;
}

rc_status rc_asn1_object_identifier(const char *oid, rc_bytes **out) {
    RC_BEGIN;
    rc_status status = RC_UNSUPPORTED;
    ASN1_OBJECT *object = OBJ_txt2obj(oid, 1);
    if (object != NULL) {
        uint8_t *der = NULL;
        int count = i2d_ASN1_OBJECT(object, &der);
        status = count > 0 ? rc_bytes_take(der, (size_t)count, out) : RC_FAULT;
    }
    ASN1_OBJECT_free(object);
    RC_END;
    return status;
}

rc_status rc_asn1_issuer_and_serial(const rc_certificate *certificate, rc_bytes **out) {
    RC_BEGIN;
    rc_status status = RC_FAULT;
    PKCS7_ISSUER_AND_SERIAL *identifier = PKCS7_ISSUER_AND_SERIAL_new();
    ASN1_INTEGER *serial = ASN1_INTEGER_dup(X509_get0_serialNumber(certificate->x509));
    if (identifier != NULL && serial != NULL
        && X509_NAME_set(&identifier->issuer, X509_get_issuer_name(certificate->x509)) == 1) {
        ASN1_INTEGER_free(identifier->serial);
        identifier->serial = serial;
        serial = NULL;
        uint8_t *der = NULL;
        int count = i2d_PKCS7_ISSUER_AND_SERIAL(identifier, &der);
        if (count > 0) status = rc_bytes_take(der, (size_t)count, out);
    }
    ASN1_INTEGER_free(serial);
    PKCS7_ISSUER_AND_SERIAL_free(identifier);
    RC_END;
    return status;
}
