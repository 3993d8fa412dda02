// The references of the recorded purchases: SQLite without anything around it, and what a process allocates and writes.
#ifndef SQLITE_REFERENCE_H
#define SQLITE_REFERENCE_H

#include <stddef.h>

/// A connection to a database with the statements that insert into it.
typedef struct raw_database raw_database;

/// Opens or creates a database with a write-ahead log. Each transaction is on the disk at its end. Returns null on failure.
///
/// `schema` is run at once. `insertion` has one parameter, for a row's content; `further` has none, and can be null.
raw_database *raw_open(const char *path, const char *schema, const char *insertion, const char *further);

/// Runs both insertions with `size` bytes of content in a transaction of their own. Returns 0 on failure.
int raw_insert(raw_database *database, size_t size);

void raw_close(raw_database *database);

/// Runs a query and reads each column of its rows. Returns the number of rows; negative on failure.
long raw_select(const char *path, const char *query);

/// Returns the number of allocations of the calling thread so far; negative if they are not counted on this system.
long allocation_count(void);

typedef struct write_counts {
    /// How many times the process has waited for a file to be on the disk.
    long synchronizations;
    /// The bytes that it has written at positions of files.
    long bytes;
} write_counts;

/// Returns what the process has written so far; negative numbers if that is not counted on this system.
write_counts count_writes(void);

#endif
