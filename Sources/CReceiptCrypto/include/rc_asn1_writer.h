// Encoding ASN.1 (X.690), for the containers of test receipts, correct or with chosen flaws.
#ifndef RC_ASN1_WRITER_H
#define RC_ASN1_WRITER_H

#include "rc_bytes.h"
#include "rc_certificate.h"
#include "rc_status.h"

/// The number of bytes that is enough for the identifier and the length of any element.
#define RC_ASN1_HEADER_CAPACITY 16

/// The form of an element.
typedef enum RC_CLOSED_ENUM rc_asn1_form {
    RC_ASN1_PRIMITIVE,
    RC_ASN1_CONSTRUCTED,
    /// Constructed, of indefinite length, as in BER (X.690 8.1.3.6). Two zero bytes end the contents.
    RC_ASN1_INDEFINITE,
} rc_asn1_form;

/// Stores the identifier and the length that precede `count` bytes of contents, and how many bytes these are.
///
/// The class is universal or, with `is_context_specific`, that of tags such as `[0]`. An indefinite length ignores
/// `count`. RC_UNSUPPORTED: `count` exceeds INT_MAX.
rc_status rc_asn1_header(
    rc_asn1_form form, bool is_context_specific, uint8_t tag, size_t count, uint8_t header[RC_ASN1_HEADER_CAPACITY],
    size_t *header_count
);

/// Encodes an INTEGER. The caller owns `*out`.
rc_status rc_asn1_integer(int64_t value, rc_bytes **out);

/// Encodes an OBJECT IDENTIFIER, given in dotted form with a terminating NUL. The caller owns `*out`.
///
/// RC_UNSUPPORTED: the OID is not valid.
rc_status rc_asn1_object_identifier(const char *oid, rc_bytes **out);

/// Encodes the IssuerAndSerialNumber that identifies a certificate (RFC 5652 10.2.4). The caller owns `*out`.
rc_status rc_asn1_issuer_and_serial(const rc_certificate *certificate, rc_bytes **out);

#endif
