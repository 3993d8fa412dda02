// Arithmetic on P-256 for the fuzz targets: signatures with chosen nonces, keys computed from signatures, points with a
// known relation. Nothing here runs in constant time, and no verifier uses it.
//
// Scalars are 32 big-endian bytes, reduced modulo n; points are 04 || x || y.
#ifndef FZ_CURVE_H
#define FZ_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#define FZ_SCALAR_COUNT 32
#define FZ_POINT_COUNT 65

/// Computes left * right + addend modulo n.
void fz_scalar_multiply_add(
    const uint8_t left[FZ_SCALAR_COUNT], const uint8_t right[FZ_SCALAR_COUNT], const uint8_t addend[FZ_SCALAR_COUNT],
    uint8_t out[FZ_SCALAR_COUNT]
);
/// Computes -scalar modulo n.
void fz_scalar_negate(const uint8_t scalar[FZ_SCALAR_COUNT], uint8_t out[FZ_SCALAR_COUNT]);
/// Computes the inverse modulo n. Returns false for 0.
bool fz_scalar_invert(const uint8_t scalar[FZ_SCALAR_COUNT], uint8_t out[FZ_SCALAR_COUNT]);

/// Computes generator_factor * G + point_factor * point; `point` may be null. Returns false if the result is infinity
/// or `point` is not on the curve.
bool fz_point_combine(
    const uint8_t generator_factor[FZ_SCALAR_COUNT], const uint8_t point_factor[FZ_SCALAR_COUNT], const uint8_t *point,
    uint8_t out[FZ_POINT_COUNT]
);
/// Computes the point with this x and an odd or even y. Returns false if the curve has none.
bool fz_point_with_x(const uint8_t x[FZ_SCALAR_COUNT], bool is_odd, uint8_t out[FZ_POINT_COUNT]);

/// Empties OpenSSL's error queue of this thread. Returns whether it was empty.
bool fz_error_queue_was_empty(void);

#endif
