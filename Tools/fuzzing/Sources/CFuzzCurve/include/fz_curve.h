// Arithmetic on P-256 for the fuzz targets: signatures with chosen nonces, keys that fit chosen signatures, points with
// a known relation. Nothing here is constant time, and nothing here serves verification.
//
// Scalars are 32 bytes, big endian, taken modulo n; points are 04 || x || y.
#ifndef FZ_CURVE_H
#define FZ_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#define FZ_SCALAR_COUNT 32
#define FZ_POINT_COUNT 65

/// left * right + addend modulo n.
void fz_scalar_multiply_add(
    const uint8_t left[FZ_SCALAR_COUNT], const uint8_t right[FZ_SCALAR_COUNT], const uint8_t addend[FZ_SCALAR_COUNT],
    uint8_t out[FZ_SCALAR_COUNT]
);
/// n - scalar; 0 for 0.
void fz_scalar_negate(const uint8_t scalar[FZ_SCALAR_COUNT], uint8_t out[FZ_SCALAR_COUNT]);
/// The inverse modulo n; false for 0.
bool fz_scalar_invert(const uint8_t scalar[FZ_SCALAR_COUNT], uint8_t out[FZ_SCALAR_COUNT]);

/// generator_factor * G + point_factor * point; `point` may be null. False for the point at infinity, and for a point
/// that is not on the curve.
bool fz_point_combine(
    const uint8_t generator_factor[FZ_SCALAR_COUNT], const uint8_t point_factor[FZ_SCALAR_COUNT], const uint8_t *point,
    uint8_t out[FZ_POINT_COUNT]
);
/// The point with that x and an odd or even y; false when the curve has none.
bool fz_point_with_x(const uint8_t x[FZ_SCALAR_COUNT], bool is_odd, uint8_t out[FZ_POINT_COUNT]);

/// Whether OpenSSL's error queue of this thread is empty; empties it.
bool fz_error_queue_was_empty(void);

#endif
