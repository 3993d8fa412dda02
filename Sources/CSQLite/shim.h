// The header of SQLite 3, and functions for what Swift cannot import: variadic functions and casts of function pointers.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

#if SQLITE_VERSION_NUMBER < 3037000
#error "SQLite 3.37 or newer is required, for STRICT tables"
#endif

/// Binds text that SQLite copies: SQLITE_TRANSIENT is a cast that Swift cannot import.
static inline int purchase_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds bytes that SQLite copies. A null pointer would bind NULL, so no bytes are an empty blob.
static inline int purchase_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Switches a boolean option of a connection, such as SQLITE_DBCONFIG_DEFENSIVE: sqlite3_db_config is variadic.
static inline int purchase_sqlite_configure(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

#endif
