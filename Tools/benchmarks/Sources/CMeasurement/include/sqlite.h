// The references of the recorded purchases: SQLite without anything around it, and the number of allocations.
#ifndef SQLITE_REFERENCE_H
#define SQLITE_REFERENCE_H

#include <stddef.h>

/// Creates a database with a write-ahead log and inserts `count` rows of `size` bytes, each in a transaction that is on the
/// disk at its end. Returns 0 on failure.
int raw_insert(const char *path, size_t count, size_t size);

/// Runs a query and reads each column of its rows. Returns the number of rows; negative on failure.
long raw_select(const char *path, const char *query);

/// Returns the number of allocations of the calling thread so far; negative if they are not counted on this system.
long allocation_count(void);

#endif
