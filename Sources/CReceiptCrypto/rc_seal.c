#include "rc_internal.h"

static rc_status crypt(
    int encrypt, const uint8_t *key, const uint8_t *nonce, const uint8_t *associated, size_t associated_count,
    const uint8_t *in, size_t count, uint8_t *tag, uint8_t *out
) {
    if (!rc_fits_int(count) || !rc_fits_int(associated_count)) return RC_UNSUPPORTED;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context == NULL) return RC_NO_MEMORY;
    int written = 0;
    // Empty updates are skipped: OpenSSL takes a null input for the end of the message.
    bool is_processed = EVP_CipherInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce, encrypt) == 1
        && (encrypt || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, RC_SEAL_TAG_COUNT, tag) == 1)
        && (associated_count == 0 || EVP_CipherUpdate(context, NULL, &written, associated, (int)associated_count) == 1)
        && (count == 0 || EVP_CipherUpdate(context, out, &written, in, (int)count) == 1);
    rc_status status = RC_FAULT;
    if (is_processed) {
        bool is_final = EVP_CipherFinal_ex(context, out + count, &written) == 1;
        if (encrypt) {
            if (is_final && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, RC_SEAL_TAG_COUNT, tag) == 1) {
                status = RC_OK;
            }
        } else {
            // When decrypting, the final call compares the tags.
            status = is_final ? RC_OK : RC_NO;
        }
    }
    EVP_CIPHER_CTX_free(context);
    return status;
}

rc_status rc_seal(
    const uint8_t key[RC_SEAL_KEY_COUNT], const uint8_t nonce[RC_SEAL_NONCE_COUNT], const uint8_t *associated,
    size_t associated_count, const uint8_t *plaintext, size_t count, uint8_t *out
) {
    RC_BEGIN;
    rc_status status = crypt(1, key, nonce, associated, associated_count, plaintext, count, out + count, out);
    RC_END;
    return status;
}

rc_status rc_unseal(
    const uint8_t key[RC_SEAL_KEY_COUNT], const uint8_t nonce[RC_SEAL_NONCE_COUNT], const uint8_t *associated,
    size_t associated_count, const uint8_t *sealed, size_t count, uint8_t *out
) {
    if (count < RC_SEAL_TAG_COUNT) return RC_MALFORMED;
    size_t plain_count = count - RC_SEAL_TAG_COUNT;
    RC_BEGIN;
    uint8_t tag[RC_SEAL_TAG_COUNT];
    memcpy(tag, sealed + plain_count, RC_SEAL_TAG_COUNT);
    rc_status status = crypt(0, key, nonce, associated, associated_count, sealed, plain_count, tag, out);
    if (status != RC_OK) OPENSSL_cleanse(out, plain_count);
    RC_END;
    return status;
}
