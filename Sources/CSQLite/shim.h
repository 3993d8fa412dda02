// The header of SQLite 3, and functions for what Swift cannot import: variadic functions, casts of function pointers, and a
// file system whose files begin with the struct of another one.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>
#include <string.h>

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

/// The part of a page that SQLite does not use, as two offsets; there is none if they are equal.
typedef struct {
    int start;
    int end;
} purchase_sqlite_gap;

/// Returns the unused part of what is written to a database file at an offset.
typedef purchase_sqlite_gap (*purchase_sqlite_find_gap)(const void *bytes, int count, sqlite3_int64 offset);

/// Decides whether SQLite may open a file: SQLITE_OK, or the result code with which opening it fails.
///
/// The database is the open file that a journal or a log belongs to. A database file is passed twice, without one before
/// it is opened, and then with itself.
typedef int (*purchase_sqlite_may_open)(const char *name, int flags, sqlite3_file *database);

/// A file system in front of the default one.
typedef struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *base;
    purchase_sqlite_find_gap find_gap;
    purchase_sqlite_may_open may_open;
} purchase_sqlite_vfs;

/// What a database file has behind the struct of the default file system. The methods are first: the file points to them.
typedef struct {
    sqlite3_io_methods methods;
    const sqlite3_io_methods *base;
    purchase_sqlite_find_gap find_gap;
    int flags;
} purchase_sqlite_file;

/// Returns the flags with which a database file was opened.
static inline int purchase_sqlite_flags(const sqlite3_file *database) {
    return ((const purchase_sqlite_file *)database->pMethods)->flags;
}

/// Reads the size of a database file and its first bytes, through SQLite: closing another descriptor of the file would end
/// all locks that the process has on it.
static inline int purchase_sqlite_read_start(sqlite3_file *database, void *bytes, int count, sqlite3_int64 *size) {
    int result = database->pMethods->xFileSize(database, size);
    if (result != SQLITE_OK) return result;
    return database->pMethods->xRead(database, bytes, *size < count ? (int)*size : count, 0);
}

/// Writes zeros in place of the unused part of a page.
static inline int purchase_sqlite_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    const purchase_sqlite_file *own = (const purchase_sqlite_file *)file->pMethods;
    purchase_sqlite_gap gap = own->find_gap(bytes, count, offset);
    unsigned char page[65536];
    if (gap.start < 0 || gap.end <= gap.start || gap.end > count || count > (int)sizeof page)
        return own->base->xWrite(file, bytes, count, offset);
    memcpy(page, bytes, (size_t)count);
    memset(page + gap.start, 0, (size_t)(gap.end - gap.start));
    return own->base->xWrite(file, page, count, offset);
}

/// Opens a file of the default file system if that is allowed, and replaces how a database file is written.
static inline int purchase_sqlite_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
    purchase_sqlite_vfs *own = (purchase_sqlite_vfs *)vfs->pAppData;
    // Only the names of these files lead to their database. A temporary file has none.
    int has_database = flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL);
    sqlite3_file *database = name && has_database ? sqlite3_database_file_object(name) : (sqlite3_file *)0;
    int result = name ? own->may_open(name, flags, database) : SQLITE_OK;
    file->pMethods = (const sqlite3_io_methods *)0;
    if (result != SQLITE_OK) return result;
    result = own->base->xOpen(own->base, name, file, flags, out);
    if (result != SQLITE_OK || !file->pMethods || !(flags & SQLITE_OPEN_MAIN_DB)) return result;
    purchase_sqlite_file *extension = (purchase_sqlite_file *)((char *)file + (own->vfs.szOsFile - (int)sizeof *extension));
    extension->methods = *file->pMethods;
    extension->methods.xWrite = purchase_sqlite_write;
    extension->base = file->pMethods;
    extension->find_gap = own->find_gap;
    extension->flags = flags;
    file->pMethods = &extension->methods;
    result = own->may_open(name, flags, file);
    if (result == SQLITE_OK) return result;
    file->pMethods->xClose(file);
    file->pMethods = (const sqlite3_io_methods *)0;
    return result;
}

/// Registers the file system for as long as the process runs.
static inline int purchase_sqlite_register_vfs(const char *name, purchase_sqlite_find_gap find_gap,
                                               purchase_sqlite_may_open may_open) {
    sqlite3_vfs *base = sqlite3_vfs_find((const char *)0);
    purchase_sqlite_vfs *own = (purchase_sqlite_vfs *)sqlite3_malloc((int)sizeof *own);
    char *copy = sqlite3_mprintf("%s", name);
    if (!base || !own || !copy) return SQLITE_NOMEM;
    own->vfs = *base;
    own->vfs.pNext = (sqlite3_vfs *)0;
    own->vfs.zName = copy;
    own->vfs.pAppData = own;
    own->vfs.szOsFile = (base->szOsFile + 15) / 16 * 16 + (int)sizeof(purchase_sqlite_file);
    own->vfs.xOpen = purchase_sqlite_open;
    own->base = base;
    own->find_gap = find_gap;
    own->may_open = may_open;
    return sqlite3_vfs_register(&own->vfs, 0);
}

#endif
