#include "rc_internal.h"

const EVP_MD *rc_hash_method(rc_hash hash) {
    switch (hash) {
    case RC_HASH_SHA1: return EVP_sha1();
    case RC_HASH_SHA256: return EVP_sha256();
    case RC_HASH_SHA384: return EVP_sha384();
    case RC_HASH_SHA512: return EVP_sha512();
    }
    return NULL;
}

bool rc_is_sha1_forbidden(EVP_PKEY *pkey) {
    RC_BEGIN;
    EVP_MD_CTX *sha1 = EVP_MD_CTX_new(), *sha256 = EVP_MD_CTX_new();
    // SHA-256 shows that the reason is not the key, or the memory.
    bool is_forbidden = sha1 != NULL && sha256 != NULL
        && EVP_DigestVerifyInit(sha1, NULL, EVP_sha1(), NULL, pkey) != 1
        && EVP_DigestVerifyInit(sha256, NULL, EVP_sha256(), NULL, pkey) == 1;
    EVP_MD_CTX_free(sha1);
    EVP_MD_CTX_free(sha256);
    RC_END;
    return is_forbidden;
}

rc_status rc_rsa_pkcs1_verify(
    const rc_public_key *key, rc_hash hash, const uint8_t *message, size_t message_count, const uint8_t *signature,
    size_t signature_count
) {
    if (key->type != RC_KEY_RSA) return RC_UNSUPPORTED;
    RC_BEGIN;
    rc_status status = RC_FAULT;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *key_context = NULL;
    if (context != NULL
        && EVP_DigestVerifyInit(context, &key_context, rc_hash_method(hash), NULL, key->pkey) == 1
        && EVP_PKEY_CTX_set_rsa_padding(key_context, RSA_PKCS1_PADDING) == 1) {
        // OpenSSL reports a signature of the wrong length as an error; for the caller it does not match.
        int verdict = EVP_DigestVerify(context, signature, signature_count, message, message_count);
        status = verdict == 1 ? RC_OK : RC_NO;
    }
    EVP_MD_CTX_free(context);
    RC_END;
    return status == RC_FAULT && hash == RC_HASH_SHA1 && rc_is_sha1_forbidden(key->pkey) ? RC_HASH_FORBIDDEN : status;
}

rc_status rc_rsa_pkcs1_sign(
    const rc_private_key *key, rc_hash hash, const uint8_t *message, size_t count, rc_bytes **out
) {
    if (key->type != RC_KEY_RSA) return RC_UNSUPPORTED;
    RC_BEGIN;
    rc_status status = RC_FAULT;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *key_context = NULL;
    size_t needed = 0;
    if (context != NULL && EVP_DigestSignInit(context, &key_context, rc_hash_method(hash), NULL, key->pkey) == 1
        && EVP_PKEY_CTX_set_rsa_padding(key_context, RSA_PKCS1_PADDING) == 1
        && EVP_DigestSign(context, NULL, &needed, message, count) == 1) {
        uint8_t *signature = OPENSSL_malloc(needed);
        if (signature != NULL && EVP_DigestSign(context, signature, &needed, message, count) == 1) {
            status = rc_bytes_take(signature, needed, out);
        } else {
            OPENSSL_free(signature);
        }
    }
    EVP_MD_CTX_free(context);
    RC_END;
    return status;
}
