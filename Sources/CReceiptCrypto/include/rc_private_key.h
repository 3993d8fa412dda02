// Private keys, for test authorities and store simulators.
#ifndef RC_PRIVATE_KEY_H
#define RC_PRIVATE_KEY_H

#include "rc_bytes.h"
#include "rc_public_key.h"
#include "rc_status.h"

/// An immutable private key, which OpenSSL wipes when it is freed.
typedef struct rc_private_key rc_private_key;

/// Generates a key: P-256, P-384, P-521, or RSA with a modulus of `rsa_bits`, which the other types ignore.
///
/// RC_UNSUPPORTED: OpenSSL cannot generate such a key.
rc_status rc_private_key_generate(rc_key_type type, int rsa_bits, rc_private_key **out);

/// Reads an unencrypted PKCS#8 PrivateKeyInfo in DER (RFC 5208 5).
///
/// RC_MALFORMED: the `count` bytes are not exactly one PrivateKeyInfo, or OpenSSL cannot read its key.
rc_status rc_private_key_from_pkcs8(const uint8_t *der, size_t count, rc_private_key **out);

/// Reads the first unencrypted private key in PEM: PKCS#8 "PRIVATE KEY" (RFC 7468 10), SEC1 "EC PRIVATE KEY"
/// (RFC 5915 4) or PKCS#1 "RSA PRIVATE KEY".
///
/// RC_UNSUPPORTED: the key is encrypted. RC_MALFORMED: there is no private key in the `count` bytes of `text`, or
/// OpenSSL cannot read it.
rc_status rc_private_key_from_pem(const uint8_t *text, size_t count, rc_private_key **out);

/// Wipes and frees the key. Null is ignored.
void rc_private_key_free(rc_private_key *key);

/// Encodes the key as unencrypted PKCS#8 PrivateKeyInfo in DER. The caller owns `*out`.
rc_status rc_private_key_pkcs8(const rc_private_key *key, rc_bytes **out);

/// Creates the public key that belongs to the private key. The caller owns `*out`.
rc_status rc_private_key_public_key(const rc_private_key *key, rc_public_key **out);

#endif
