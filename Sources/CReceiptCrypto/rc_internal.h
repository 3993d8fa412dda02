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
};

struct rc_private_key {
    EVP_PKEY *pkey;
    rc_key_type type;
};

struct rc_certificate {
    X509 *x509;
    rc_certificate_facts facts;
};

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

/// Whether `count` bytes fit the signed length arguments that most of OpenSSL takes.
static inline bool rc_fits_long(size_t count) { return count <= (size_t)LONG_MAX; }
static inline bool rc_fits_int(size_t count) { return count <= (size_t)INT_MAX; }

// Every function that calls OpenSSL stands between these two: what it leaves in the thread's error queue goes, what its
// caller had there stays.
#define RC_BEGIN ERR_set_mark()
#define RC_END ERR_pop_to_mark()

#endif
