#include "rc_internal.h"

static rc_status take_private_key(EVP_PKEY *pkey, rc_private_key **out) {
    rc_private_key *key = OPENSSL_malloc(sizeof *key);
    if (key == NULL) {
        EVP_PKEY_free(pkey);
        return RC_NO_MEMORY;
    }
    int bits;
    key->pkey = pkey;
    key->type = rc_classify_key(pkey, &bits);
    *out = key;
    return RC_OK;
}

rc_status rc_private_key_generate(rc_key_type type, int rsa_bits, rc_private_key **out) {
    RC_BEGIN;
    EVP_PKEY *pkey = NULL;
    switch (type) {
    case RC_KEY_P256: pkey = EVP_EC_gen("P-256"); break;
    case RC_KEY_P384: pkey = EVP_EC_gen("P-384"); break;
    case RC_KEY_P521: pkey = EVP_EC_gen("P-521"); break;
    case RC_KEY_RSA:
        if (rsa_bits > 0) pkey = EVP_RSA_gen((unsigned int)rsa_bits);
        break;
    case RC_KEY_OTHER: break;
    }
    rc_status status = pkey != NULL ? take_private_key(pkey, out) : RC_UNSUPPORTED;
    RC_END;
    return status;
}

rc_status rc_private_key_from_pkcs8(const uint8_t *der, size_t count, rc_private_key **out) {
    if (!rc_fits_long(count)) return RC_MALFORMED;
    RC_BEGIN;
    rc_status status = RC_MALFORMED;
    const uint8_t *end = der;
    PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &end, (long)count);
    if (info != NULL && end == der + count) {
        EVP_PKEY *pkey = EVP_PKCS82PKEY(info);
        if (pkey != NULL) status = take_private_key(pkey, out);
    }
    PKCS8_PRIV_KEY_INFO_free(info);
    RC_END;
    return status;
}

/// OpenSSL asks for the passphrase of an encrypted key. There is none, and nothing asks on the terminal.
static int note_passphrase_request(char *buffer, int capacity, int is_for_writing, void *was_asked) {
    (void)buffer, (void)capacity, (void)is_for_writing;
    *(bool *)was_asked = true;
    return -1;
}

rc_status rc_private_key_from_pem(const uint8_t *text, size_t count, rc_private_key **out) {
    if (!rc_fits_int(count)) return RC_MALFORMED;
    RC_BEGIN;
    rc_status status = RC_NO_MEMORY;
    BIO *bio = BIO_new_mem_buf(text, (int)count);
    if (bio != NULL) {
        bool was_asked = false;
        EVP_PKEY *pkey = PEM_read_bio_PrivateKey(bio, NULL, note_passphrase_request, &was_asked);
        if (pkey != NULL) {
            status = take_private_key(pkey, out);
        } else {
            status = was_asked ? RC_UNSUPPORTED : RC_MALFORMED;
        }
        BIO_free(bio);
    }
    RC_END;
    return status;
}

void rc_private_key_free(rc_private_key *key) {
    if (key == NULL) return;
    EVP_PKEY_free(key->pkey);
    OPENSSL_free(key);
}

rc_status rc_private_key_pkcs8(const rc_private_key *key, rc_bytes **out) {
    RC_BEGIN;
    rc_status status = RC_FAULT;
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key->pkey);
    if (info != NULL) {
        uint8_t *der = NULL;
        int count = i2d_PKCS8_PRIV_KEY_INFO(info, &der);
        if (count > 0) status = rc_bytes_take(der, (size_t)count, out);
    }
    PKCS8_PRIV_KEY_INFO_free(info);
    RC_END;
    return status;
}

rc_status rc_private_key_public_key(const rc_private_key *key, rc_public_key **out) {
    RC_BEGIN;
    // The key is encoded and read back so that the public handle does not share the EVP_PKEY with the private half.
    rc_status status = RC_FAULT;
    uint8_t *der = NULL;
    int count = i2d_PUBKEY(key->pkey, &der);
    if (count > 0) status = rc_public_key_from_spki(der, (size_t)count, out);
    OPENSSL_free(der);
    RC_END;
    return status;
}
