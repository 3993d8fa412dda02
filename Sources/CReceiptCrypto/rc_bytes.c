#include "rc_internal.h"

rc_status rc_bytes_take(uint8_t *data, size_t count, rc_bytes **out) {
    rc_bytes *bytes = OPENSSL_malloc(sizeof *bytes);
    if (bytes == NULL) {
        OPENSSL_clear_free(data, count);
        return RC_NO_MEMORY;
    }
    bytes->data = data;
    bytes->count = count;
    *out = bytes;
    return RC_OK;
}

rc_status rc_bytes_copy(const void *data, size_t count, rc_bytes **out) {
    uint8_t *copy = OPENSSL_malloc(count == 0 ? 1 : count);
    if (copy == NULL) return RC_NO_MEMORY;
    if (count > 0) memcpy(copy, data, count);
    return rc_bytes_take(copy, count, out);
}

const uint8_t *rc_bytes_data(const rc_bytes *bytes) { return bytes->data; }

size_t rc_bytes_count(const rc_bytes *bytes) { return bytes->count; }

void rc_bytes_free(rc_bytes *bytes) {
    if (bytes == NULL) return;
    OPENSSL_clear_free(bytes->data, bytes->count);
    OPENSSL_free(bytes);
}

rc_status rc_random(uint8_t *out, size_t count) {
    if (!rc_fits_int(count)) return RC_UNSUPPORTED;
    RC_BEGIN;
    int done = RAND_bytes(out, (int)count);
    RC_END;
    return done == 1 ? RC_OK : RC_FAULT;
}

bool rc_is_equal(const uint8_t *left, const uint8_t *right, size_t count) {
    return count == 0 || memcmp(left, right, count) == 0;
}

int rc_compare(const uint8_t *left, const uint8_t *right, size_t count) {
    return count == 0 ? 0 : memcmp(left, right, count);
}

size_t rc_count_byte(const uint8_t *bytes, size_t count, uint8_t byte) {
    size_t found = 0;
    // A counter of one byte lets the compiler vectorise the inner loop; it cannot overflow in 255 steps.
    while (count > 0) {
        size_t run = count < 255 ? count : 255;
        uint8_t in_run = 0;
        for (size_t i = 0; i < run; i++) in_run += bytes[i] == byte;
        found += in_run;
        bytes += run;
        count -= run;
    }
    return found;
}

size_t rc_find_byte(const uint8_t *bytes, size_t count, uint8_t byte) {
    const uint8_t *found = count == 0 ? NULL : memchr(bytes, byte, count);
    return found == NULL ? count : (size_t)(found - bytes);
}

size_t rc_skip_members(const uint8_t *bytes, size_t count, const uint8_t *members) {
    size_t offset = 0;
    while (offset < count && members[bytes[offset]] != 0) offset++;
    return offset;
}
