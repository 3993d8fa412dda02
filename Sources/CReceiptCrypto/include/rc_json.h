// JSON documents over Jansson, with the limits that hostile input needs (RFC 8259).
#ifndef RC_JSON_H
#define RC_JSON_H

#include "rc_status.h"

typedef struct rc_json_document rc_json_document;
/// A value inside a document; lives as long as the document does.
typedef struct rc_json_node rc_json_node;
/// A place in an object while its members are walked.
typedef struct rc_json_cursor rc_json_cursor;

typedef enum RC_CLOSED_ENUM rc_json_type {
    RC_JSON_NULL,
    RC_JSON_BOOLEAN,
    RC_JSON_INTEGER,
    RC_JSON_DECIMAL,
    RC_JSON_STRING,
    RC_JSON_ARRAY,
    RC_JSON_OBJECT,
} rc_json_type;

typedef enum RC_CLOSED_ENUM rc_json_problem {
    RC_JSON_PROBLEM_NONE,
    RC_JSON_PROBLEM_SYNTAX,
    RC_JSON_PROBLEM_BYTE_ORDER_MARK,
    RC_JSON_PROBLEM_UTF8,
    RC_JSON_PROBLEM_NUL,
    RC_JSON_PROBLEM_DUPLICATE_KEY,
    RC_JSON_PROBLEM_TOO_DEEP,
    RC_JSON_PROBLEM_NUMBER_RANGE,
} rc_json_problem;

typedef struct rc_json_fault {
    rc_json_problem problem;
    /// Where it was noticed, in bytes from the beginning.
    size_t offset;
    /// Whether the key that appears twice is `alg`, the one whose double could mislead about the signature.
    bool is_about_alg;
} rc_json_fault;

/// Parses one JSON text of any type.
///
/// RC_MALFORMED with `fault` filled: not one JSON text in UTF-8 without byte order mark; a key twice in one object;
/// NUL anywhere; arrays and objects nested deeper than `maximum_depth`; an integer outside Int64; a decimal that
/// overflows. Nesting is bounded before the parser recurses.
rc_status rc_json_parse(
    const uint8_t *text, size_t count, size_t maximum_depth, rc_json_document **out, rc_json_fault *fault
);
void rc_json_free(rc_json_document *document);

const rc_json_node *rc_json_root(const rc_json_document *document);
rc_json_type rc_json_node_type(const rc_json_node *node);
/// 0 or false for a node of another type, as in all getters here.
bool rc_json_boolean(const rc_json_node *node);
int64_t rc_json_integer(const rc_json_node *node);
double rc_json_decimal(const rc_json_node *node);
/// UTF-8 that ends with a NUL which `*count` does not count; null for a node of another type.
const char *rc_json_string(const rc_json_node *node, size_t *count);
/// Elements of an array or members of an object.
size_t rc_json_count(const rc_json_node *node);
const rc_json_node *rc_json_element(const rc_json_node *node, size_t index);
/// The member of that name, or null. The name must be UTF-8 without NUL.
const rc_json_node *rc_json_member(const rc_json_node *node, const char *name, size_t count);

/// Walks the members of an object in the order of the text: first, next, … until null.
const rc_json_cursor *rc_json_first(const rc_json_node *node);
const rc_json_cursor *rc_json_next(const rc_json_node *node, const rc_json_cursor *cursor);
const char *rc_json_cursor_name(const rc_json_cursor *cursor, size_t *count);
const rc_json_node *rc_json_cursor_node(const rc_json_cursor *cursor);

#endif
