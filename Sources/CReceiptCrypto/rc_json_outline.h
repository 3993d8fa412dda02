// A scan of JSON before it is parsed: the nesting depth, and long strings that need not go through Jansson.
#ifndef RC_JSON_OUTLINE_H
#define RC_JSON_OUTLINE_H

#include <jansson.h>

#include "rc_status.h"

#define RC_JSON_LONG_STRINGS 16

typedef struct rc_json_outline {
    /// Whether arrays and objects are nested at most as deep as allowed.
    bool is_bounded;
    /// The offset of the first bracket that is too deep.
    size_t offset;
    /// The offsets of long string values without escapes, in the order of the document.
    size_t long_count;
    struct {
        size_t start;
        size_t end;
    } longs[RC_JSON_LONG_STRINGS];
} rc_json_outline;

/// Scans `count` bytes, which need not be JSON, for brackets and strings. It does not recurse.
void rc_json_outline_read(const uint8_t *text, size_t count, size_t maximum_depth, rc_json_outline *outline);

/// Parses as Jansson's json_loadb does, but copies the long strings of the outline instead of parsing them.
///
/// Returns null with `*error` filled as json_loadb does. The caller owns the result.
json_t *rc_json_load(
    const uint8_t *text, size_t count, const rc_json_outline *outline, size_t flags, json_error_t *error
);

#endif
