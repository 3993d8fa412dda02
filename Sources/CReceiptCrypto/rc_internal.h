// What the files of this module share and Swift does not see.
#ifndef RC_INTERNAL_H
#define RC_INTERNAL_H

#include <limits.h>
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

// Tables for one's own points, and what reads projective coordinates, are functions that OpenSSL 3.0 has deprecated and
// that can be left out of a build of it. Without them everything works, at the speed of EVP.
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

struct rc_public_key {
    EVP_PKEY *pkey;
    rc_key_type type;
    int bits;
    /// The uncompressed point of a P-256 key.
    uint8_t point[RC_P256_POINT_COUNT];
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
    /// P-256 with the public point as generator, and the table for it. Never changed once it is made.
    EC_GROUP *group;
};

typedef struct rc_p256 rc_p256;

struct rc_certificate_builder {
    X509 *x509;
};

/// Takes `data`, which came from OpenSSL's allocator, also when it fails.
rc_status rc_bytes_take(uint8_t *data, size_t count, rc_bytes **out);
rc_status rc_bytes_copy(const void *data, size_t count, rc_bytes **out);

/// The key type and size of `pkey`, which may be null.
rc_key_type rc_classify_key(EVP_PKEY *pkey, int *bits);
/// Takes `pkey`, also when it fails.
rc_status rc_public_key_take(EVP_PKEY *pkey, rc_public_key **out);
const EVP_MD *rc_hash_method(rc_hash hash);
/// RC_OK when the key is of P-256 and the signature has 64 bytes with r and s in [1, n-1]; else as `rc_es256_verify`.
rc_status rc_es256_examine_form(const rc_public_key *key, const uint8_t *signature, size_t signature_count);

/// Whether `count` bytes fit the signed length arguments that most of OpenSSL takes.
static inline bool rc_fits_long(size_t count) { return count <= (size_t)LONG_MAX; }
static inline bool rc_fits_int(size_t count) { return count <= (size_t)INT_MAX; }

// Every function that calls OpenSSL stands between these two: what it leaves in the thread's error queue goes, what its
// caller had there stays.
#define RC_BEGIN ERR_set_mark()
#define RC_END ERR_pop_to_mark()

#endif
