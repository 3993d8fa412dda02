#include "ss_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ss_status ss_fail(ss_status status, const char *text, ss_message *message) {
    snprintf(message->text, sizeof message->text, "%s", text);
    return status;
}

// MARK: Library

#if defined(RTLD_NODELETE)
#define SS_OPEN_FLAGS (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
#else
#define SS_OPEN_FLAGS (RTLD_NOW | RTLD_LOCAL)
#endif

ss_status ss_library_new(const char *name, ss_library **out, ss_message *message) {
    void *opened = dlopen(name, SS_OPEN_FLAGS);
    if (opened == NULL) {
        const char *reason = dlerror();
        return ss_fail(SS_NO_LIBRARY, reason == NULL ? name : reason, message);
    }
    ss_library *library = calloc(1, sizeof *library);
    if (library == NULL) return ss_fail(SS_NO_MEMORY, "out of memory", message);
    const char *missing = NULL;
    // The library's own dependencies are searched too, so its GLib is the one that is used. POSIX lets the pointer to a
    // function be stored through one to an object.
#define SS_FIND(result, function, parameters) \
    *(void **)&library->function = dlsym(opened, #function); \
    if (library->function == NULL) missing = #function;
    SS_FUNCTIONS(SS_FIND)
#undef SS_FIND
    if (missing != NULL) {
        snprintf(message->text, sizeof message->text, "%s has no function %s", name, missing);
        free(library);
        return SS_NO_LIBRARY;
    }
    *out = library;
    return SS_OK;
}

void ss_library_free(ss_library *library) {
    free(library);
}

// MARK: Errors

enum {
    IO_ERROR_CLOSED = 18,
    IO_ERROR_CANCELLED = 19,
    IO_ERROR_TIMED_OUT = 24,
    DBUS_ERROR_SERVICE_UNKNOWN = 2,
    DBUS_ERROR_NAME_HAS_NO_OWNER = 3,
    DBUS_ERROR_NO_REPLY = 4,
    DBUS_ERROR_TIMEOUT = 12,
    DBUS_ERROR_DISCONNECTED = 15,
    DBUS_ERROR_TIMED_OUT = 20,
    DBUS_ERROR_FIRST_OF_SPAWN = 23,
    DBUS_ERROR_LAST_OF_SPAWN = 34,
    SECRET_ERROR_IS_LOCKED = 2,
};

static ss_status status_of_io(int code, ss_status unknown) {
    switch (code) {
    case IO_ERROR_CANCELLED: return SS_CANCELLED;
    case IO_ERROR_TIMED_OUT: return SS_TIMED_OUT;
    case IO_ERROR_CLOSED: return SS_NO_SERVICE;
    default: return unknown;
    }
}

static ss_status status_of_bus(int code, ss_status unknown) {
    switch (code) {
    case DBUS_ERROR_SERVICE_UNKNOWN:
    case DBUS_ERROR_NAME_HAS_NO_OWNER:
    case DBUS_ERROR_DISCONNECTED: return SS_NO_SERVICE;
    case DBUS_ERROR_NO_REPLY:
    case DBUS_ERROR_TIMEOUT:
    case DBUS_ERROR_TIMED_OUT: return SS_TIMED_OUT;
    // The bus could not start the service.
    default: return code >= DBUS_ERROR_FIRST_OF_SPAWN && code <= DBUS_ERROR_LAST_OF_SPAWN ? SS_NO_SERVICE : unknown;
    }
}

static ss_status status_of(const ss_library *library, const error *error, ss_status unknown) {
    if (error->domain == library->g_io_error_quark()) return status_of_io(error->code, unknown);
    if (error->domain == library->g_dbus_error_quark()) return status_of_bus(error->code, unknown);
    bool is_locked = error->domain == library->secret_error_get_quark() && error->code == SECRET_ERROR_IS_LOCKED;
    return is_locked ? SS_LOCKED : unknown;
}

ss_status ss_fail_with(const ss_library *library, error *error, ss_status unknown, ss_message *message) {
    if (error == NULL) return ss_fail(unknown, "the library has given no reason", message);
    ss_status status = ss_fail(status_of(library, error, unknown), error->message, message);
    library->g_error_free(error);
    return status;
}

// MARK: Cancellation

ss_status ss_cancellation_new(const ss_library *library, ss_cancellation **out, ss_message *message) {
    ss_cancellation *cancellation = malloc(sizeof *cancellation);
    if (cancellation == NULL) return ss_fail(SS_NO_MEMORY, "out of memory", message);
    cancellation->library = library;
    cancellation->cancellable = library->g_cancellable_new();
    *out = cancellation;
    return SS_OK;
}

void ss_cancellation_cancel(ss_cancellation *cancellation) {
    cancellation->library->g_cancellable_cancel(cancellation->cancellable);
}

void ss_cancellation_free(ss_cancellation *cancellation) {
    if (cancellation == NULL) return;
    cancellation->library->g_object_unref(cancellation->cancellable);
    free(cancellation);
}
