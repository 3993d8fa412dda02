// What OpenSSL does by itself, and what a process needs: the measures that everything else is compared with.
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include <stddef.h>
#include <stdint.h>

typedef enum raw_kind {
    /// ECDSA with P-256 over a digest of 32 bytes, as under a JWS.
    raw_es256,
    /// RSA-2048 with PKCS #1 v1.5 over a digest of 20 bytes, as under Google Play's purchase data.
    raw_rsa_sha1,
} raw_kind;

/// Verifies `count` signatures by EVP on each of up to 64 threads, with key, context and signatures kept: the fastest that
/// OpenSSL's plain way can be. 0 when something failed.
///
/// The first call for a thread makes its key and signatures, so it is not the one to be timed.
int raw_verify(raw_kind kind, size_t count, size_t threads);

typedef struct raw_certificate {
    const uint8_t *der;
    size_t count;
} raw_certificate;

/// Does `count` times what no validation of a chain can do without: three certificates are read from DER, and the
/// signatures on the first two are verified. Names, dates, extensions, and the receipt's own signature are not counted.
/// 0 when something failed.
int raw_validate_chain(const raw_certificate chain[3], size_t count);

/// What a process reads and writes.
typedef struct process_streams {
    /// The standard input, unless `repeated` is not null: then that is written to a pipe, `repetitions` times.
    int input;
    const uint8_t *repeated;
    size_t repeated_count;
    size_t repetitions;
    /// The standard output; below zero for a pipe, from which it is read, looked at and dropped. Reading takes time from
    /// the process, so what is to be fast writes elsewhere.
    int output;
} process_streams;

typedef struct process_figures {
    /// From the start to the end, and the time for which processors worked for it.
    double seconds;
    double processor_seconds;
    /// What is known only of output through a pipe: the time from the start to the first byte, how many lines there were,
    /// and the most memory that was resident at a time, 0 where the system does not say.
    double first_byte_seconds;
    size_t line_count;
    long peak_kilobytes;
    int exit_code;
} process_figures;

/// Runs a program and waits for its end. An error number when it could not be run.
int measure_process(const char *const arguments[], const process_streams *streams, process_figures *figures);

#endif
