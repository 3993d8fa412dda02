// JSON documents (RFC 8259), parsed by Jansson with limits for untrusted input.
#ifndef RC_JSON_H
#define RC_JSON_H

#include "rc_status.h"

/// A parsed document, which owns its nodes.
typedef struct rc_json_document rc_json_document;
/// A value in a document; valid as long as the document.
typedef struct rc_json_node rc_json_node;
/// A position among the members of an object; valid as long as the document.
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

/// The reason why bytes were rejected.
typedef struct rc_json_fault {
    rc_json_problem problem;
    /// The offset in bytes at which the parser detected the problem.
    size_t offset;
    /// Whether Jansson's message names `alg`; with RC_JSON_PROBLEM_DUPLICATE_KEY, `alg` is then the duplicate key.
    ///
    /// The name is compared here because only the message has it.
    bool is_about_alg;
} rc_json_fault;

/// Parses `count` bytes as one JSON value of any type.
///
/// RC_MALFORMED, with the reason in `*fault`: the bytes are not one JSON value in UTF-8; they begin with a byte order
/// mark; they contain a NUL character; an object has duplicate keys, unless `allows_duplicates`, where the last one
/// counts; arrays and objects are nested deeper than `maximum_depth`; an integer exceeds 64 bits; a decimal overflows.
/// These checks are made here because a parsed document no longer shows the problem, and because the depth must be
/// bounded before the parser recurses.
rc_status rc_json_parse(
    const uint8_t *text, size_t count, size_t maximum_depth, bool allows_duplicates, rc_json_document **out,
    rc_json_fault *fault
);

/// Frees the document and all its nodes. Null is ignored.
void rc_json_free(rc_json_document *document);

/// Returns the outermost value.
const rc_json_node *rc_json_root(const rc_json_document *document);
/// Returns the type of a value.
rc_json_type rc_json_node_type(const rc_json_node *node);

/// Returns the value of a boolean; false for any other type.
bool rc_json_boolean(const rc_json_node *node);
/// Returns the value of an integer; 0 for any other type.
int64_t rc_json_integer(const rc_json_node *node);
/// Returns the value of a decimal; 0 for any other type.
double rc_json_decimal(const rc_json_node *node);
/// Returns the `*count` bytes of a string in UTF-8, followed by a NUL that is not counted; null for any other type.
const char *rc_json_string(const rc_json_node *node, size_t *count);
/// Returns the number of elements of an array or of members of an object; 0 for any other type.
size_t rc_json_count(const rc_json_node *node);
/// Returns an element of an array; null for an index out of range or any other type.
const rc_json_node *rc_json_element(const rc_json_node *node, size_t index);
/// Returns the member of an object; null if there is none. `name` is `count` bytes of UTF-8 without NUL.
const rc_json_node *rc_json_member(const rc_json_node *node, const char *name, size_t count);

/// Returns the position of the first member of an object, in the order of the document; null if there is none.
const rc_json_cursor *rc_json_first(const rc_json_node *node);
/// Returns the position of the next member; null at the end.
const rc_json_cursor *rc_json_next(const rc_json_node *node, const rc_json_cursor *cursor);
/// Returns the `*count` bytes of the member's name in UTF-8, followed by a NUL that is not counted.
const char *rc_json_cursor_name(const rc_json_cursor *cursor, size_t *count);
/// Returns the member's value.
const rc_json_node *rc_json_cursor_node(const rc_json_cursor *cursor);

#endif
