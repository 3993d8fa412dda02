// What every function of this module answers.
#ifndef RC_STATUS_H
#define RC_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define RC_CLOSED_ENUM __attribute__((enum_extensibility(closed)))
#else
#define RC_CLOSED_ENUM
#endif

typedef enum RC_CLOSED_ENUM rc_status {
    /// Done; for a question: yes.
    RC_OK = 0,
    /// The question was well formed and the answer is no (a signature or tag does not fit).
    RC_NO = 1,
    /// The bytes are not what they are said to be (DER, PEM, JSON, a signature of the wrong length or range).
    RC_MALFORMED = 2,
    /// Well formed, but of a kind this module does not handle.
    RC_UNSUPPORTED = 3,
    /// The caller's buffer is too small.
    RC_BUFFER_TOO_SMALL = 4,
    /// There was no memory.
    RC_NO_MEMORY = 5,
    /// The library below refused to work for a reason that the input does not explain.
    RC_FAULT = 6,
} rc_status;

#endif
