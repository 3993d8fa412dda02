#include "rc_internal.h"

// A receipt has thousands of attributes with five elements each; inlined, the elements stay in registers.
#define RC_INLINE static inline __attribute__((always_inline))

RC_INLINE bool next(rc_der_reader *reader, uint8_t identifier, rc_der_element *out) {
    if (reader->at >= reader->end || *reader->at != identifier) return false;
    const uint8_t *start = reader->at, *contents = start;
    long length = 0;
    int tag = 0, class = 0;
    int form = ASN1_get_object(&contents, &length, &tag, &class, (long)(reader->end - start));
    // 0x80: the header cannot be read, or the contents are longer than the rest. 0x01: an indefinite length (BER).
    if ((form & 0x81) != 0 || length < 0 || length > (long)INT_MAX) return false;
    // OpenSSL also reads lengths and tags in more bytes than necessary; in DER the header has its smallest size. No
    // header is smaller than two bytes.
    if (contents - start > 2) {
        int size = ASN1_object_size((form & V_ASN1_CONSTRUCTED) != 0, (int)length, tag);
        if (size < 0 || (size_t)size != (size_t)(contents - start) + (size_t)length) return false;
    }
    out->start = start;
    out->contents = contents;
    out->end = contents + length;
    reader->at = out->end;
    return true;
}

bool rc_der_next(rc_der_reader *reader, uint8_t identifier, rc_der_element *out) {
    return next(reader, identifier, out);
}

bool rc_der_is_next(const rc_der_reader *reader, uint8_t identifier) {
    return reader->at < reader->end && *reader->at == identifier;
}

bool rc_der_is_at_end(const rc_der_reader *reader) { return reader->at == reader->end; }

rc_der_reader rc_der_inside(const rc_der_element *element) {
    return (rc_der_reader){.at = element->contents, .end = element->end};
}

/// Reads the contents of an INTEGER (X.690 8.3): two's complement, big-endian, in the fewest bytes.
static rc_status read_integer(const rc_der_element *element, int64_t *value) {
    size_t count = (size_t)(element->end - element->contents);
    const uint8_t *bytes = element->contents;
    if (count == 0) return RC_MALFORMED;
    if (count > 1 && ((bytes[0] == 0x00 && bytes[1] < 0x80) || (bytes[0] == 0xFF && bytes[1] >= 0x80))) {
        return RC_MALFORMED;
    }
    if (count > 8) return RC_UNSUPPORTED;
    uint64_t bits = bytes[0] >= 0x80 ? UINT64_MAX : 0;
    for (size_t index = 0; index < count; index++) bits = bits << 8 | bytes[index];
    memcpy(value, &bits, sizeof bits);
    return RC_OK;
}

RC_INLINE rc_status next_integer(rc_der_reader *reader, int64_t *value) {
    rc_der_element element;
    return next(reader, RC_DER_INTEGER, &element) ? read_integer(&element, value) : RC_MALFORMED;
}

rc_status rc_der_next_integer(rc_der_reader *reader, int64_t *value) { return next_integer(reader, value); }

rc_status rc_der_read(const uint8_t *bytes, size_t count, uint8_t identifier, rc_span *contents) {
    if (!rc_fits_int(count)) return RC_MALFORMED;
    RC_BEGIN;
    rc_der_reader reader = {.at = bytes, .end = bytes + count};
    rc_der_element element;
    bool is_read = rc_der_next(&reader, identifier, &element) && rc_der_is_at_end(&reader);
    RC_END;
    if (!is_read) return RC_MALFORMED;
    contents->offset = (size_t)(element.contents - bytes);
    contents->count = (size_t)(element.end - element.contents);
    return RC_OK;
}

