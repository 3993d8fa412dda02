/*
** Measures what a receipt costs in a call from C, beside a bare P-256 verification of OpenSSL in the same process.
**
** usage: calls POLICY RECEIPT ROUNDS
**
** RECEIPT is a file with one receipt. Prints the shortest time in nanoseconds that a call took on average in a round,
** for the library and for OpenSSL.
*/
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <receiptverify.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 2000, ROOM = 1 << 20 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static size_t read_file(const char *path, char *text)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) { perror(path); exit(2); }
    size_t length = fread(text, 1, ROOM, file);
    fclose(file);
    return length;
}

static int count(void *context, const void *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)context += length;
    return 0;
}

int main(int argc, char **argv)
{
    static char policy[ROOM], receipt[ROOM];
    static unsigned char digest[32] = { 1 }, signature[80];
    if (argc != 4) return 2;
    size_t policy_length = read_file(argv[1], policy), length = read_file(argv[2], receipt);
    /* A receipt ends where its line does. */
    while (length > 0 && receipt[length - 1] == '\n') length--;
    receiptverify_verifier *verifier = NULL;
    char message[1024] = "";
    if (receiptverify_create(policy, policy_length, NULL, 0, &verifier, message, sizeof message)) {
        fprintf(stderr, "calls: %s\n", message);
        return 2;
    }
    EVP_PKEY *key = EVP_EC_gen("P-256");
    EVP_PKEY_CTX *context = key != NULL ? EVP_PKEY_CTX_new(key, NULL) : NULL;
    size_t signature_length = sizeof signature;
    if (context == NULL || EVP_PKEY_sign_init(context) != 1
        || EVP_PKEY_sign(context, signature, &signature_length, digest, sizeof digest) != 1
        || EVP_PKEY_verify_init(context) != 1) return 2;
    double call = 1e12, raw = 1e12;
    for (int round = 0; round < atoi(argv[3]); round++) {
        size_t written = 0;
        double start = now();
        for (int i = 0; i < CALLS; i++) {
            if (receiptverify_verify(
                    verifier, receipt, length, NULL, 0, count, &written, message, sizeof message)) return 2;
        }
        double middle = now();
        for (int i = 0; i < CALLS; i++) {
            if (EVP_PKEY_verify(context, signature, signature_length, digest, sizeof digest) != 1) return 2;
        }
        double end = now();
        if (written == 0) return 2;
        if ((middle - start) / CALLS < call) call = (middle - start) / CALLS;
        if ((end - middle) / CALLS < raw) raw = (end - middle) / CALLS;
    }
    printf("%.0f %.0f\n", call, raw);
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(key);
    receiptverify_free(verifier);
    return 0;
}
