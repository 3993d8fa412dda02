#include "rc_internal.h"

rc_status rc_certificate_builder_new(rc_certificate_builder **out) {
    rc_certificate_builder *builder = OPENSSL_malloc(sizeof *builder);
    if (builder == NULL) return RC_NO_MEMORY;
    RC_BEGIN;
    builder->x509 = X509_new();
    RC_END;
    if (builder->x509 == NULL) {
        OPENSSL_free(builder);
        return RC_NO_MEMORY;
    }
    *out = builder;
    return RC_OK;
}

void rc_certificate_builder_free(rc_certificate_builder *builder) {
    if (builder == NULL) return;
    X509_free(builder->x509);
    OPENSSL_free(builder);
}

rc_status rc_certificate_builder_set_version(rc_certificate_builder *builder, int version) {
    if (version < 1 || version > 3) return RC_UNSUPPORTED;
    RC_BEGIN;
    int done = X509_set_version(builder->x509, version - 1);
    RC_END;
    return done == 1 ? RC_OK : RC_FAULT;
}

rc_status rc_certificate_builder_set_serial(rc_certificate_builder *builder, const uint8_t *serial, size_t count) {
    if (!rc_fits_int(count)) return RC_UNSUPPORTED;
    RC_BEGIN;
    BIGNUM *number = BN_bin2bn(serial, (int)count, NULL);
    bool done = number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(builder->x509)) != NULL;
    BN_free(number);
    RC_END;
    return done ? RC_OK : RC_FAULT;
}

/// Stores a date: UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280 4.1.2.5).
static bool set_time(ASN1_TIME *time, int64_t seconds) {
    int64_t days = seconds / 86400, rest = seconds % 86400;
    if (days < INT_MIN || days > INT_MAX) return false;
    return ASN1_TIME_adj(time, 0, (int)days, (long)rest) != NULL;
}

rc_status rc_certificate_builder_set_validity(rc_certificate_builder *builder, int64_t not_before, int64_t not_after) {
    RC_BEGIN;
    bool done = set_time(X509_getm_notBefore(builder->x509), not_before)
        && set_time(X509_getm_notAfter(builder->x509), not_after);
    RC_END;
    return done ? RC_OK : RC_UNSUPPORTED;
}

rc_status rc_certificate_builder_add_name(
    rc_certificate_builder *builder, bool to_issuer, const char *attribute, bool is_printable, const uint8_t *value,
    size_t count
) {
    if (!rc_fits_int(count)) return RC_UNSUPPORTED;
    RC_BEGIN;
    X509_NAME *name = to_issuer ? X509_get_issuer_name(builder->x509) : X509_get_subject_name(builder->x509);
    int type = is_printable ? V_ASN1_PRINTABLESTRING : MBSTRING_UTF8;
    int done = X509_NAME_add_entry_by_txt(name, attribute, type, value, (int)count, -1, 0);
    RC_END;
    return done == 1 ? RC_OK : RC_UNSUPPORTED;
}

rc_status rc_certificate_builder_set_public_key(rc_certificate_builder *builder, const rc_public_key *key) {
    RC_BEGIN;
    int done = X509_set_pubkey(builder->x509, key->pkey);
    RC_END;
    return done == 1 ? RC_OK : RC_FAULT;
}

static rc_status add_extension(rc_certificate_builder *builder, X509_EXTENSION *extension) {
    if (extension == NULL) return RC_UNSUPPORTED;
    int done = X509_add_ext(builder->x509, extension, -1);
    X509_EXTENSION_free(extension);
    return done == 1 ? RC_OK : RC_FAULT;
}

rc_status rc_certificate_builder_add_extension(rc_certificate_builder *builder, const char *name, const char *value) {
    RC_BEGIN;
    X509V3_CTX context;
    X509V3_set_ctx(&context, NULL, builder->x509, NULL, NULL, 0);
    rc_status status = add_extension(builder, X509V3_EXT_nconf(NULL, &context, name, value));
    RC_END;
    return status;
}

