#include <stdlib.h>
#include <string.h>

#include "rc_json_outline.h"

// A JWS in a notification and a certificate in a header are strings of thousands of characters without an escape, and
// Jansson needs ten nanoseconds for each character. In JSON without any backslash, each quotation mark begins or ends a
// string, and no string contains a NUL. So each long string is replaced by a single NUL, the result is parsed, and the
// long strings are put back.

/// Shorter strings stay: replacing them gains nothing.
static const size_t long_length = 128;
static const char placeholder[] = "\\u0000";
/// The levels for which the scan knows whether they are arrays or objects, one bit each.
static const size_t tracked_depth = 64;

/// Returns the end of the string whose contents begin at `start`: the offset of its closing mark, or `count`.
static size_t end_of_string(const uint8_t *text, size_t count, size_t start, bool *has_escape) {
    size_t i = start;
    while (i < count) {
        // Most strings are short; for long ones memchr is faster.
        size_t near = count - i < 64 ? count : i + 64;
        while (i < near && text[i] != '"' && text[i] != '\\') i++;
        if (i == near && i < count) {
            const uint8_t *mark = memchr(text + i, '"', count - i);
            size_t end = mark == NULL ? count : (size_t)(mark - text);
            const uint8_t *escape = memchr(text + i, '\\', end - i);
            i = escape == NULL ? end : (size_t)(escape - text);
        }
        if (i >= count || text[i] == '"') return i < count ? i : count;
        *has_escape = true;
        i += 2;
    }
    return count;
}

/// Returns whether the bytes are ASCII without control characters.
static bool is_plain(const uint8_t *bytes, size_t count) {
    uint8_t others = 0;
    for (size_t i = 0; i < count; i++) others |= (uint8_t)((bytes[i] < 0x20) | (bytes[i] > 0x7e));
    return others == 0;
}

void rc_json_outline_read(const uint8_t *text, size_t count, size_t maximum_depth, rc_json_outline *outline) {
    outline->is_bounded = true;
    outline->offset = 0;
    outline->long_count = 0;
    size_t depth = 0;
    uint64_t arrays = 0;
    bool has_escape = false;
    uint8_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t byte = text[i];
        switch (byte) {
        case '"': {
            size_t end = end_of_string(text, count, i + 1, &has_escape);
            bool is_in_array = depth > 0 && depth <= tracked_depth && (arrays >> (depth - 1) & 1);
            // Only values are replaced: the parser must see the names to reject duplicates.
            if (end - i > long_length && (before == ':' || is_in_array) && outline->long_count < RC_JSON_LONG_STRINGS
                && is_plain(text + i + 1, end - i - 1)) {
                outline->longs[outline->long_count].start = i + 1;
                outline->longs[outline->long_count].end = end;
                outline->long_count++;
            }
            i = end;
            break;
        }
        case '[':
        case '{':
            if (++depth > maximum_depth) {
                outline->is_bounded = false;
                outline->offset = i;
                return;
            }
            if (depth <= tracked_depth) {
                uint64_t bit = (uint64_t)1 << (depth - 1);
                arrays = byte == '[' ? arrays | bit : arrays & ~bit;
            }
            break;
        case ']':
        case '}':
            if (depth > 0) depth--;
            break;
        case ' ':
        case '\t':
        case '\n':
        case '\r': continue;
        default: break;
        }
        before = byte;
    }
    // With escapes, a string of the document itself could be a single NUL.
    if (has_escape) outline->long_count = 0;
}

/// Returns a copy of the text in which each long string is replaced by the placeholder.
static char *shorten(const uint8_t *text, size_t count, const rc_json_outline *outline, size_t *short_count) {
    char *copy = malloc(count);
    if (copy == NULL) return NULL;
    size_t read = 0, written = 0;
    for (size_t i = 0; i <= outline->long_count; i++) {
        size_t end = i < outline->long_count ? outline->longs[i].start : count;
        memcpy(copy + written, text + read, end - read);
        written += end - read;
        if (i == outline->long_count) break;
        memcpy(copy + written, placeholder, sizeof placeholder - 1);
        written += sizeof placeholder - 1;
        read = outline->longs[i].end;
    }
    *short_count = written;
    return copy;
}

/// Puts the long strings back, in the order of the document. Returns false if there are more or fewer placeholders. The
/// recursion is bounded by the document's depth.
static bool restore(json_t *value, const uint8_t *text, const rc_json_outline *outline, size_t *next) {
    void *member = json_is_object(value) ? json_object_iter(value) : NULL;
    size_t count = json_is_array(value) ? json_array_size(value) : 0;
    for (size_t i = 0; member != NULL || i < count; i++) {
        json_t *item = member != NULL ? json_object_iter_value(member) : json_array_get(value, i);
        if (json_is_string(item)) {
            if (json_string_length(item) == 1 && json_string_value(item)[0] == 0) {
                if (*next >= outline->long_count) return false;
                size_t start = outline->longs[*next].start;
                json_t *string = json_stringn_nocheck((const char *)text + start, outline->longs[*next].end - start);
                // Both functions take ownership of the string, even if they fail.
                int status = member != NULL ? json_object_iter_set_new(value, member, string)
                                            : json_array_set_new(value, i, string);
                if (string == NULL || status != 0) return false;
                ++*next;
            }
        } else if (!restore(item, text, outline, next)) {
            return false;
        }
        if (member != NULL) member = json_object_iter_next(value, member);
    }
    return true;
}

json_t *rc_json_load(
    const uint8_t *text, size_t count, const rc_json_outline *outline, size_t flags, json_error_t *error
) {
    if (outline->long_count > 0) {
        size_t short_count = 0;
        char *copy = shorten(text, count, outline, &short_count);
        json_t *root = copy == NULL ? NULL : json_loadb(copy, short_count, flags | JSON_ALLOW_NUL, error);
        free(copy);
        size_t next = 0;
        if (root != NULL && restore(root, text, outline, &next) && next == outline->long_count) return root;
        json_decref(root);
        // The original text is parsed below, so that errors have its offsets.
    }
    return json_loadb((const char *)text, count, flags, error);
}
