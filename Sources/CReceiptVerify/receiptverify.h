/*
** receiptverify.h: the C interface of libreceiptverify, which verifies receipts of the App Store and of Google Play.
**
** The library answers without a network: it checks signature, certificate chain and claims of a receipt against a
** policy, and writes the result as JSON.
**
**     receiptverify_verifier *verifier = NULL;
**     char message[RECEIPTVERIFY_MESSAGE_SIZE];
**     int status = receiptverify_create(policy, policy_length, NULL, 0, &verifier, message, sizeof message);
**     if (status != RECEIPTVERIFY_OK) { fprintf(stderr, "%s\n", message); return 1; }
**     status = receiptverify_verify(verifier, receipt, receipt_length, NULL, 0, write, stdout, message, sizeof message);
**     receiptverify_free(verifier);
**
** THREADS. The library has no global state. Any number of threads can use one verifier at once, and share its cache of
** validated keys. No thread may use a verifier during or after receiptverify_free().
**
** MEMORY. What one side allocates, the other side never frees: results are passed to a function of the caller, and
** messages are written into a buffer of the caller. The library keeps no pointer of the caller after a call returns,
** and does not change what a pointer to const points to.
**
** POINTERS AND LENGTHS. Each pointer to bytes has a length beside it; no text has to end with a zero byte. A length of
** zero allows any pointer, also NULL. NULL with another length, and a length above the limit of the argument, are
** RECEIPTVERIFY_MISUSE.
**
** UNLOADING. The library stays in the process after dlclose(), because threads of its own can still be ending.
**
** FORK. A verifier that no thread used at the time of fork() can be used in the child too.
**
** COMPATIBILITY. Later versions of the library with the same number in their file name (libreceiptverify.so.0) keep
** these functions and constants, and the members of the JSON. They can add functions, members and codes.
*/
#ifndef RECEIPTVERIFY_H
#define RECEIPTVERIFY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
** The version of the library for which this header was written; receiptverify_version() has that of the library itself.
*/
#define RECEIPTVERIFY_VERSION "0.1.0"

/*
** STATUS. Each function that can fail returns one of these. A receipt that is not verified is no failure: the function
** returns RECEIPTVERIFY_OK, and the result has the verdict and its reason.
*/
/* The call has done what it should. */
#define RECEIPTVERIFY_OK 0
/* An argument cannot be used: NULL, a length above its limit, an unknown kind, or text that is not UTF-8. */
#define RECEIPTVERIFY_MISUSE 1
/* The policy cannot be used; the message says where it is wrong, what was expected and what was found. */
#define RECEIPTVERIFY_POLICY 2
/* The function that receives results has returned another value than 0. */
#define RECEIPTVERIFY_STOPPED 3
/* The system has no thread left, or no memory for a part of the work. Where Swift allocates, the process ends instead. */
#define RECEIPTVERIFY_RESOURCES 4

/* The largest policy in bytes. */
#define RECEIPTVERIFY_POLICY_LIMIT 1048576
/* The largest input of receiptverify_verify() in bytes; the largest receipt is smaller. */
#define RECEIPTVERIFY_RECEIPT_LIMIT 16777216
/* The largest input of receiptverify_verify_lines() in bytes. */
#define RECEIPTVERIFY_LINES_LIMIT 1073741824
/* The largest name in bytes: a folder, a kind, or a member of JSON. */
#define RECEIPTVERIFY_NAME_LIMIT 4096
/* The most threads of receiptverify_verify_lines(). */
#define RECEIPTVERIFY_JOBS_LIMIT 1024
/* A size of buffers that has room for nearly every message. */
#define RECEIPTVERIFY_MESSAGE_SIZE 1024

/* For the flags of receiptverify_verify_lines(): the results of verified receipts have the payload. */
#define RECEIPTVERIFY_PAYLOADS 1

/*
** A policy with a cache of validated keys. receiptverify_create() makes it, and receiptverify_free() frees it.
*/
typedef struct receiptverify_verifier receiptverify_verifier;

/*
** Receives a part of a result.
**
** CONTEXT is the pointer that was passed beside the function. BYTES are UTF-8 without a zero byte at the end, and can be
** read until the function returns; LENGTH is at least 1. A return value other than 0 ends the call that passes the
** results, which then returns RECEIPTVERIFY_STOPPED.
**
** The function is called on the thread of that call, one time after the other. It may use the verifier, but not free it.
** It must return: an exception or a longjmp() through the library is undefined behaviour.
*/
typedef int (*receiptverify_write)(void *context, const void *bytes, size_t length);

/*
** The bytes that receiptverify_collect() has received; {0} at the beginning. The caller only reads it.
*/
typedef struct receiptverify_text {
    char *bytes;
    size_t length;
    size_t capacity;
} receiptverify_text;

