#include <string.h>

#include <jansson.h>

#include "rc_bytes.h"
#include "rc_json.h"
#include "rc_json_outline.h"

#if JANSSON_VERSION_HEX < 0x020B00
#error "Jansson 2.11 or newer is required for json_error_code"
#endif

// A document is Jansson's root value, a node any Jansson value, a cursor a Jansson iterator. The opaque types of the
// header keep Jansson's names out of Swift.

static rc_json_document *as_document(json_t *root) { return (rc_json_document *)root; }
static json_t *as_json(const void *handle) { return (json_t *)handle; }
static const rc_json_node *as_node(const json_t *value) { return (const rc_json_node *)value; }

static rc_json_problem problem_of(const json_error_t *error) {
    switch (json_error_code(error)) {
    case json_error_duplicate_key: return RC_JSON_PROBLEM_DUPLICATE_KEY;
    case json_error_invalid_utf8: return RC_JSON_PROBLEM_UTF8;
    case json_error_null_character:
    case json_error_null_byte_in_key: return RC_JSON_PROBLEM_NUL;
    case json_error_numeric_overflow: return RC_JSON_PROBLEM_NUMBER_RANGE;
    case json_error_stack_overflow: return RC_JSON_PROBLEM_TOO_DEEP;
    default: return RC_JSON_PROBLEM_SYNTAX;
    }
}

rc_status rc_json_parse(
    const uint8_t *text, size_t count, size_t maximum_depth, bool allows_duplicates, rc_json_document **out,
    rc_json_fault *fault
) {
    *fault = (rc_json_fault){RC_JSON_PROBLEM_NONE, 0, false};
    if (count >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        fault->problem = RC_JSON_PROBLEM_BYTE_ORDER_MARK;
        return RC_MALFORMED;
    }
    // JSON allows no NUL, but Jansson ignores one after a number.
    size_t nul = rc_find_byte(text, count, 0);
    if (nul < count) {
        fault->problem = RC_JSON_PROBLEM_NUL;
        fault->offset = nul;
        return RC_MALFORMED;
    }
    rc_json_outline outline;
    rc_json_outline_read(text, count, maximum_depth, &outline);
    if (!outline.is_bounded) {
        fault->problem = RC_JSON_PROBLEM_TOO_DEEP;
        fault->offset = outline.offset;
        return RC_MALFORMED;
    }
    // A later duplicate takes the place of the first one, so the long strings would be put back in another order.
    if (allows_duplicates) outline.long_count = 0;
    size_t flags = JSON_DECODE_ANY | (allows_duplicates ? 0 : JSON_REJECT_DUPLICATES);
    json_error_t error;
    json_t *root = rc_json_load(text, count, &outline, flags, &error);
    if (root == NULL) {
        if (json_error_code(&error) == json_error_out_of_memory) return RC_NO_MEMORY;
        fault->problem = problem_of(&error);
        // Jansson's message quotes the token at which it stopped: for a duplicate key, that key.
        fault->is_about_alg = strstr(error.text, "\"alg\"") != NULL;
        fault->offset = error.position > 0 ? (size_t)error.position : 0;
        return RC_MALFORMED;
    }
    *out = as_document(root);
    return RC_OK;
}

void rc_json_free(rc_json_document *document) { json_decref(as_json(document)); }

const rc_json_node *rc_json_root(const rc_json_document *document) { return as_node(as_json(document)); }

rc_json_type rc_json_node_type(const rc_json_node *node) {
    switch (json_typeof(as_json(node))) {
    case JSON_OBJECT: return RC_JSON_OBJECT;
    case JSON_ARRAY: return RC_JSON_ARRAY;
    case JSON_STRING: return RC_JSON_STRING;
    case JSON_INTEGER: return RC_JSON_INTEGER;
    case JSON_REAL: return RC_JSON_DECIMAL;
    case JSON_TRUE:
    case JSON_FALSE: return RC_JSON_BOOLEAN;
    case JSON_NULL: return RC_JSON_NULL;
    }
    return RC_JSON_NULL;
}

bool rc_json_boolean(const rc_json_node *node) { return json_is_true(as_json(node)); }

int64_t rc_json_integer(const rc_json_node *node) { return (int64_t)json_integer_value(as_json(node)); }

double rc_json_decimal(const rc_json_node *node) { return json_real_value(as_json(node)); }

const char *rc_json_string(const rc_json_node *node, size_t *count) {
    *count = json_string_length(as_json(node));
    return json_string_value(as_json(node));
}

size_t rc_json_count(const rc_json_node *node) {
    json_t *value = as_json(node);
    return json_is_object(value) ? json_object_size(value) : json_array_size(value);
}

const rc_json_node *rc_json_element(const rc_json_node *node, size_t index) {
    return as_node(json_array_get(as_json(node), index));
}

const rc_json_node *rc_json_member(const rc_json_node *node, const char *name, size_t count) {
#if JANSSON_VERSION_HEX >= 0x020E00
    return as_node(json_object_getn(as_json(node), name, count));
#else
    char copy[256];
    if (count >= sizeof copy) return NULL;
    memcpy(copy, name, count);
    copy[count] = 0;
    return as_node(json_object_get(as_json(node), copy));
#endif
}

const rc_json_cursor *rc_json_first(const rc_json_node *node) { return json_object_iter(as_json(node)); }

const rc_json_cursor *rc_json_next(const rc_json_node *node, const rc_json_cursor *cursor) {
    return json_object_iter_next(as_json(node), (void *)cursor);
}

const char *rc_json_cursor_name(const rc_json_cursor *cursor, size_t *count) {
    const char *name = json_object_iter_key((void *)cursor);
    // strlen is exact: rc_json_parse rejects a NUL in a key.
    *count = name == NULL ? 0 : strlen(name);
    return name;
}

const rc_json_node *rc_json_cursor_node(const rc_json_cursor *cursor) {
    return as_node(json_object_iter_value((void *)cursor));
}
