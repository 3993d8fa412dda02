#include "rc_internal.h"

/// Creates a context with a key: it finds the implementation and expands the key, which takes longer than to process a
/// short message.
static rc_status create_context(int encrypt, const uint8_t *key, EVP_CIPHER_CTX **out) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context == NULL) return RC_NO_MEMORY;
    if (EVP_CipherInit_ex(context, EVP_aes_256_gcm(), NULL, key, NULL, encrypt) != 1) {
        EVP_CIPHER_CTX_free(context);
        return RC_FAULT;
    }
    *out = context;
    return RC_OK;
}

static rc_status crypt(
    EVP_CIPHER_CTX *context, int encrypt, const uint8_t *nonce, const uint8_t *associated, size_t associated_count,
    const uint8_t *in, size_t count, uint8_t *tag, uint8_t *out
) {
    if (!rc_fits_int(count) || !rc_fits_int(associated_count)) return RC_UNSUPPORTED;
    int written = 0;
    // A new nonce begins a new message. Empty updates are skipped: OpenSSL takes a null input for the end of the message.
    bool is_processed = EVP_CipherInit_ex(context, NULL, NULL, NULL, nonce, encrypt) == 1
        && (encrypt || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, RC_SEAL_TAG_COUNT, tag) == 1)
        && (associated_count == 0 || EVP_CipherUpdate(context, NULL, &written, associated, (int)associated_count) == 1)
        && (count == 0 || EVP_CipherUpdate(context, out, &written, in, (int)count) == 1);
    if (!is_processed) return RC_FAULT;
    bool is_final = EVP_CipherFinal_ex(context, out + count, &written) == 1;
    // When decrypting, the final call compares the tags.
    if (!encrypt) return is_final ? RC_OK : RC_NO;
    return is_final && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, RC_SEAL_TAG_COUNT, tag) == 1 ? RC_OK : RC_FAULT;
}

rc_status rc_seal(
    const uint8_t key[RC_SEAL_KEY_COUNT], const uint8_t nonce[RC_SEAL_NONCE_COUNT], const uint8_t *associated,
    size_t associated_count, const uint8_t *plaintext, size_t count, uint8_t *out
) {
    RC_BEGIN;
    EVP_CIPHER_CTX *context = NULL;
    rc_status status = create_context(1, key, &context);
    if (status == RC_OK) {
        status = crypt(context, 1, nonce, associated, associated_count, plaintext, count, out + count, out);
    }
    EVP_CIPHER_CTX_free(context);
    RC_END;
    return status;
}

rc_status rc_unsealer_new(const uint8_t key[RC_SEAL_KEY_COUNT], rc_unsealer **out) {
    rc_unsealer *unsealer = OPENSSL_malloc(sizeof *unsealer);
    if (unsealer == NULL) return RC_NO_MEMORY;
    unsealer->context = NULL;
    RC_BEGIN;
    rc_status status = create_context(0, key, &unsealer->context);
    RC_END;
    if (status == RC_OK) {
        *out = unsealer;
    } else {
        rc_unsealer_free(unsealer);
    }
    return status;
}

void rc_unsealer_free(rc_unsealer *unsealer) {
    if (unsealer == NULL) return;
    // OpenSSL wipes the key.
    EVP_CIPHER_CTX_free(unsealer->context);
    OPENSSL_free(unsealer);
}

rc_status rc_unsealer_open(
    rc_unsealer *unsealer, const uint8_t nonce[RC_SEAL_NONCE_COUNT], const uint8_t *associated, size_t associated_count,
    const uint8_t *sealed, size_t count, uint8_t *out
) {
    if (count < RC_SEAL_TAG_COUNT) return RC_MALFORMED;
    size_t plain_count = count - RC_SEAL_TAG_COUNT;
    RC_BEGIN;
    uint8_t tag[RC_SEAL_TAG_COUNT];
    memcpy(tag, sealed + plain_count, RC_SEAL_TAG_COUNT);
    rc_status status =
        crypt(unsealer->context, 0, nonce, associated, associated_count, sealed, plain_count, tag, out);
    if (status != RC_OK) OPENSSL_cleanse(out, plain_count);
    RC_END;
    return status;
}