/*
** A function for WRITE that keeps what it receives in a receiptverify_text, to which CONTEXT points.
**
** Use it where the code of the caller should not run inside a call, for example because it would handle signals there.
** With BYTES NULL, it frees what it has kept, and the text is {0} again; do so for each text. It returns 0, or another
** value if no memory is left.
*/
int receiptverify_collect(void *context, const void *bytes, size_t length);

/*
** Returns the version of the library, such as "0.1.0", with a zero byte at the end. The text is part of the library.
*/
const char *receiptverify_version(void);

/*
** Returns a status in words, such as "an argument cannot be used", with a zero byte at the end. The text is part of the
** library. The result is never NULL.
*/
const char *receiptverify_status_text(int status);

/*
** Creates a verifier.
**
** POLICY is the JSON of a policy file, the same that "verify-receipt --config" reads: schema "verify-receipt/config-1".
** It is used completely or not at all.
**
** FOLDER is the folder of the files that the policy names (roots and keys); an absolute name is used as it is. With a
** FOLDER_LENGTH of 0, no file is read, and a policy that names one is RECEIPTVERIFY_POLICY, also by an absolute name: its
** roots and keys must be in the members "pem" and "playKey".
**
** *VERIFIER is set to the new verifier, or to NULL if the result is not RECEIPTVERIFY_OK.
**
** MESSAGE is a buffer of MESSAGE_SIZE bytes, or NULL with 0. After a failure it has the reason in one line of UTF-8,
** cut if the buffer is too small; otherwise it is empty. It always ends with a zero byte.
*/
int receiptverify_create(
    const void *policy, size_t policy_length,
    const void *folder, size_t folder_length,
    receiptverify_verifier **verifier,
    char *message, size_t message_size);

/*
** Verifies one receipt and passes the result to WRITE, in one call.
**
** RECEIPT is a JWS, JSON that contains a JWS or a Google Play purchase, or an app receipt in DER, base64 or hexadecimal.
** The JSON of a Google Play purchase is {"data": "...", "signature": "..."}, also with other names: the texts of
** getOriginalJson() and getSignature(). An input without a receipt and one with several have a result too, for example
** with the code "not-a-receipt" or "too-many-receipts". Without a receipt the verdict is "undecided", and "identifiers"
** lists what the input names, such as an order ID.
**
** KIND is the kind that the receipt must have, such as "transaction"; with a KIND_LENGTH of 0, each kind that the policy
** accepts. A kind that the policy does not accept is RECEIPTVERIFY_MISUSE.
**
** The result is one JSON object without line breaks, with the schema "verify-receipt/result-1", which is the one that
** "verify-receipt --json" writes; its source is "argument". Its hints and warnings name no option of the command line.
** Give the customer something only if its member "verdict" is "verified".
**
** MESSAGE: see receiptverify_create().
*/
int receiptverify_verify(
    const receiptverify_verifier *verifier,
    const void *receipt, size_t receipt_length,
    const void *kind, size_t kind_length,
    receiptverify_write write, void *context,
    char *message, size_t message_size);

/*
** Verifies many receipts, and passes one result for each line to WRITE, in the order of the lines.
**
** LINES has one receipt in each line; the line break after the last one can be absent. With a FIELD, each line is a JSON
** object, and the receipt is in the member FIELD, which can be a path such as "order.receipt".
** LINES must not change before the call returns; WRITE must not change them either.
**
** JOBS is the number of threads that verify; 0 means one. With more than one, the results are still passed on the
** thread of the call. FLAGS is 0 or RECEIPTVERIFY_PAYLOADS.
**
** Each result is one line of JSON with the schema "verify-receipt/batch-result-1", as "verify-receipt batch
** --every-record" writes it; its source is "lines". Each line has exactly one result, also a blank one (code "empty") and
** one with several receipts (code "too-many-receipts"). WRITE receives whole lines, many at once.
**
** MESSAGE: see receiptverify_create().
*/
int receiptverify_verify_lines(
    const receiptverify_verifier *verifier,
    const void *lines, size_t lines_length,
    const void *field, size_t field_length,
    unsigned int jobs, unsigned int flags,
    receiptverify_write write, void *context,
    char *message, size_t message_size);

/*
** Passes the statistics of a verifier to WRITE, in one call: a JSON object with the schema "receiptverify/statistics-1".
**
** It has "total", the number of results since the verifier was created, "verdicts" and "codes" with the number of
** results for each, and "keyCache" with "entries", "capacity", "hits", "misses", "chainValidations" and "evictions".
** The counts of calls that other threads make at the same time can be missing.
**
** MESSAGE: see receiptverify_create().
*/
int receiptverify_statistics(
    const receiptverify_verifier *verifier,
    receiptverify_write write, void *context,
    char *message, size_t message_size);

/*
** Frees a verifier. NULL is allowed. It must be called exactly once for each verifier, when no call uses it.
*/
void receiptverify_free(receiptverify_verifier *verifier);

#ifdef __cplusplus
}
#endif

#endif
