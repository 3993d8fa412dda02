#include "rc_internal.h"

// DER has one encoding of each value (X.690 10 and 11). OpenSSL reads BER too, and keeps a few values as they were read:
// dates, names, defaults, the values of extensions. They are compared with what OpenSSL writes for the same values.

static bool is_same(const void *read, const void *written, const ASN1_ITEM *item) {
    uint8_t *left = NULL, *right = NULL;
    int left_count = ASN1_item_i2d(read, &left, item);
    int right_count = ASN1_item_i2d(written, &right, item);
    bool same = left_count > 0 && left_count == right_count && memcmp(left, right, (size_t)left_count) == 0;
    OPENSSL_free(left);
    OPENSSL_free(right);
    return same;
}

/// Returns whether the version is 1, 2 or 3. The default, 1, is removed, so that it is not written again.
static bool normalize_version(X509 *x509) {
    long version = X509_get_version(x509);
    if (version < X509_VERSION_1 || version > X509_VERSION_3) return false;
    // OpenSSL ignores a call that does not change the version.
    return version != X509_VERSION_1
        || (X509_set_version(x509, X509_VERSION_2) == 1 && X509_set_version(x509, X509_VERSION_1) == 1);
}

/// Returns whether a date is YYMMDDHHMMSSZ or YYYYMMDDHHMMSSZ (X.690 11.7 and 11.8, RFC 5280 4.1.2.5).
static bool is_time_der(const ASN1_TIME *time) {
    int count = ASN1_STRING_type(time) == V_ASN1_UTCTIME ? 13 : 15;
    return ASN1_TIME_check(time) == 1 && ASN1_STRING_length(time) == count
        && ASN1_STRING_get0_data(time)[count - 1] == 'Z';
}

/// Returns whether the value of a name's attribute is a string. OpenSSL keeps other values as they were read.
static bool is_string(const X509_NAME_ENTRY *entry) {
    int type = ASN1_STRING_type(X509_NAME_ENTRY_get_data(entry));
    return type != V_ASN1_SEQUENCE && type != V_ASN1_SET && type != V_ASN1_OTHER;
}

/// Returns whether a name consists of relative names of one attribute each (RFC 5280 4.1.2.4) whose value is a string
/// that OpenSSL writes as it has read it. The names of nearly all certificates do, and comparing them with a copy takes
/// longer than all other comparisons.
static bool is_simple_name_der(const X509_NAME *name) {
    const uint8_t *bytes = NULL;
    size_t count = 0;
    if (X509_NAME_get0_der(name, &bytes, &count) != 1) return false;
    rc_der_reader reader = {.at = bytes, .end = bytes + count};
    rc_der_element names, relative, attribute, part;
    if (!rc_der_next(&reader, RC_DER_SEQUENCE, &names) || !rc_der_is_at_end(&reader)) return false;
    rc_der_reader inside = rc_der_inside(&names);
    while (!rc_der_is_at_end(&inside)) {
        if (!rc_der_next(&inside, V_ASN1_SET | V_ASN1_CONSTRUCTED, &relative)) return false;
        rc_der_reader attributes = rc_der_inside(&relative);
        if (!rc_der_next(&attributes, RC_DER_SEQUENCE, &attribute) || !rc_der_is_at_end(&attributes)) return false;
        rc_der_reader parts = rc_der_inside(&attribute);
        bool is_read = rc_der_next(&parts, V_ASN1_OBJECT, &part)
            && (rc_der_next(&parts, V_ASN1_UTF8STRING, &part) || rc_der_next(&parts, V_ASN1_PRINTABLESTRING, &part)
                || rc_der_next(&parts, V_ASN1_IA5STRING, &part));
        if (!is_read || !rc_der_is_at_end(&parts)) return false;
    }
    return true;
}