rc_status rc_certificate_builder_add_raw_extension(
    rc_certificate_builder *builder, const char *oid, bool critical, const uint8_t *der, size_t count
) {
    if (!rc_fits_int(count)) return RC_UNSUPPORTED;
    RC_BEGIN;
    rc_status status = RC_UNSUPPORTED;
    ASN1_OBJECT *object = OBJ_txt2obj(oid, 1);
    ASN1_OCTET_STRING *value = ASN1_OCTET_STRING_new();
    if (object != NULL && value != NULL && ASN1_OCTET_STRING_set(value, der, (int)count) == 1) {
        status = add_extension(builder, X509_EXTENSION_create_by_OBJ(NULL, object, critical ? 1 : 0, value));
    }
    ASN1_OCTET_STRING_free(value);
    ASN1_OBJECT_free(object);
    RC_END;
    return status;
}

/// Stores the SHA-1 of a subjectPublicKey, the key identifier of RFC 5280 4.2.1.2 (1).
///
/// The hash names a key; no signature depends on it.
static bool set_key_identifier(ASN1_OCTET_STRING *identifier, X509_PUBKEY *key) {
    const unsigned char *bits = NULL;
    int count = 0;
    if (X509_PUBKEY_get0_param(NULL, &bits, &count, NULL, key) != 1 || bits == NULL || count < 0) return false;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int digest_count = 0;
    return EVP_Digest(bits, (size_t)count, digest, &digest_count, EVP_sha1(), NULL) == 1
        && ASN1_OCTET_STRING_set(identifier, digest, (int)digest_count) == 1;
}

/// Adds an extension that is not critical (RFC 5280 4.2.1.1 and 4.2.1.2).
static bool add_identifier(rc_certificate_builder *builder, int nid, void *value) {
    return X509_add1_ext_i2d(builder->x509, nid, value, 0, X509V3_ADD_DEFAULT) == 1;
}

rc_status rc_certificate_builder_add_subject_key_identifier(rc_certificate_builder *builder) {
    RC_BEGIN;
    ASN1_OCTET_STRING *identifier = ASN1_OCTET_STRING_new();
    bool done = identifier != NULL && set_key_identifier(identifier, X509_get_X509_PUBKEY(builder->x509))
        && add_identifier(builder, NID_subject_key_identifier, identifier);
    ASN1_OCTET_STRING_free(identifier);
    RC_END;
    return done ? RC_OK : RC_FAULT;
}

rc_status rc_certificate_builder_add_authority_key_identifier(
    rc_certificate_builder *builder, const rc_public_key *issuer_key
) {
    RC_BEGIN;
    X509_PUBKEY *key = NULL;
    AUTHORITY_KEYID *authority = AUTHORITY_KEYID_new();
    bool done = false;
    if (authority != NULL && X509_PUBKEY_set(&key, issuer_key->pkey) == 1) {
        authority->keyid = ASN1_OCTET_STRING_new();
        done = authority->keyid != NULL && set_key_identifier(authority->keyid, key)
            && add_identifier(builder, NID_authority_key_identifier, authority);
    }
    AUTHORITY_KEYID_free(authority);
    X509_PUBKEY_free(key);
    RC_END;
    return done ? RC_OK : RC_FAULT;
}

rc_status rc_certificate_builder_sign(
    rc_certificate_builder *builder, const rc_private_key *issuer_key, rc_hash hash, rc_bytes **out
) {
    RC_BEGIN;
    rc_status status = RC_FAULT;
    if (X509_sign(builder->x509, issuer_key->pkey, rc_hash_method(hash)) > 0) {
        uint8_t *der = NULL;
        int count = i2d_X509(builder->x509, &der);
        if (count > 0) status = rc_bytes_take(der, (size_t)count, out);
    }
    RC_END;
    return status;
}
