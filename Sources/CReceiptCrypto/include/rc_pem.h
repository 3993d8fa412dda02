// Decoding PEM (RFC 7468).
#ifndef RC_PEM_H
#define RC_PEM_H

#include "rc_bytes.h"
#include "rc_status.h"

/// Decodes the first PEM block at or after `*offset` in the `count` bytes of `text`.
///
/// On RC_OK, `*offset` is the end of the block, and `label` holds its label with a terminating NUL, cut to
/// `label_capacity - 1` characters. The caller owns `*out`, the decoded bytes.
///
/// RC_NO: there is no further block. RC_MALFORMED: a block begins but cannot be decoded.
/// RC_UNSUPPORTED: `*offset` is beyond `count`, `count` exceeds INT_MAX, or `label_capacity` is 0.
rc_status rc_pem_next(
    const uint8_t *text, size_t count, size_t *offset, char *label, size_t label_capacity, rc_bytes **out
);

#endif
