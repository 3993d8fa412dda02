/* Calls each function with arguments that cannot be used; prints the first one that is not refused as it should be. */
#include <receiptverify.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number;

static void expect(int status, int expected, const char *what)
{
    number++;
    if (status == expected) return;
    printf("call %d, %s: %d instead of %d\n", number, what, status, expected);
    exit(1);
}

static int count(void *total, const void *bytes, size_t length)
{
    if (bytes == NULL || length == 0) exit(1);
    *(size_t *)total += length;
    return 0;
}

static int stop(void *calls, const void *bytes, size_t length)
{
    (void)bytes;
    (void)length;
    ++*(int *)calls;
    return -1;
}

int main(int argc, char **argv)
{
    static char policy[RECEIPTVERIFY_POLICY_LIMIT];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) return 2;
    size_t length = fread(policy, 1, sizeof policy, file);
    fclose(file);

    receiptverify_verifier *verifier = (receiptverify_verifier *)policy;
    char message[64];
    const size_t size = sizeof message;
    const int misuse = RECEIPTVERIFY_MISUSE;
    size_t total = 0;

    expect(receiptverify_create(NULL, 1, NULL, 0, &verifier, message, size), misuse, "no policy");
    if (verifier != NULL) return printf("a verifier without a policy\n"), 1;
    expect(receiptverify_create(policy, length, NULL, 0, NULL, message, size), misuse, "no place");
    expect(receiptverify_create(policy, SIZE_MAX, NULL, 0, &verifier, message, size), misuse, "a huge policy");
    expect(receiptverify_create(policy, (size_t)PTRDIFF_MAX, NULL, 0, &verifier, message, size), misuse, "a large one");
    expect(receiptverify_create(policy, RECEIPTVERIFY_POLICY_LIMIT + 1, NULL, 0, &verifier, message, size), misuse, "over");
    expect(receiptverify_create(policy, length, NULL, 1, &verifier, message, size), misuse, "no folder");
    expect(receiptverify_create(policy, length, "\xff", 1, &verifier, message, size), misuse, "a folder without UTF-8");
    expect(receiptverify_create(policy, length, "a\0b", 3, &verifier, message, size), misuse, "a zero byte");
    expect(receiptverify_create(policy, length, NULL, 0, &verifier, NULL, 1), misuse, "no message buffer");
    expect(receiptverify_create(policy, length, NULL, 0, &verifier, message, 0), misuse, "no size");
    expect(receiptverify_create(policy, length, NULL, 0, &verifier, message, SIZE_MAX), misuse, "a huge size");
    expect(receiptverify_create("{}", 2, NULL, 0, &verifier, NULL, 0), RECEIPTVERIFY_POLICY, "an empty policy");
    expect(receiptverify_create(NULL, 0, NULL, 0, &verifier, NULL, 0), RECEIPTVERIFY_POLICY, "no text");
    for (size_t room = 1; room <= size; room++) {
        memset(message, 'x', size);
        expect(receiptverify_create("{\"\xc3\xa4\":1}", 8, NULL, 0, &verifier, message, room), RECEIPTVERIFY_POLICY, "cut");
        if (strlen(message) >= room) return printf("a message without an end\n"), 1;
    }
    expect(receiptverify_create(policy, length, NULL, 0, &verifier, message, size), RECEIPTVERIFY_OK, "the policy");
    if (message[0] != 0) return printf("a message without a failure: %s\n", message), 1;

    expect(receiptverify_verify(NULL, "a", 1, NULL, 0, count, &total, message, size), misuse, "no verifier");
    expect(receiptverify_verify(verifier, NULL, 1, NULL, 0, count, &total, message, size), misuse, "no receipt");
    expect(receiptverify_verify(verifier, "a", SIZE_MAX, NULL, 0, count, &total, message, size), misuse, "huge");
    expect(receiptverify_verify(verifier, "a", 1, NULL, 0, NULL, NULL, message, size), misuse, "no function");
    expect(receiptverify_verify(verifier, "a", 1, "gift", 4, count, &total, message, size), misuse, "no such kind");
    expect(receiptverify_verify(verifier, "a", 1, NULL, 4, count, &total, message, size), misuse, "no kind");
    expect(receiptverify_verify_lines(NULL, "a", 1, NULL, 0, 1, 0, count, &total, message, size), misuse, "no verifier");
    expect(receiptverify_verify_lines(verifier, NULL, 9, NULL, 0, 1, 0, count, &total, message, size), misuse, "no lines");
    expect(receiptverify_verify_lines(verifier, "a", 1, NULL, 2, 1, 0, count, &total, message, size), misuse, "no field");
    expect(receiptverify_verify_lines(verifier, "a", 1, NULL, 0, 1025, 0, count, &total, message, size), misuse, "jobs");
    expect(receiptverify_verify_lines(verifier, "a", 1, NULL, 0, 1, 2, count, &total, message, size), misuse, "a flag");
    expect(receiptverify_verify_lines(verifier, "a", 1, NULL, 0, 1, 0, NULL, &total, message, size), misuse, "no function");
    expect(receiptverify_statistics(NULL, count, &total, message, size), misuse, "no verifier");
    expect(receiptverify_statistics(verifier, NULL, &total, message, size), misuse, "no function");
    if (total != 0) return printf("a result of a call that was refused\n"), 1;

    expect(receiptverify_verify(verifier, NULL, 0, NULL, 0, count, &total, NULL, 0), RECEIPTVERIFY_OK, "nothing");
    expect(receiptverify_verify_lines(verifier, "\n\n", 2, NULL, 0, 0, 0, count, &total, NULL, 0), RECEIPTVERIFY_OK, "lines");
    expect(receiptverify_statistics(verifier, count, &total, NULL, 0), RECEIPTVERIFY_OK, "statistics");
    if (total == 0) return printf("no result\n"), 1;

    receiptverify_text text = {0};
    for (int call = 0; call < 3; call++)
        expect(receiptverify_statistics(verifier, receiptverify_collect, &text, NULL, 0), RECEIPTVERIFY_OK, "collected");
    if (text.length < 3 || memcmp(text.bytes, "{", 1) != 0) return printf("no collected text\n"), 1;
    size_t kept = text.length;
    if (receiptverify_collect(NULL, "a", 1) == 0) return printf("a text that is NULL\n"), 1;
    if (receiptverify_collect(&text, "a", SIZE_MAX) == 0) return printf("a huge part\n"), 1;
    if (receiptverify_collect(&text, "a", (size_t)PTRDIFF_MAX) == 0) return printf("a large part\n"), 1;
    if (receiptverify_collect(&text, "a", 0) != 0 || text.length != kept) return printf("a change\n"), 1;
    for (int call = 0; call < 2; call++)
        if (receiptverify_collect(&text, NULL, 0) != 0 || text.bytes != NULL || text.length != 0 || text.capacity != 0)
            return printf("a text that is not freed\n"), 1;

    int calls = 0;
    expect(receiptverify_verify(verifier, "a", 1, NULL, 0, stop, &calls, message, size), RECEIPTVERIFY_STOPPED, "stopped");
    for (unsigned int jobs = 0; jobs < 3; jobs++) {
        static char lines[3 << 20];
        memset(lines, '\n', sizeof lines);
        expect(receiptverify_verify_lines(verifier, lines, sizeof lines, NULL, 0, jobs, 0, stop, &calls, message, size),
               RECEIPTVERIFY_STOPPED, "lines");
    }
    if (calls != 4) return printf("%d calls after a stop\n", calls), 1;

    // A thread of a call that was stopped still reads the long line when the lines are freed.
    size_t room = 64 << 20;
    char *lines = malloc(room);
    if (lines == NULL) return printf("no memory\n"), 1;
    memset(lines, 'a', room);
    lines[0] = '\n';
    expect(receiptverify_verify_lines(verifier, lines, room, NULL, 0, 2, 0, stop, &calls, message, size),
           RECEIPTVERIFY_STOPPED, "freed lines");
    free(lines);

    for (int status = -1; status <= 5; status++)
        if (strlen(receiptverify_status_text(status)) < 8) return printf("no text\n"), 1;
    if (strcmp(receiptverify_version(), RECEIPTVERIFY_VERSION) != 0) return printf("another version\n"), 1;
    receiptverify_free(NULL);
    receiptverify_free(verifier);
    printf("%d calls\n", number);
    return 0;
}
