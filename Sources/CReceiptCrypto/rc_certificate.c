#include "rc_internal.h"

static bool seconds_since_1970(const ASN1_TIME *time, int64_t *seconds) {
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int days = 0, rest = 0;
    bool done = epoch != NULL && ASN1_TIME_check(time) == 1 && ASN1_TIME_diff(&days, &rest, epoch, time) == 1;
    ASN1_TIME_free(epoch);
    *seconds = (int64_t)days * 86400 + rest;
    return done;
}

static bool read_basic_constraints(const X509 *x509, rc_certificate_facts *facts) {
    int critical;
    BASIC_CONSTRAINTS *value = X509_get_ext_d2i(x509, NID_basic_constraints, &critical, NULL);
    if (value == NULL) return critical == -1;  // -1: absent; any other value: unreadable or duplicate
    facts->is_ca = value->ca != 0;
    bool readable = true;
    if (value->pathlen != NULL) {
        facts->has_path_length = true;
        readable = ASN1_INTEGER_get_int64(&facts->path_length, value->pathlen) == 1 && facts->path_length >= 0;
    }
    BASIC_CONSTRAINTS_free(value);
    return readable;
}

static bool read_key_usage(const X509 *x509, rc_certificate_facts *facts) {
    int critical;
    ASN1_BIT_STRING *value = X509_get_ext_d2i(x509, NID_key_usage, &critical, NULL);
    if (value == NULL) return critical == -1;
    facts->has_key_usage = true;
    if (value->length > 0) facts->key_usage = value->data[0];
    if (value->length > 1) facts->key_usage |= (uint32_t)value->data[1] << 8;
    ASN1_BIT_STRING_free(value);
    return true;
}

static bool read_code_signing_purpose(const X509 *x509) {
    EXTENDED_KEY_USAGE *purposes = X509_get_ext_d2i(x509, NID_ext_key_usage, NULL, NULL);
    bool found = false;
    for (int index = 0; index < sk_ASN1_OBJECT_num(purposes) && !found; index++) {
        int purpose = OBJ_obj2nid(sk_ASN1_OBJECT_value(purposes, index));
        found = purpose == NID_code_sign || purpose == NID_anyExtendedKeyUsage;
    }
    EXTENDED_KEY_USAGE_free(purposes);
    return found;
}

static rc_signature_algorithm classify_signature(const X509 *x509) {
    switch (X509_get_signature_nid(x509)) {
    case NID_ecdsa_with_SHA256: return RC_SIGNATURE_ECDSA_SHA256;
    case NID_ecdsa_with_SHA384: return RC_SIGNATURE_ECDSA_SHA384;
    case NID_ecdsa_with_SHA512: return RC_SIGNATURE_ECDSA_SHA512;
    case NID_sha256WithRSAEncryption: return RC_SIGNATURE_RSA_SHA256;
    case NID_sha384WithRSAEncryption: return RC_SIGNATURE_RSA_SHA384;
    case NID_sha512WithRSAEncryption: return RC_SIGNATURE_RSA_SHA512;
    case NID_sha1WithRSAEncryption: return RC_SIGNATURE_RSA_SHA1;
    default: return RC_SIGNATURE_OTHER;
    }
}

static bool read_facts(X509 *x509, const uint8_t *der, size_t count, rc_certificate_facts *facts) {
    memset(facts, 0, sizeof *facts);
    facts->version = (int)X509_get_version(x509) + 1;
    facts->extension_count = X509_get_ext_count(x509);
    facts->key_type = rc_classify_key(X509_get0_pubkey(x509), &facts->key_bits);
    facts->signature_algorithm = classify_signature(x509);
    facts->has_code_signing_purpose = read_code_signing_purpose(x509);
    return seconds_since_1970(X509_get0_notBefore(x509), &facts->not_before)
        && seconds_since_1970(X509_get0_notAfter(x509), &facts->not_after)
        && read_basic_constraints(x509, facts)
        && read_key_usage(x509, facts)
        && rc_certificate_read_digests(der, count, facts);
}

rc_status rc_certificate_parse(const uint8_t *der, size_t count, rc_certificate **out) {
    if (!rc_fits_long(count)) return RC_MALFORMED;
    rc_certificate *certificate = OPENSSL_malloc(sizeof *certificate);
    if (certificate == NULL) return RC_NO_MEMORY;
    RC_BEGIN;
    const uint8_t *end = der;
    certificate->x509 = d2i_X509(NULL, &end, (long)count);
    bool is_read = certificate->x509 != NULL && end == der + count && rc_is_der(certificate->x509, der, count)
        && read_facts(certificate->x509, der, count, &certificate->facts);
    RC_END;
    if (!is_read) {
        rc_certificate_free(certificate);
        return RC_MALFORMED;
    }
    *out = certificate;
    return RC_OK;
}

void rc_certificate_free(rc_certificate *certificate) {
    if (certificate == NULL) return;
    X509_free(certificate->x509);
    OPENSSL_free(certificate);
}

void rc_certificate_get_facts(const rc_certificate *certificate, rc_certificate_facts *facts) {
    *facts = certificate->facts;
}

