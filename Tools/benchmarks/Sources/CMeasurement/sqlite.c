#include "sqlite.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct raw_database {
    sqlite3 *connection;
    sqlite3_stmt *insertion;
    // NULL if there is only one.
    sqlite3_stmt *further;
};

static int run(sqlite3 *database, const char *sql) { return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK; }

static int prepare(sqlite3 *database, const char *sql, sqlite3_stmt **statement) {
    return sql == NULL || sqlite3_prepare_v2(database, sql, -1, statement, NULL) == SQLITE_OK;
}

raw_database *raw_open(const char *path, const char *schema, const char *insertion, const char *further) {
    raw_database *database = calloc(1, sizeof *database);
    if (database == NULL) return NULL;
    int is_done = sqlite3_open(path, &database->connection) == SQLITE_OK &&
                  run(database->connection, "PRAGMA journal_mode = WAL") &&
                  run(database->connection, "PRAGMA synchronous = FULL") &&
                  // On Apple's systems, only this survives a power failure; elsewhere it changes nothing.
                  run(database->connection, "PRAGMA fullfsync = ON") && run(database->connection, schema) &&
                  prepare(database->connection, insertion, &database->insertion) &&
                  prepare(database->connection, further, &database->further);
    if (is_done) return database;
    raw_close(database);
    return NULL;
}

static int step(sqlite3_stmt *statement) {
    return sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK;
}

int raw_insert(raw_database *database, size_t size) {
    unsigned char *row = malloc(size);
    if (row == NULL) return 0;
    memset(row, 0xA5, size);
    int is_done = sqlite3_bind_blob64(database->insertion, 1, row, size, SQLITE_STATIC) == SQLITE_OK;
    if (database->further == NULL) {
        is_done = is_done && step(database->insertion);
    } else {
        is_done = is_done && run(database->connection, "BEGIN IMMEDIATE") && step(database->insertion) &&
                  step(database->further) && run(database->connection, "COMMIT");
    }
    free(row);
    return is_done;
}

void raw_close(raw_database *database) {
    sqlite3_finalize(database->insertion);
    sqlite3_finalize(database->further);
    sqlite3_close(database->connection);
    free(database);
}

long raw_select(const char *path, const char *query) {
    sqlite3 *database = NULL;
    sqlite3_stmt *selection = NULL;
    long count = -1;
    if (sqlite3_open(path, &database) == SQLITE_OK &&
        sqlite3_prepare_v2(database, query, -1, &selection, NULL) == SQLITE_OK) {
        int result;
        // Read, so that the compiler cannot leave a column out.
        volatile sqlite3_int64 sum = 0;
        for (count = 0; (result = sqlite3_step(selection)) == SQLITE_ROW; count++) {
            for (int column = 0; column < sqlite3_column_count(selection); column++) {
                switch (sqlite3_column_type(selection, column)) {
                case SQLITE_INTEGER: sum += sqlite3_column_int64(selection, column); break;
                case SQLITE_TEXT: sum += sqlite3_column_text(selection, column)[0]; break;
                case SQLITE_BLOB: sum += ((const unsigned char *)sqlite3_column_blob(selection, column))[0]; break;
                default: break;
                }
            }
        }
        if (result != SQLITE_DONE) count = -1;
    }
    sqlite3_finalize(selection);
    sqlite3_close(database);
    return count;
}
