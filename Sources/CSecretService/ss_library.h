// The part of libsecret's and GLib's stable ABI that this module uses, and the functions in the opened library.
#ifndef SS_LIBRARY_H
#define SS_LIBRARY_H

#include "CSecretService.h"

// Types of GLib that are only passed on.
typedef struct object object;
typedef struct variant variant;
typedef struct variant_type variant_type;
typedef struct hash_table hash_table;
typedef struct main_context main_context;
typedef struct schema schema;
typedef struct secret_value secret_value;

/// GError.
typedef struct error {
    uint32_t domain;
    int code;
    char *message;
} error;

/// GList.
typedef struct list {
    void *data;
    struct list *next;
    struct list *previous;
} list;

/// The functions with their results and parameters. `int` stands for gboolean, `size_t` for GType.
#define SS_FUNCTIONS(F) \
    F(void, g_free, (void *)) \
    F(void, g_error_free, (error *)) \
    F(void, g_list_free, (list *)) \
    F(unsigned, g_str_hash, (const void *)) \
    F(int, g_str_equal, (const void *, const void *)) \
    F(hash_table *, g_hash_table_new, (unsigned (*)(const void *), int (*)(const void *, const void *))) \
    F(int, g_hash_table_insert, (hash_table *, void *, void *)) \
    F(void *, g_hash_table_lookup, (hash_table *, const void *)) \
    F(void, g_hash_table_unref, (hash_table *)) \
    F(variant *, g_variant_new, (const char *, ...)) \
    F(void, g_variant_get, (variant *, const char *, ...)) \
    F(void, g_variant_unref, (variant *)) \
    F(main_context *, g_main_context_new, (void)) \
    F(void, g_main_context_push_thread_default, (main_context *)) \
    F(int, g_main_context_iteration, (main_context *, int)) \
    F(void, g_main_context_pop_thread_default, (main_context *)) \
    F(void, g_main_context_unref, (main_context *)) \
    F(void, g_object_unref, (void *)) \
    F(uint32_t, g_io_error_quark, (void)) \
    F(uint32_t, g_dbus_error_quark, (void)) \
    F(object *, g_cancellable_new, (void)) \
    F(void, g_cancellable_cancel, (object *)) \
    F(char *, g_dbus_address_get_for_bus_sync, (int, object *, error **)) \
    F(object *, g_dbus_connection_new_for_address_sync, (const char *, int, object *, object *, error **)) \
    F(variant *, g_dbus_connection_call_sync, \
      (object *, const char *, const char *, const char *, const char *, variant *, const variant_type *, int, int, \
       object *, error **)) \
    F(object *, g_bus_get_sync, (int, object *, error **)) \
    F(int, g_dbus_connection_get_exit_on_close, (object *)) \
    F(void, g_dbus_connection_set_exit_on_close, (object *, int)) \
    F(uint32_t, secret_error_get_quark, (void)) \
    F(size_t, secret_service_get_type, (void)) \
    F(object *, secret_service_open_sync, (size_t, const char *, int, object *, error **)) \
    F(list *, secret_service_search_sync, (object *, const schema *, hash_table *, int, object *, error **)) \
    F(object *, secret_collection_for_alias_sync, (object *, const char *, int, object *, error **)) \
    F(int, secret_collection_get_locked, (object *)) \
    F(object *, secret_item_create_sync, \
      (object *, const schema *, hash_table *, const char *, secret_value *, int, object *, error **)) \
    F(int, secret_item_get_locked, (object *)) \
    F(hash_table *, secret_item_get_attributes, (object *)) \
    F(int, secret_item_load_secret_sync, (object *, object *, error **)) \
    F(secret_value *, secret_item_get_secret, (object *)) \
    F(int, secret_item_delete_sync, (object *, object *, error **)) \
    F(schema *, secret_schema_newv, (const char *, int, hash_table *)) \
    F(void, secret_schema_unref, (schema *)) \
    F(secret_value *, secret_value_new, (const char *, ptrdiff_t, const char *)) \
    F(const char *, secret_value_get, (secret_value *, size_t *)) \
    F(void, secret_value_unref, (void *))

struct ss_library {
#define SS_MEMBER(result, name, parameters) result(*name) parameters;
    SS_FUNCTIONS(SS_MEMBER)
#undef SS_MEMBER
};

enum { BUS_OF_SESSION = 2 };

struct ss_cancellation {
    const ss_library *library;
    object *cancellable;
};

/// Writes a message, and returns the status.
ss_status ss_fail(ss_status status, const char *text, ss_message *message);

/// Frees an error of the library, writes its message, and returns its status.
///
/// @param unknown The status of an error that the library does not tell from others.
ss_status ss_fail_with(const ss_library *library, error *error, ss_status unknown, ss_message *message);

#endif
