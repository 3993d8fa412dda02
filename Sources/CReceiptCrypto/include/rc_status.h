// The status that every fallible function of this module returns.
#ifndef RC_STATUS_H
#define RC_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Marks an enumeration as complete, so that Swift can switch over it without a default case.
#if defined(__clang__)
#define RC_CLOSED_ENUM __attribute__((enum_extensibility(closed)))
#else
#define RC_CLOSED_ENUM
#endif

/// The result of a call.
typedef enum RC_CLOSED_ENUM rc_status {
    /// The call succeeded; for a question, the answer is yes.
    RC_OK = 0,
    /// The input is well formed and the answer is no: a signature or a tag does not match, an element does not exist.
    RC_NO = 1,
    /// The bytes are not in the required form: not DER, PEM or JSON, or a signature of the wrong length or range.
    RC_MALFORMED = 2,
    /// The input is well formed but of a kind that this function does not handle, or a length exceeds OpenSSL's range.
    RC_UNSUPPORTED = 3,
    /// The caller's buffer is too small.
    RC_BUFFER_TOO_SMALL = 4,
    /// An allocation failed.
    RC_NO_MEMORY = 5,
    /// OpenSSL failed for a reason that the input does not explain.
    RC_FAULT = 6,
    /// The cryptographic policy of the system does not allow signatures with SHA-1.
    RC_HASH_FORBIDDEN = 7,
} rc_status;

#endif
