#include "ss_library.h"

#include <stdlib.h>

struct ss_lock {
    const ss_library *library;
    object *cancellable;
    object *connection;
};

enum {
    CLIENT_OF_BUS = 1 << 0 | 1 << 3,
    DEFAULT_TIMEOUT = -1,
    NAME_IS_OWNED = 1,
    NAME_WAS_OWNED = 4,
};

#define BUS "org.freedesktop.DBus"
#define BUS_PATH "/org/freedesktop/DBus"

ss_status ss_lock_new(
    const ss_library *library, ss_cancellation *cancellation, ss_lock **out, ss_message *message
) {
    error *error = NULL;
    object *cancellable = cancellation->cancellable;
    char *address = library->g_dbus_address_get_for_bus_sync(BUS_OF_SESSION, cancellable, &error);
    if (address == NULL) return ss_fail_with(library, error, SS_NO_SERVICE, message);
    object *connection =
        library->g_dbus_connection_new_for_address_sync(address, CLIENT_OF_BUS, NULL, cancellable, &error);
    library->g_free(address);
    if (connection == NULL) return ss_fail_with(library, error, SS_NO_SERVICE, message);
    ss_lock *lock = malloc(sizeof *lock);
    if (lock == NULL) {
        library->g_object_unref(connection);
        return ss_fail(SS_NO_MEMORY, "out of memory", message);
    }
    *lock = (ss_lock){.library = library, .cancellable = cancellable, .connection = connection};
    *out = lock;
    return SS_OK;
}

void ss_lock_free(ss_lock *lock) {
    if (lock == NULL) return;
    // Without its last owner, the connection is closed, and the bus gives the name to the next in the queue.
    lock->library->g_object_unref(lock->connection);
    free(lock);
}

ss_status ss_lock_try(ss_lock *lock, const char *name, bool *is_taken, ss_message *message) {
    const ss_library *library = lock->library;
    error *error = NULL;
    // Without a flag, the connection waits in the queue for the name.
    variant *parameters = library->g_variant_new("(su)", name, (uint32_t)0);
    variant *reply = library->g_dbus_connection_call_sync(
        lock->connection, BUS, BUS_PATH, BUS, "RequestName", parameters, (const variant_type *)"(u)", 0,
        DEFAULT_TIMEOUT, lock->cancellable, &error
    );
    if (reply == NULL) return ss_fail_with(library, error, SS_FAILED, message);
    uint32_t result = 0;
    library->g_variant_get(reply, "(u)", &result);
    library->g_variant_unref(reply);
    *is_taken = result == NAME_IS_OWNED || result == NAME_WAS_OWNED;
    return SS_OK;
}
