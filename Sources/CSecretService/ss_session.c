#include "ss_library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ss_session {
    const ss_library *library;
    object *cancellable;
    /// The context of the thread while the session exists, so that nothing of it is left to the app's own main loop.
    main_context *context;
    object *connection;
    object *service;
    schema *schema;
};

struct ss_item {
    object *item;
    char *number;
};

struct ss_items {
    ss_session *session;
    size_t count;
    struct ss_item entries[];
};

#define COLLECTION "default"
#define CONTENT_TYPE "application/octet-stream"

#define SCHEMA "receipt-verification.SealingKey"
#define STORE "store"
#define NUMBER "number"
#define IDENTIFIER "key"

enum {
    SEARCH_ALL = 1 << 1,
};

/// The library takes texts that it does not change as pointers that are not const.
static void set(const ss_library *library, hash_table *table, const char *key, const char *value) {
    library->g_hash_table_insert(table, (void *)key, (void *)value);
}

static hash_table *attributes(const ss_library *library, const char *store) {
    hash_table *table = library->g_hash_table_new(library->g_str_hash, library->g_str_equal);
    set(library, table, STORE, store);
    return table;
}

// MARK: Session

static schema *new_schema(const ss_library *library) {
    // Null as the type of an attribute stands for text.
    hash_table *types = library->g_hash_table_new(library->g_str_hash, library->g_str_equal);
    for (size_t index = 0; index < 3; index++) {
        set(library, types, (const char *const[]){STORE, NUMBER, IDENTIFIER}[index], NULL);
    }
    schema *schema = library->secret_schema_newv(SCHEMA, 0, types);
    library->g_hash_table_unref(types);
    return schema;
}

/// The sessions that use the process's one connection to the bus, and what it did at the end of the bus before them.
static pthread_mutex_t connection_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t connection_users = 0;
static int former_exit_on_close = 0;

/// Keeps the connection from ending the process with the bus, which it does by default. That suits programs of the
/// desktop only.
static void begin_use(const ss_library *library, object *connection) {
    pthread_mutex_lock(&connection_lock);
    if (connection_users++ == 0) former_exit_on_close = library->g_dbus_connection_get_exit_on_close(connection);
    library->g_dbus_connection_set_exit_on_close(connection, 0);
    pthread_mutex_unlock(&connection_lock);
}

/// Gives the connection its former setting back, because it can be the app's too.
static void end_use(const ss_library *library, object *connection) {
    pthread_mutex_lock(&connection_lock);
    if (--connection_users == 0) library->g_dbus_connection_set_exit_on_close(connection, former_exit_on_close);
    pthread_mutex_unlock(&connection_lock);
}

static ss_status open_service(ss_session *session, ss_message *message) {
    const ss_library *library = session->library;
    error *error = NULL;
    // The connection that libsecret uses too.
    session->connection = library->g_bus_get_sync(BUS_OF_SESSION, session->cancellable, &error);
    if (session->connection == NULL) return ss_fail_with(library, error, SS_NO_SERVICE, message);
    begin_use(library, session->connection);
    session->service = library->secret_service_open_sync(
        library->secret_service_get_type(), NULL, 0, session->cancellable, &error
    );
    if (session->service == NULL) return ss_fail_with(library, error, SS_NO_SERVICE, message);
    return SS_OK;
}

ss_status ss_session_new(
    const ss_library *library, ss_cancellation *cancellation, ss_session **out, ss_message *message
) {
    ss_session *session = calloc(1, sizeof *session);
    if (session == NULL) return ss_fail(SS_NO_MEMORY, "out of memory", message);
    session->library = library;
    session->cancellable = cancellation->cancellable;
    session->schema = new_schema(library);
    session->context = library->g_main_context_new();
    library->g_main_context_push_thread_default(session->context);
    ss_status status = open_service(session, message);
    if (status == SS_OK) {
        *out = session;
    } else {
        ss_session_free(session);
    }
    return status;
}

void ss_session_free(ss_session *session) {
    if (session == NULL) return;
    const ss_library *library = session->library;
    if (session->service != NULL) library->g_object_unref(session->service);
    // What the library has left to do in this context, such as to free what receives signals, and to note that the bus
    // has ended, which must not find the former setting of the connection.
    while (library->g_main_context_iteration(session->context, 0)) {}
    if (session->connection != NULL) {
        end_use(library, session->connection);
        library->g_object_unref(session->connection);
    }
    library->g_main_context_pop_thread_default(session->context);
    library->g_main_context_unref(session->context);
    library->secret_schema_unref(session->schema);
    free(session);
}

// MARK: Collection

static ss_status open_collection(ss_session *session, object **out, ss_message *message) {
    const ss_library *library = session->library;
    error *error = NULL;
    *out = library->secret_collection_for_alias_sync(session->service, COLLECTION, 0, session->cancellable, &error);
    if (error != NULL) return ss_fail_with(library, error, SS_FAILED, message);
    if (*out == NULL) return ss_fail(SS_NO_SERVICE, "the Secret Service has no default collection", message);
    return SS_OK;
}