rc_status rc_ber_count(const uint8_t *bytes, size_t count, size_t *element_count) {
    if (!rc_fits_int(count)) return RC_MALFORMED;
    RC_BEGIN;
    const uint8_t *at = bytes, *end = bytes + count;
    // The elements of indefinite length that are open: each ends with two bytes of zero (X.690 8.1.5).
    size_t depth = 0;
    bool is_read = true;
    do {
        long length = 0;
        int tag = 0, class = 0;
        int form = ASN1_get_object(&at, &length, &tag, &class, (long)(end - at));
        if ((form & 0x80) != 0 || length < 0) {
            is_read = false;
        } else if ((form & 0x01) != 0) {
            depth++;
        } else if (class == V_ASN1_UNIVERSAL && tag == V_ASN1_EOC && length == 0 && depth > 0) {
            depth--;
        } else {
            at += length;
        }
    } while (is_read && depth > 0);
    RC_END;
    if (!is_read) return RC_MALFORMED;
    *element_count = (size_t)(at - bytes);
    return RC_OK;
}

rc_status rc_der_integer(const uint8_t *bytes, size_t count, int64_t *value) {
    if (!rc_fits_int(count)) return RC_MALFORMED;
    RC_BEGIN;
    rc_der_reader reader = {.at = bytes, .end = bytes + count};
    rc_der_element element;
    bool is_read = rc_der_next(&reader, RC_DER_INTEGER, &element) && rc_der_is_at_end(&reader);
    RC_END;
    return is_read ? read_integer(&element, value) : RC_MALFORMED;
}

static rc_span span_of(const rc_der_element *element, const uint8_t *bytes) {
    return (rc_span){
        .offset = (size_t)(element->contents - bytes), .count = (size_t)(element->end - element->contents)};
}

/// Reads the element that is the whole value of an attribute, if it is one of those that values have.
RC_INLINE void read_value(const rc_der_element *value, const uint8_t *bytes, rc_attribute *out) {
    rc_der_reader reader = rc_der_inside(value);
    uint8_t identifier = rc_der_is_at_end(&reader) ? 0 : *reader.at;
    bool is_known = identifier == RC_DER_INTEGER || identifier == RC_DER_UTF8_STRING ||
        identifier == RC_DER_IA5_STRING || identifier == RC_DER_SET;
    rc_der_element element;
    if (!is_known || !next(&reader, identifier, &element) || !rc_der_is_at_end(&reader)) return;
    out->identifier = identifier;
    out->contents = span_of(&element, bytes);
    out->is_number = identifier == RC_DER_INTEGER && read_integer(&element, &out->number) == RC_OK;
}

RC_INLINE rc_status read_attribute(rc_der_reader *reader, const uint8_t *bytes, rc_attribute *out) {
    rc_der_element attribute, value;
    if (!next(reader, RC_DER_SEQUENCE, &attribute)) return RC_MALFORMED;
    rc_der_reader inside = rc_der_inside(&attribute);
    *out = (rc_attribute){0};
    rc_status status = next_integer(&inside, &out->type);
    if (status == RC_OK) status = next_integer(&inside, &out->version);
    if (status != RC_OK) return status;
    if (!next(&inside, RC_DER_OCTET_STRING, &value) || !rc_der_is_at_end(&inside)) return RC_MALFORMED;
    out->value = span_of(&value, bytes);
    read_value(&value, bytes, out);
    return RC_OK;
}

rc_status rc_attributes_read(
    const uint8_t *bytes, size_t count, size_t *offset, rc_attribute *out, size_t capacity, size_t *found) {
    *found = 0;
    if (!rc_fits_int(count) || *offset > count || capacity == 0) return RC_MALFORMED;
    if (*offset == count) return RC_NO;
    RC_BEGIN;
    rc_status status = RC_OK;
    rc_der_reader reader = {.at = bytes + *offset, .end = bytes + count};
    while (*found < capacity && !rc_der_is_at_end(&reader)) {
        status = read_attribute(&reader, bytes, &out[*found]);
        if (status != RC_OK) break;
        *offset = (size_t)(reader.at - bytes);
        *found += 1;
    }
    RC_END;
    return *found > 0 ? RC_OK : status;
}
