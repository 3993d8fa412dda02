#include <pthread.h>
#include <string.h>
#include <time.h>

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "measurement.h"

enum { samples = 64 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

typedef struct es256_work {
    EVP_PKEY *key;
    uint8_t digests[samples][32];
    uint8_t signatures[samples][80];
    size_t counts[samples];
    size_t count;
    int failed;
} es256_work;

static int prepare(es256_work *work) {
    work->key = EVP_EC_gen("P-256");
    EVP_PKEY_CTX *context = work->key != NULL ? EVP_PKEY_CTX_new(work->key, NULL) : NULL;
    int done = context != NULL && EVP_PKEY_sign_init(context) == 1;
    for (size_t i = 0; done && i < samples; i++) {
        work->counts[i] = sizeof work->signatures[i];
        done = RAND_bytes(work->digests[i], 32) == 1
            && EVP_PKEY_sign(context, work->signatures[i], &work->counts[i], work->digests[i], 32) == 1;
    }
    EVP_PKEY_CTX_free(context);
    return done;
}

static void *verify(void *argument) {
    es256_work *work = argument;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(work->key, NULL);
    work->failed = context == NULL || EVP_PKEY_verify_init(context) != 1;
    for (size_t i = 0; !work->failed && i < work->count; i++) {
        size_t k = i % samples;
        work->failed = EVP_PKEY_verify(context, work->signatures[k], work->counts[k], work->digests[k], 32) != 1;
    }
    EVP_PKEY_CTX_free(context);
    return NULL;
}

double raw_es256_seconds(size_t count, size_t threads) {
    enum { most_threads = 64 };
    static es256_work work[most_threads];
    pthread_t handles[most_threads];
    if (threads < 1 || threads > most_threads) return -1;
    for (size_t i = 0; i < threads; i++) {
        if (work[i].key == NULL && !prepare(&work[i])) return -1;
        work[i].count = count;
    }
    double start = now();
    size_t started = 1;
    while (started < threads && pthread_create(&handles[started], NULL, verify, &work[started]) == 0) started++;
    verify(&work[0]);
    int failed = work[0].failed || started < threads;
    for (size_t i = 1; i < started; i++) {
        pthread_join(handles[i], NULL);
        failed = failed || work[i].failed;
    }
    return failed ? -1 : now() - start;
}

double raw_rsa_seconds(size_t count, size_t message_count) {
    uint8_t message[4096], signature[256];
    size_t signature_count = sizeof signature;
    if (message_count > sizeof message) return -1;
    memset(message, 'm', sizeof message);
    EVP_PKEY *key = EVP_RSA_gen(2048);
    EVP_MD *hash = EVP_MD_fetch(NULL, "SHA1", NULL);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = key != NULL && hash != NULL && context != NULL
        && EVP_DigestSignInit(context, NULL, hash, NULL, key) == 1
        && EVP_DigestSign(context, signature, &signature_count, message, message_count) == 1;
    double start = now();
    for (size_t i = 0; done && i < count; i++) {
        done = EVP_DigestVerifyInit(context, NULL, hash, NULL, key) == 1
            && EVP_DigestVerify(context, signature, signature_count, message, message_count) == 1;
    }
    double seconds = now() - start;
    EVP_MD_CTX_free(context);
    EVP_MD_free(hash);
    EVP_PKEY_free(key);
    return done ? seconds : -1;
}

double raw_chain_seconds(const raw_certificate chain[3], size_t count) {
    double start = now();
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
    return done ? now() - start : -1;
}