ss_status ss_session_check_collection(ss_session *session, bool *is_locked, ss_message *message) {
    object *collection = NULL;
    ss_status status = open_collection(session, &collection, message);
    if (status != SS_OK) return status;
    *is_locked = session->library->secret_collection_get_locked(collection);
    session->library->g_object_unref(collection);
    return SS_OK;
}

ss_status ss_session_add(
    ss_session *session, const char *label, const char *store, const char *number, const char *identifier,
    const uint8_t *secret, size_t count, ss_message *message
) {
    const ss_library *library = session->library;
    object *collection = NULL;
    ss_status status = open_collection(session, &collection, message);
    if (status != SS_OK) return status;
    if (library->secret_collection_get_locked(collection)) {
        status = ss_fail(SS_LOCKED, "the default collection of the Secret Service is locked", message);
    } else {
        hash_table *table = attributes(library, store);
        set(library, table, NUMBER, number);
        set(library, table, IDENTIFIER, identifier);
        secret_value *value = library->secret_value_new((const char *)secret, (ptrdiff_t)count, CONTENT_TYPE);
        error *error = NULL;
        object *item = library->secret_item_create_sync(
            collection, session->schema, table, label, value, 0, session->cancellable, &error
        );
        if (item == NULL) {
            status = ss_fail_with(library, error, SS_FAILED, message);
        } else {
            library->g_object_unref(item);
        }
        library->secret_value_unref(value);
        library->g_hash_table_unref(table);
    }
    library->g_object_unref(collection);
    return status;
}

// MARK: Items

/// Returns a copy of the number of an item; null if an allocation failed.
static char *copy_number(const ss_library *library, object *item) {
    hash_table *table = library->secret_item_get_attributes(item);
    if (table == NULL) return strdup("");
    const char *number = library->g_hash_table_lookup(table, NUMBER);
    char *copy = strdup(number == NULL ? "" : number);
    library->g_hash_table_unref(table);
    return copy;
}

ss_status ss_items_new(ss_session *session, const char *store, ss_items **out, ss_message *message) {
    const ss_library *library = session->library;
    hash_table *table = attributes(library, store);
    error *error = NULL;
    // Without the flag that unlocks, so that nothing asks the user.
    list *found = library->secret_service_search_sync(
        session->service, session->schema, table, SEARCH_ALL, session->cancellable, &error
    );
    library->g_hash_table_unref(table);
    if (error != NULL) return ss_fail_with(library, error, SS_FAILED, message);
    size_t count = 0;
    for (list *entry = found; entry != NULL; entry = entry->next) count++;
    ss_items *items = calloc(1, sizeof *items + count * sizeof items->entries[0]);
    bool is_complete = items != NULL;
    for (list *entry = found; entry != NULL; entry = entry->next) {
        if (items == NULL) {
            library->g_object_unref(entry->data);
            continue;
        }
        char *number = copy_number(library, entry->data);
        is_complete = is_complete && number != NULL;
        items->entries[items->count++] = (struct ss_item){entry->data, number};
    }
    library->g_list_free(found);
    if (items != NULL) items->session = session;
    if (!is_complete) {
        ss_items_free(items);
        return ss_fail(SS_NO_MEMORY, "out of memory", message);
    }
    *out = items;
    return SS_OK;
}

void ss_items_free(ss_items *items) {
    if (items == NULL) return;
    for (size_t index = 0; index < items->count; index++) {
        items->session->library->g_object_unref(items->entries[index].item);
        free(items->entries[index].number);
    }
    free(items);
}

size_t ss_items_count(const ss_items *items) {
    return items->count;
}

bool ss_items_is_locked(const ss_items *items, size_t index) {
    return items->session->library->secret_item_get_locked(items->entries[index].item);
}

const char *ss_items_number(const ss_items *items, size_t index) {
    return items->entries[index].number;
}

ss_status ss_items_copy_secret(
    ss_items *items, size_t index, uint8_t *bytes, size_t capacity, size_t *count, ss_message *message
) {
    const ss_library *library = items->session->library;
    object *item = items->entries[index].item;
    error *error = NULL;
    if (!library->secret_item_load_secret_sync(item, items->session->cancellable, &error)) {
        return ss_fail_with(library, error, SS_FAILED, message);
    }
    secret_value *value = library->secret_item_get_secret(item);
    if (value == NULL) return ss_fail(SS_LOCKED, "an item of the Secret Service is locked", message);
    const char *secret = library->secret_value_get(value, count);
    memcpy(bytes, secret, *count < capacity ? *count : capacity);
    library->secret_value_unref(value);
    return SS_OK;
}

ss_status ss_items_delete(ss_items *items, size_t index, ss_message *message) {
    const ss_library *library = items->session->library;
    error *error = NULL;
    if (!library->secret_item_delete_sync(items->entries[index].item, items->session->cancellable, &error)) {
        return ss_fail_with(library, error, SS_FAILED, message);
    }
    return SS_OK;
}
