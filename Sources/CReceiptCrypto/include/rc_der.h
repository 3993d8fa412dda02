// Reading single elements of DER (X.690). Tags and lengths are parsed by OpenSSL's ASN1_get_object.
#ifndef RC_DER_H
#define RC_DER_H

#include "rc_status.h"

// Identifier octets (X.690 8.1.2) of the universal class.
#define RC_DER_INTEGER 0x02u
#define RC_DER_OCTET_STRING 0x04u
#define RC_DER_OBJECT_IDENTIFIER 0x06u
#define RC_DER_UTF8_STRING 0x0Cu
#define RC_DER_IA5_STRING 0x16u
#define RC_DER_SEQUENCE 0x30u
#define RC_DER_SET 0x31u

/// A part of the bytes that were passed to a function.
typedef struct rc_span {
    size_t offset;
    size_t count;
} rc_span;

/// Finds the contents of an element that takes up all of `count` bytes.
///
/// RC_MALFORMED: the bytes are not exactly one element with this identifier octet, or its length is not in DER.
rc_status rc_der_read(const uint8_t *bytes, size_t count, uint8_t identifier, rc_span *contents);

/// Finds the end of the element in BER, of definite or indefinite length, that `count` bytes begin with.
///
/// RC_MALFORMED: the element does not end in the bytes.
rc_status rc_ber_count(const uint8_t *bytes, size_t count, size_t *element_count);

/// Reads an INTEGER that takes up all of `count` bytes.
///
/// RC_MALFORMED: the bytes are not exactly one INTEGER in DER. RC_UNSUPPORTED: its contents have more than 8 bytes.
rc_status rc_der_integer(const uint8_t *bytes, size_t count, int64_t *value);

/// An attribute of an app receipt: SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }.
typedef struct rc_attribute {
    int64_t type;
    int64_t version;
    /// The contents of the OCTET STRING.
    rc_span value;
    /// The identifier octet of the INTEGER, UTF8String, IA5String or SET in DER that is the whole value; 0 if the value
    /// is something else.
    uint8_t identifier;
    /// The contents of that element.
    rc_span contents;
    /// Whether that element is an INTEGER of at most 8 bytes.
    bool is_number;
    /// The value of that INTEGER.
    int64_t number;
} rc_attribute;

/// Reads attributes that follow each other, from `*offset` on, and moves `*offset` behind the last one.
///
/// At most `capacity` are read, and `*found` is set to their number. It is 0 only with another status than RC_OK.
///
/// RC_NO: `*offset` is at the end. RC_MALFORMED: at the offset is no such SEQUENCE in DER.
/// RC_UNSUPPORTED: its type or version has more than 8 bytes.
rc_status rc_attributes_read(
    const uint8_t *bytes, size_t count, size_t *offset, rc_attribute *out, size_t capacity, size_t *found);

#endif
