// Declarations that the files of this module share and Swift does not see.
#ifndef RC_INTERNAL_H
#define RC_INTERNAL_H

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "CReceiptCrypto.h"

#if OPENSSL_VERSION_MAJOR < 3
#error "OpenSSL 3.0 or newer is required"
#endif

// The fast path needs functions that OpenSSL 3.0 has deprecated, for precomputed tables and projective coordinates. A
// build of OpenSSL can lack them; EVP then verifies all signatures.
#if !defined(OPENSSL_NO_DEPRECATED_3_0) && OPENSSL_VERSION_MAJOR < 4
#define RC_HAS_PREPARED_KEYS 1
#else
#define RC_HAS_PREPARED_KEYS 0
#endif

struct rc_bytes {
    uint8_t *data;
    size_t count;
};

struct rc_sha256 {
    EVP_MD_CTX *context;
};

struct rc_unsealer {
    EVP_CIPHER_CTX *context;
};

/// What the verification of a signature begins with, for each hash function; null before the first signature.
///
/// A context is set once and never changed, so any number of threads may copy it.
typedef struct rc_rsa_contexts {
    _Atomic(EVP_MD_CTX *) begun[RC_HASH_SHA512 + 1];
} rc_rsa_contexts;

void rc_rsa_contexts_free(rc_rsa_contexts *contexts);

struct rc_public_key {
    EVP_PKEY *pkey;
    rc_key_type type;
    int bits;
    /// The uncompressed point; only set for a P-256 key.
    uint8_t point[RC_P256_POINT_COUNT];
    /// Only set for an RSA key.
    rc_rsa_contexts *contexts;
};

struct rc_private_key {
    EVP_PKEY *pkey;
    rc_key_type type;
};

struct rc_certificate {
    X509 *x509;
    rc_certificate_facts facts;
};

struct rc_prepared_key {
    /// P-256 with the public point as generator, and the generator's table. It never changes.
    EC_GROUP *group;
};

struct rc_certificate_builder {
    X509 *x509;
};

/// The rest of the elements of DER that follow each other.
typedef struct rc_der_reader {
    const uint8_t *at;
    const uint8_t *end;
} rc_der_reader;

/// One element of DER.
typedef struct rc_der_element {
    const uint8_t *start;
    const uint8_t *contents;
    const uint8_t *end;
} rc_der_element;

/// Reads the next element, which must have this identifier octet, and moves the reader behind it.
bool rc_der_next(rc_der_reader *reader, uint8_t identifier, rc_der_element *out);
/// Reads the next element, an INTEGER. RC_MALFORMED: it is none in DER. RC_UNSUPPORTED: it has more than 8 bytes.
rc_status rc_der_next_integer(rc_der_reader *reader, int64_t *value);
/// Returns whether there is a next element and it has this identifier octet.
bool rc_der_is_next(const rc_der_reader *reader, uint8_t identifier);
/// Returns whether all elements have been read.
bool rc_der_is_at_end(const rc_der_reader *reader);
/// Returns a reader of the elements inside another.
rc_der_reader rc_der_inside(const rc_der_element *element);

/// Creates a buffer from `data`, which OpenSSL allocated. Takes ownership of `data`, even if the call fails.
rc_status rc_bytes_take(uint8_t *data, size_t count, rc_bytes **out);
/// Creates a buffer with a copy of `count` bytes.
rc_status rc_bytes_copy(const void *data, size_t count, rc_bytes **out);

/// Returns whether a certificate that was read from these bytes is in DER, in every part whose value is used: OpenSSL
/// also reads BER. A certificate that is in DER stays as it was.
bool rc_is_der(X509 *x509, const uint8_t *der, size_t count);

/// Returns the type of `pkey`, which may be null, and stores its size in bits.
rc_key_type rc_classify_key(EVP_PKEY *pkey, int *bits);
/// Creates a public key from `pkey`. Takes ownership of `pkey`, even if the call fails.
rc_status rc_public_key_take(EVP_PKEY *pkey, rc_public_key **out);
/// Returns whether the system's policy forbids signatures with SHA-1, although others can be verified with the key.
bool rc_is_sha1_forbidden(EVP_PKEY *pkey);
/// Returns OpenSSL's method of a hash function.
const EVP_MD *rc_hash_method(rc_hash hash);
/// Stores the digests of a certificate in DER whose signature algorithm is known.
bool rc_certificate_read_digests(const uint8_t *der, size_t count, rc_certificate_facts *facts);
#define RC_P256_ORDER_COUNT 32
/// The order n of P-256, big endian (FIPS 186-4 D.1.2.3).
extern const uint8_t rc_p256_order[RC_P256_ORDER_COUNT];
/// Checks what rc_es256_verify checks before the arithmetic: the key's type, the signature's length, and that r and s
/// are in [1, n-1].
rc_status rc_es256_check_form(const rc_public_key *key, const uint8_t *signature, size_t signature_count);

/// Returns whether `count` fits the signed length arguments of most OpenSSL functions.
static inline bool rc_fits_long(size_t count) { return count <= (size_t)LONG_MAX; }
static inline bool rc_fits_int(size_t count) { return count <= (size_t)INT_MAX; }

// Every function calls OpenSSL between these two. RC_END removes the errors that were queued since RC_BEGIN; the
// caller's errors stay in the queue.
#define RC_BEGIN ERR_set_mark()
#define RC_END ERR_pop_to_mark()

#endif