/// Compares a name with a copy of its entries. OpenSSL keeps the bytes of a name until an entry changes.
static bool is_name_der(const X509_NAME *name) {
    if (is_simple_name_der(name)) return true;
    X509_NAME *copy = X509_NAME_new();
    bool done = copy != NULL;
    int previous = -1;
    for (int index = 0; done && index < X509_NAME_entry_count(name); index++) {
        const X509_NAME_ENTRY *entry = X509_NAME_get_entry(name, index);
        int set = X509_NAME_ENTRY_set(entry);
        // -1: in the same relative name as the entry before.
        done = is_string(entry) && X509_NAME_add_entry(copy, entry, -1, set == previous ? -1 : 0) == 1;
        previous = set;
    }
    done = done && is_same(name, copy, ASN1_ITEM_rptr(X509_NAME));
    X509_NAME_free(copy);
    return done;
}

/// Reads an INTEGER that is not negative, in the fewest bytes.
static bool next_number(rc_der_reader *reader) {
    rc_der_element number;
    if (!rc_der_next(reader, RC_DER_INTEGER, &number)) return false;
    const uint8_t *bytes = number.contents;
    size_t count = (size_t)(number.end - bytes);
    return count > 0 && bytes[0] < 0x80 && (count == 1 || bytes[0] != 0 || bytes[1] >= 0x80);
}

/// Returns whether bytes are an RSAPublicKey in DER (RFC 8017 A.1.1). OpenSSL ignores what follows it, and encoding the
/// key again takes as long as reading the certificate.
static bool is_rsa_key_der(const uint8_t *bytes, size_t count) {
    rc_der_reader reader = {.at = bytes, .end = bytes + count};
    rc_der_element key;
    if (!rc_der_next(&reader, RC_DER_SEQUENCE, &key) || !rc_der_is_at_end(&reader)) return false;
    rc_der_reader inside = rc_der_inside(&key);
    return next_number(&inside) && next_number(&inside) && rc_der_is_at_end(&inside);
}

/// Returns whether a BIT STRING consists of bytes, at least one.
static bool is_byte_string(const ASN1_BIT_STRING *bits) {
    return bits != NULL && bits->length > 0 && (bits->flags & 0x07) == 0;
}

/// Returns whether the signature consists of bytes. OpenSSL says so only where it verifies it, and never for a
/// trusted root.
static bool is_signature_der(const X509 *x509) {
    const ASN1_BIT_STRING *bits = NULL;
    X509_get0_signature(&bits, NULL, x509);
    return is_byte_string(bits);
}

/// Returns whether the key has the only form in which a certificate has it here, so that one key has one digest: an EC
/// key is an uncompressed point on a named curve (RFC 5480 2.1.1 and 2.2), an RSA key is in DER and has NULL as its
/// parameters (RFC 3279 2.3.1). OpenSSL reads compressed and hybrid points and other parameters too.
static bool is_key_der(const X509 *x509) {
    const ASN1_BIT_STRING *bits = X509_get0_pubkey_bitstr(x509);
    if (!is_byte_string(bits)) return false;
    EVP_PKEY *key = X509_get0_pubkey(x509);
    X509_ALGOR *algorithm = NULL;
    if (X509_PUBKEY_get0_param(NULL, NULL, NULL, &algorithm, X509_get_X509_PUBKEY(x509)) != 1) return false;
    int parameters = V_ASN1_UNDEF;
    X509_ALGOR_get0(NULL, &parameters, NULL, algorithm);
    if (key != NULL && EVP_PKEY_is_a(key, "EC")) {
        return parameters == V_ASN1_OBJECT && bits->data[0] == POINT_CONVERSION_UNCOMPRESSED;
    }
    if (key != NULL && EVP_PKEY_is_a(key, "RSA")) {
        return parameters == V_ASN1_NULL && is_rsa_key_der(bits->data, (size_t)bits->length);
    }
    return true;
}

static X509_EXTENSION *write_unread(X509_EXTENSION *extension, int critical) {
    return X509_EXTENSION_create_by_OBJ(
        NULL, X509_EXTENSION_get_object(extension), critical, X509_EXTENSION_get_data(extension));
}

static X509_EXTENSION *write_basic_constraints(X509_EXTENSION *extension, int critical) {
    BASIC_CONSTRAINTS *value = X509V3_EXT_d2i(extension);
    if (value == NULL) return NULL;
    value->ca = value->ca != 0 ? 0xFF : 0;
    X509_EXTENSION *written = X509V3_EXT_i2d(NID_basic_constraints, critical, value);
    BASIC_CONSTRAINTS_free(value);
    return written;
}

