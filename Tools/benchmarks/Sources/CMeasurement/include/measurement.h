// The references of the benchmarks: OpenSSL's own speed, and the time and memory of a process.
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include <stddef.h>
#include <stdint.h>

typedef enum raw_kind {
    /// ECDSA with P-256 over a digest of 32 bytes, as in a JWS.
    raw_es256,
    /// RSA-2048 with PKCS #1 v1.5 over a digest of 20 bytes, as for Google Play's purchase data.
    raw_rsa_sha1,
    /// RSA-2048 with PKCS #1 v1.5 over a digest of 32 bytes, as in an app receipt.
    raw_rsa_sha256,
} raw_kind;

/// Verifies `count` signatures with EVP on each of up to 64 threads. Key, context and signatures are reused, which is
/// the fastest use of EVP. Returns 0 on failure.
///
/// The first call for a thread creates its key and signatures, so do not time it.
int raw_verify(raw_kind kind, size_t count, size_t threads);

typedef struct raw_certificate {
    const uint8_t *der;
    size_t count;
} raw_certificate;

/// Does the minimum for validating a chain `count` times: decodes three certificates from DER and verifies the
/// signatures of the first two. Names, dates, extensions and the receipt's signature are not checked. Returns 0 on
/// failure.
int raw_validate_chain(const raw_certificate chain[3], size_t count);

/// Decodes an app receipt in DER with d2i_PKCS7 and verifies it with PKCS7_verify under a root `count` times, at a time
/// in seconds since 1970. Returns 0 on failure.
int raw_verify_container(
    const uint8_t *der, size_t der_count, const raw_certificate *root, int64_t time, size_t count
);

/// Hashes the content of an app receipt with SHA-256 and verifies its signature with the first certificate's key `count`
/// times. Returns 0 on failure.
int raw_verify_content(const uint8_t *der, size_t der_count, size_t count);

/// The input and output of a process.
typedef struct process_streams {
    /// The standard input. If `repeated` is not null, it is written to a pipe instead, `repetitions` times.
    int input;
    const uint8_t *repeated;
    size_t repeated_count;
    size_t repetitions;
    /// The standard output. If it is negative, the output is read from a pipe, counted and discarded. Reading slows the
    /// process down, so use a descriptor where time is measured.
    int output;
} process_streams;

typedef struct process_figures {
    /// The time from start to exit, and the processor time.
    double seconds;
    double processor_seconds;
    /// Only measured for output through a pipe: the time to the first byte, the number of lines, and the peak resident
    /// memory, which is 0 if the system does not report it.
    double first_byte_seconds;
    size_t line_count;
    long peak_kilobytes;
    int exit_code;
} process_figures;

/// Runs a program and waits for its exit. Returns an errno value if it could not be run.
int measure_process(const char *const arguments[], const process_streams *streams, process_figures *figures);

#endif
