// Byte buffers that this module allocates, random bytes, and functions that search bytes.
#ifndef RC_BYTES_H
#define RC_BYTES_H

#include "rc_status.h"

/// A buffer of bytes, owned by the caller that received it.
typedef struct rc_bytes rc_bytes;

/// Returns the first byte. The pointer is valid until the buffer is freed.
const uint8_t *rc_bytes_data(const rc_bytes *bytes);
/// Returns the number of bytes.
size_t rc_bytes_count(const rc_bytes *bytes);
/// Wipes and frees the buffer: it may hold a private key. Null is ignored.
void rc_bytes_free(rc_bytes *bytes);

/// Fills the `count` bytes at `out` from OpenSSL's random number generator.
///
/// RC_UNSUPPORTED: `count` exceeds INT_MAX. RC_FAULT: the generator failed; the bytes must not be used.
rc_status rc_random(uint8_t *out, size_t count);

/// Returns whether `count` bytes are equal. Not for secrets: the time that it takes depends on the content.
bool rc_is_equal(const uint8_t *left, const uint8_t *right, size_t count);

/// Compares `count` bytes as numbers without a sign: negative if `left` comes first, 0 if both are equal. Not for secrets.
int rc_compare(const uint8_t *left, const uint8_t *right, size_t count);

/// Returns how many of `count` bytes are `byte`.
size_t rc_count_byte(const uint8_t *bytes, size_t count, uint8_t byte);

/// Returns the offset of the first `byte` among `count` bytes, or `count` if there is none.
size_t rc_find_byte(const uint8_t *bytes, size_t count, uint8_t byte);

/// Returns the offset of the first of `count` bytes whose entry in `members`, a table of 256, is 0; `count` if there is
/// none.
size_t rc_skip_members(const uint8_t *bytes, size_t count, const uint8_t *members);

#endif