static X509_EXTENSION *write_key_usage(X509_EXTENSION *extension, int critical) {
    ASN1_BIT_STRING *value = X509V3_EXT_d2i(extension);
    if (value == NULL) return NULL;
    // A new BIT STRING has no number of unused bits, and is written as a named bit list (X.690 11.2.2).
    ASN1_BIT_STRING *list = ASN1_BIT_STRING_new();
    X509_EXTENSION *written = NULL;
    if (list != NULL && ASN1_BIT_STRING_set(list, value->data, value->length) == 1) {
        written = X509V3_EXT_i2d(NID_key_usage, critical, list);
    }
    ASN1_BIT_STRING_free(list);
    ASN1_BIT_STRING_free(value);
    return written;
}

static X509_EXTENSION *write_extended_key_usage(X509_EXTENSION *extension, int critical) {
    EXTENDED_KEY_USAGE *value = X509V3_EXT_d2i(extension);
    // Purposes that cannot be read are none; the rules reject them if the extension is critical.
    if (value == NULL) return write_unread(extension, critical);
    X509_EXTENSION *written = X509V3_EXT_i2d(NID_ext_key_usage, critical, value);
    EXTENDED_KEY_USAGE_free(value);
    return written;
}

/// Creates the extension in DER; null if its value cannot be read. A value that no rule reads stays as it is.
static X509_EXTENSION *write_extension(X509_EXTENSION *extension) {
    int critical = X509_EXTENSION_get_critical(extension);
    switch (OBJ_obj2nid(X509_EXTENSION_get_object(extension))) {
    case NID_basic_constraints: return write_basic_constraints(extension, critical);
    case NID_key_usage: return write_key_usage(extension, critical);
    case NID_ext_key_usage: return write_extended_key_usage(extension, critical);
    default: return write_unread(extension, critical);
    }
}

/// Returns whether the value is one element, and nothing follows it.
static bool has_one_element(X509_EXTENSION *extension) {
    const ASN1_OCTET_STRING *value = X509_EXTENSION_get_data(extension);
    int count = ASN1_STRING_length(value);
    if (count <= 0) return false;
    const uint8_t *bytes = ASN1_STRING_get0_data(value);
    rc_der_reader reader = {.at = bytes, .end = bytes + count};
    rc_der_element element;
    return rc_der_next(&reader, bytes[0], &element) && rc_der_is_at_end(&reader);
}

static bool are_extensions_der(const X509 *x509) {
    for (int index = 0; index < X509_get_ext_count(x509); index++) {
        X509_EXTENSION *extension = X509_get_ext(x509, index);
        if (!has_one_element(extension)) return false;
        X509_EXTENSION *written = write_extension(extension);
        bool same = written != NULL && is_same(extension, written, ASN1_ITEM_rptr(X509_EXTENSION));
        X509_EXTENSION_free(written);
        if (!same) return false;
    }
    return true;
}

/// Returns whether OpenSSL writes the same bytes for the certificate. `i2d_re_X509_tbs` is called for its side effect:
/// it drops the bytes of the inner part that were read.
static bool is_reproduced(X509 *x509, const uint8_t *der, size_t count) {
    uint8_t *inner = NULL, *outer = NULL;
    int inner_count = i2d_re_X509_tbs(x509, &inner);
    int outer_count = inner_count > 0 ? i2d_X509(x509, &outer) : -1;
    bool same = outer_count > 0 && (size_t)outer_count == count && memcmp(outer, der, count) == 0;
    OPENSSL_free(inner);
    OPENSSL_free(outer);
    return same;
}

bool rc_is_der(X509 *x509, const uint8_t *der, size_t count) {
    return normalize_version(x509) && is_reproduced(x509, der, count) && is_time_der(X509_get0_notBefore(x509))
        && is_time_der(X509_get0_notAfter(x509)) && is_name_der(X509_get_issuer_name(x509))
        && is_name_der(X509_get_subject_name(x509)) && is_key_der(x509) && is_signature_der(x509)
        && are_extensions_der(x509);
}
