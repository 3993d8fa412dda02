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

void rc_rsa_contexts_free(rc_rsa_contexts *contexts) {
    if (contexts == NULL) return;
    for (size_t hash = 0; hash <= RC_HASH_SHA512; hash++) EVP_MD_CTX_free(atomic_load(&contexts->begun[hash]));
    OPENSSL_free(contexts);
}

static EVP_MD_CTX *copy(const EVP_MD_CTX *context) {
    EVP_MD_CTX *copy = EVP_MD_CTX_new();
    if (copy != NULL && EVP_MD_CTX_copy_ex(copy, context) == 1) return copy;
    EVP_MD_CTX_free(copy);
    return NULL;
}

/// Returns a context with which the verification of a signature begins.
///
/// OpenSSL searches for its algorithms under a lock, so what it finds is kept for the next signature.
static EVP_MD_CTX *begin(const rc_public_key *key, rc_hash hash) {
    EVP_MD_CTX *kept = atomic_load_explicit(&key->contexts->begun[hash], memory_order_acquire);
    if (kept != NULL) return copy(kept);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *key_context = NULL;
    if (context == NULL
        || EVP_DigestVerifyInit(context, &key_context, rc_hash_method(hash), NULL, key->pkey) != 1
        || EVP_PKEY_CTX_set_rsa_padding(key_context, RSA_PKCS1_PADDING) != 1) {
        EVP_MD_CTX_free(context);
        return NULL;
    }
    EVP_MD_CTX *keeping = copy(context);
    if (keeping != NULL && !atomic_compare_exchange_strong(&key->contexts->begun[hash], &kept, keeping)) {
        EVP_MD_CTX_free(keeping);
    }
    return context;
}

rc_status rc_rsa_pkcs1_verify(
    const rc_public_key *key, rc_hash hash, const uint8_t *message, size_t message_count, const uint8_t *signature,
    size_t signature_count
) {
    if (key->type != RC_KEY_RSA || hash > RC_HASH_SHA512) return RC_UNSUPPORTED;
    RC_BEGIN;
    rc_status status = RC_FAULT;
    EVP_MD_CTX *context = begin(key, hash);
    if (context != NULL) {
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
