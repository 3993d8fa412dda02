#include "sqlite.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static int run(sqlite3 *database, const char *sql) { return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK; }

int raw_insert(const char *path, size_t count, size_t size) {
    sqlite3 *database = NULL;
    sqlite3_stmt *insertion = NULL;
    unsigned char *row = malloc(size);
    int is_done = row != NULL && sqlite3_open(path, &database) == SQLITE_OK &&
                  run(database, "PRAGMA journal_mode = WAL") && run(database, "PRAGMA synchronous = FULL") &&
                  run(database, "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, content BLOB NOT NULL)") &&
                  sqlite3_prepare_v2(database, "INSERT INTO rows (content) VALUES (?)", -1, &insertion, NULL) == SQLITE_OK;
    if (is_done) memset(row, 0xA5, size);
    for (size_t number = 0; is_done && number < count; number++) {
        is_done = sqlite3_bind_blob64(insertion, 1, row, size, SQLITE_STATIC) == SQLITE_OK &&
                  sqlite3_step(insertion) == SQLITE_DONE && sqlite3_reset(insertion) == SQLITE_OK;
    }
    sqlite3_finalize(insertion);
    sqlite3_close(database);
    free(row);
    return is_done;
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
