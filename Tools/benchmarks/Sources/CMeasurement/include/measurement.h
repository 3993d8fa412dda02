// What OpenSSL does by itself, and what a process needs: the measures that everything else is compared with.
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include <stddef.h>
#include <stdint.h>

/// Seconds for `count` ES256 verifications by EVP on each of `threads` threads, with key, context and signatures kept:
/// the fastest that OpenSSL's plain way can be. Below zero when something failed.
double raw_es256_seconds(size_t count, size_t threads);

/// The same for RSA-2048 with PKCS #1 v1.5 and SHA-1 over `message_count` bytes.
double raw_rsa_seconds(size_t count, size_t message_count);

typedef struct raw_certificate {
    const uint8_t *der;
    size_t count;
} raw_certificate;

/// Seconds for what no validation of a chain can do without, `count` times: three certificates are read, and the
/// signatures on the first two are verified.
double raw_chain_seconds(const raw_certificate chain[3], size_t count);

typedef struct process_figures {
    /// From the start to the end, and to the first byte of output.
    double seconds;
    double first_byte_seconds;
    /// The most memory that was resident at a time.
    long peak_kilobytes;
    int exit_code;
} process_figures;

/// Runs a program with its standard input from `input`, or from `repeated` repeated `repetitions` times when that is not
/// null; its output is counted and dropped. Nonzero when it could not be run.
int measure_process(
    const char *const arguments[], int input, const uint8_t *repeated, size_t repeated_count, size_t repetitions,
    process_figures *figures
);

#endif
