/*
** Verifies the receipts of files on eight threads with one verifier, and checks that each result is the first one.
**
** usage: threads POLICY ROUNDS RECEIPT...
*/
#include <pthread.h>
#include <receiptverify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, RECEIPTS = 16, ROOM = 65536 };

struct bytes {
    size_t length;
    char text[ROOM];
};

static receiptverify_verifier *verifier;
static struct bytes receipts[RECEIPTS], results[RECEIPTS];
static int receipt_count, rounds;

static int keep(void *context, const void *bytes, size_t length)
{
    struct bytes *result = context;
    if (length > ROOM - result->length) return 1;
    memcpy(result->text + result->length, bytes, length);
    result->length += length;
    return 0;
}

static void verify(int number, struct bytes *result)
{
    result->length = 0;
    if (receiptverify_verify(
            verifier, receipts[number].text, receipts[number].length, NULL, 0, keep, result, NULL, 0)) abort();
}

static void *run(void *argument)
{
    int seed = *(int *)argument;
    struct bytes *result = malloc(sizeof *result);
    if (result == NULL) abort();
    for (int round = 0; round < rounds; round++) {
        int number = (round * 7 + seed) % receipt_count;
        verify(number, result);
        if (result->length != results[number].length || memcmp(result->text, results[number].text, result->length)) {
            printf("another result for receipt %d\n", number);
            exit(1);
        }
        if (round % 50 == seed) {
            result->length = 0;
            if (receiptverify_verify_lines(
                    verifier, receipts[number].text, receipts[number].length, NULL, 0, 2, 0, keep, result, NULL, 0)) abort();
            result->length = 0;
            if (receiptverify_statistics(verifier, keep, result, NULL, 0)) abort();
        }
    }
    free(result);
    return NULL;
}

static void read_file(const char *path, struct bytes *bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) exit(2);
    bytes->length = fread(bytes->text, 1, ROOM, file);
    fclose(file);
}

int main(int argc, char **argv)
{
    static struct bytes policy;
    if (argc < 4 || argc > RECEIPTS + 3) return 2;
    read_file(argv[1], &policy);
    rounds = atoi(argv[2]);
    receipt_count = argc - 3;
    for (int i = 0; i < receipt_count; i++) read_file(argv[3 + i], &receipts[i]);
    char message[256];
    if (receiptverify_create(policy.text, policy.length, ".", 1, &verifier, message, sizeof message))
        return printf("%s\n", message), 1;
    for (int i = 0; i < receipt_count; i++) verify(i, &results[i]);
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, run, &numbers[i])) return 1;
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    receiptverify_free(verifier);
    printf("%d results\n", THREADS * rounds);
    return 0;
}
