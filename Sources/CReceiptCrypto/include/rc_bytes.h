// Bytes that this module has made and the caller frees, and random bytes.
#ifndef RC_BYTES_H
#define RC_BYTES_H

#include "rc_status.h"

typedef struct rc_bytes rc_bytes;

const uint8_t *rc_bytes_data(const rc_bytes *bytes);
size_t rc_bytes_count(const rc_bytes *bytes);
/// Wipes the bytes before it frees them: some of them are private keys.
void rc_bytes_free(rc_bytes *bytes);

/// Fills `out` with bytes from OpenSSL's random generator.
rc_status rc_random(uint8_t *out, size_t count);

/// Compares in a time that does not depend on the content.
bool rc_equal_in_constant_time(const uint8_t *left, const uint8_t *right, size_t count);

/// Compares as fast as the system's memcmp.
bool rc_is_equal(const uint8_t *left, const uint8_t *right, size_t count);

/// How many times a byte appears.
size_t rc_count_byte(const uint8_t *bytes, size_t count, uint8_t byte);

/// The offset of the first `byte`, or `count` when there is none; as fast as the system's memchr.
size_t rc_find_byte(const uint8_t *bytes, size_t count, uint8_t byte);

/// Decodes the first PEM block at or after `*offset` and moves `*offset` behind it (RFC 7468).
///
/// `label` receives the block's label, cut to `label_capacity - 1` characters.
/// RC_NO: there is no further block.
rc_status rc_pem_next(
    const uint8_t *text, size_t count, size_t *offset, char *label, size_t label_capacity, rc_bytes **out
);

#endif