rc_status rc_certificate_extension(
    const rc_certificate *certificate, int index, char *oid, size_t oid_capacity, bool *critical
) {
    if (!rc_fits_int(oid_capacity)) return RC_UNSUPPORTED;
    X509_EXTENSION *extension = X509_get_ext(certificate->x509, index);
    if (extension == NULL) return RC_NO;
    RC_BEGIN;
    int needed = OBJ_obj2txt(oid, (int)oid_capacity, X509_EXTENSION_get_object(extension), 1);
    *critical = X509_EXTENSION_get_critical(extension) != 0;
    RC_END;
    if (needed <= 0) return RC_MALFORMED;
    return (size_t)needed < oid_capacity ? RC_OK : RC_BUFFER_TOO_SMALL;
}

rc_status rc_certificate_public_key(const rc_certificate *certificate, rc_public_key **out) {
    RC_BEGIN;
    rc_status status = RC_UNSUPPORTED;
    EVP_PKEY *pkey = X509_get0_pubkey(certificate->x509);
    if (pkey != NULL && EVP_PKEY_up_ref(pkey) == 1) status = rc_public_key_take(pkey, out);
    RC_END;
    return status;
}

/// Creates the common name in UTF-8, or the complete name in the form of RFC 2253 if there is no common name.
static rc_status describe_name(const X509_NAME *name, rc_bytes **out) {
    rc_status status = RC_FAULT;
    int index = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
    if (index >= 0) {
        unsigned char *text = NULL;
        int count = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)));
        if (count >= 0) {
            status = rc_bytes_copy(text, (size_t)count, out);
            OPENSSL_free(text);
            return status;
        }
    }
    BIO *bio = BIO_new(BIO_s_mem());
    if (bio != NULL && X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0) {
        char *text = NULL;
        long count = BIO_get_mem_data(bio, &text);
        status = count >= 0 ? rc_bytes_copy(text, (size_t)count, out) : RC_FAULT;
    }
    BIO_free(bio);
    return status;
}

rc_status rc_certificate_subject(const rc_certificate *certificate, rc_bytes **out) {
    RC_BEGIN;
    rc_status status = describe_name(X509_get_subject_name(certificate->x509), out);
    RC_END;
    return status;
}

rc_status rc_certificate_issuer(const rc_certificate *certificate, rc_bytes **out) {
    RC_BEGIN;
    rc_status status = describe_name(X509_get_issuer_name(certificate->x509), out);
    RC_END;
    return status;
}

rc_status rc_certificate_serial(const rc_certificate *certificate, rc_bytes **out) {
    RC_BEGIN;
    rc_status status = RC_FAULT;
    BIGNUM *number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate->x509), NULL);
    char *text = number != NULL ? BN_bn2hex(number) : NULL;
    if (text != NULL) status = rc_bytes_copy(text, strlen(text), out);
    OPENSSL_free(text);
    BN_free(number);
    RC_END;
    return status;
}

rc_status rc_certificate_signature_name(const rc_certificate *certificate, char *name, size_t capacity) {
    if (!rc_fits_int(capacity) || capacity == 0) return RC_UNSUPPORTED;
    RC_BEGIN;
    const X509_ALGOR *algorithm = X509_get0_tbs_sigalg(certificate->x509);
    const ASN1_OBJECT *object = NULL;
    X509_ALGOR_get0(&object, NULL, NULL, algorithm);
    int needed = OBJ_obj2txt(name, (int)capacity, object, 0);
    RC_END;
    return needed > 0 ? RC_OK : RC_MALFORMED;
}

bool rc_certificate_is_self_issued(const rc_certificate *certificate) {
    return rc_certificate_names_issuer(certificate, certificate);
}

bool rc_certificate_names_issuer(const rc_certificate *certificate, const rc_certificate *issuer) {
    RC_BEGIN;
    int order = X509_NAME_cmp(X509_get_issuer_name(certificate->x509), X509_get_subject_name(issuer->x509));
    RC_END;
    return order == 0;
}

bool rc_certificate_is_same_entity(const rc_certificate *left, const rc_certificate *right) {
    RC_BEGIN;
    EVP_PKEY *left_key = X509_get0_pubkey(left->x509), *right_key = X509_get0_pubkey(right->x509);
    bool same = left_key != NULL && right_key != NULL && EVP_PKEY_eq(left_key, right_key) == 1
        && X509_NAME_cmp(X509_get_subject_name(left->x509), X509_get_subject_name(right->x509)) == 0;
    RC_END;
    return same;
}

rc_status rc_certificate_is_signed_by(const rc_certificate *certificate, const rc_certificate *issuer) {
    RC_BEGIN;
    rc_status status = RC_UNSUPPORTED;
    EVP_PKEY *key = X509_get0_pubkey(issuer->x509);
    if (key != NULL) status = X509_verify(certificate->x509, key) == 1 ? RC_OK : RC_NO;
    RC_END;
    if (status == RC_NO && certificate->facts.signature_algorithm == RC_SIGNATURE_RSA_SHA1
        && rc_is_sha1_forbidden(key)) {
        return RC_HASH_FORBIDDEN;
    }
    return status;
}
