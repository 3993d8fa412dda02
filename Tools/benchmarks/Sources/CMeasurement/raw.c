#include <pthread.h>

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "measurement.h"

// Several signatures, so that branch prediction does not make repeated ones look too fast.
enum { sample_count = 64, maximum_threads = 64, kind_count = 3 };

typedef struct raw_work {
    raw_kind kind;
    EVP_PKEY *key;
    uint8_t digests[sample_count][32];
    size_t digest_count;
    uint8_t signatures[sample_count][256];
    size_t signature_counts[sample_count];
    size_t count;
    int has_failed;
} raw_work;

static int set_up(const raw_work *work, EVP_PKEY_CTX *context) {
    if (work->kind == raw_es256) return 1;
    const EVP_MD *digest = work->kind == raw_rsa_sha1 ? EVP_sha1() : EVP_sha256();
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        && EVP_PKEY_CTX_set_signature_md(context, digest) == 1;
}

static int prepare(raw_work *work, raw_kind kind) {
    work->kind = kind;
    work->digest_count = kind == raw_rsa_sha1 ? 20 : 32;
    EVP_PKEY *key = kind == raw_es256 ? EVP_EC_gen("P-256") : EVP_RSA_gen(2048);
    EVP_PKEY_CTX *context = key != NULL ? EVP_PKEY_CTX_new(key, NULL) : NULL;
    int done = context != NULL && EVP_PKEY_sign_init(context) == 1 && set_up(work, context);
    for (size_t i = 0; done && i < sample_count; i++) {
        work->signature_counts[i] = sizeof work->signatures[i];
        done = RAND_bytes(work->digests[i], (int)work->digest_count) == 1
            && EVP_PKEY_sign(
                context, work->signatures[i], &work->signature_counts[i], work->digests[i], work->digest_count
            ) == 1;
    }
    EVP_PKEY_CTX_free(context);
    if (done) {
        work->key = key;
    } else {
        EVP_PKEY_free(key);
    }
    return done;
}

static void *verify(void *argument) {
    raw_work *work = argument;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(work->key, NULL);
    int done = context != NULL && EVP_PKEY_verify_init(context) == 1 && set_up(work, context);
    for (size_t i = 0; done && i < work->count; i++) {
        size_t k = i % sample_count;
        done = EVP_PKEY_verify(
            context, work->signatures[k], work->signature_counts[k], work->digests[k], work->digest_count
        ) == 1;
    }
    EVP_PKEY_CTX_free(context);
    work->has_failed = !done;
    return NULL;
}

int raw_verify(raw_kind kind, size_t count, size_t threads) {
    // Kept until the process exits, so that each thread's key is created once.
    static raw_work works[kind_count][maximum_threads];
    pthread_t handles[maximum_threads];
    if (threads < 1 || threads > maximum_threads) return 0;
    raw_work *work = works[kind];
    for (size_t i = 0; i < threads; i++) {
        if (work[i].key == NULL && !prepare(&work[i], kind)) return 0;
        work[i].count = count;
    }
    size_t started = 1;
    while (started < threads && pthread_create(&handles[started], NULL, verify, &work[started]) == 0) started++;
    verify(&work[0]);
    int has_failed = work[0].has_failed || started < threads;
    for (size_t i = 1; i < started; i++) {
        pthread_join(handles[i], NULL);
        has_failed = has_failed || work[i].has_failed;
    }
    return !has_failed;
}

int raw_validate_chain(const raw_certificate chain[3], size_t count) {
    int done = 1;
    for (size_t i = 0; done && i < count; i++) {
        X509 *certificates[3] = {NULL, NULL, NULL};
        for (size_t k = 0; k < 3; k++) {
            const unsigned char *bytes = chain[k].der;
            certificates[k] = d2i_X509(NULL, &bytes, (long)chain[k].count);
            done = done && certificates[k] != NULL;
        }
        for (size_t k = 0; done && k < 2; k++) {
            done = X509_verify(certificates[k], X509_get0_pubkey(certificates[k + 1])) == 1;
        }
        for (size_t k = 0; k < 3; k++) X509_free(certificates[k]);
    }
    return done;
}
