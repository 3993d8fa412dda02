// What can be told of a JSON text before it is parsed.
#ifndef RC_JSON_OUTLINE_H
#define RC_JSON_OUTLINE_H

#include <jansson.h>

#include "rc_status.h"

#define RC_JSON_LONG_STRINGS 16

typedef struct rc_json_outline {
    /// Whether arrays and objects stay within the levels that are allowed.
    bool is_bounded;
    /// The bracket that goes too deep.
    size_t offset;
    /// Long strings without escapes that are values, in the order of the text: where their contents begin and end.
    size_t long_count;
    struct {
        size_t start;
        size_t end;
    } longs[RC_JSON_LONG_STRINGS];
} rc_json_outline;

/// Looks through a text for its brackets and strings. Holds for any bytes and costs no recursion.
void rc_json_outline_read(const uint8_t *text, size_t count, size_t maximum_depth, rc_json_outline *outline);

/// Parses the text as Jansson does, but carries its long strings past the parser, which looks at each byte at length.
json_t *rc_json_load(
    const uint8_t *text, size_t count, const rc_json_outline *outline, size_t flags, json_error_t *error
);

#endif
