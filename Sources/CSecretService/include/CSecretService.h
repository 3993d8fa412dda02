// CSecretService: the calls of libsecret and GLib with which PurchaseStorage keeps keys in a desktop's Secret Service.
//
// The library is opened when it is first used, by dlopen: no program links GLib because of it, and no header of it is
// needed. Its types and functions are declared in `ss_library.h`, as in their stable ABI. Which keys are accepted, when
// one is made, and how long a call may take is decided in Swift.
//
// Rules for every function, unless its comment says otherwise:
//
// - A function that can fail returns an ss_status and stores a handle in `*out` only if it returns SS_OK. If it returns
//   another status, `message` has the reason.
// - The caller owns a handle stored in `*out` and frees it with the `_free` function of its type, which accepts null.
//   A handle must be freed before those that it was made with.
// - Only the thread that has made a handle uses and frees it, unless the type's comment says otherwise.
// - A function keeps no pointer to the caller's memory after it returns, except to the handles that it is given.
// - A function that takes a cancellation, or a handle that was made with one, can wait until it is cancelled.
#ifndef CSECRETSERVICE_H
#define CSECRETSERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Marks an enumeration as complete, so that Swift can switch over it without a default case.
#if defined(__clang__)
#define SS_CLOSED_ENUM __attribute__((enum_extensibility(closed)))
#else
#define SS_CLOSED_ENUM
#endif

/// The result of a call.
typedef enum SS_CLOSED_ENUM ss_status {
    SS_OK = 0,
    /// The library or one of its functions does not exist.
    SS_NO_LIBRARY = 1,
    /// There is no bus, or no Secret Service on it.
    SS_NO_SERVICE = 2,
    /// The keys are locked. No function asks the user to unlock them.
    SS_LOCKED = 3,
    /// The cancellation was cancelled.
    SS_CANCELLED = 4,
    /// The service has not answered within the time limit of the bus.
    SS_TIMED_OUT = 5,
    /// The service has reported another error.
    SS_FAILED = 6,
    /// An allocation failed.
    SS_NO_MEMORY = 7,
} ss_status;

/// The reason for a status other than SS_OK, as text that ends with a zero byte.
typedef struct ss_message {
    char text[256];
} ss_message;

/// The library's functions. Any number of threads may use them at the same time, and any thread may free them.
typedef struct ss_library ss_library;

/// Opens the library, such as `libsecret-1.so.0`. It stays in the process when the handle is freed, because GLib has
/// threads of its own.
ss_status ss_library_new(const char *name, ss_library **out, ss_message *message);
void ss_library_free(ss_library *library);

/// Ends calls that wait. Any thread may use and free it.
typedef struct ss_cancellation ss_cancellation;

ss_status ss_cancellation_new(const ss_library *library, ss_cancellation **out, ss_message *message);
/// Makes the calls that were given the handle return SS_CANCELLED, now and later.
void ss_cancellation_cancel(ss_cancellation *cancellation);
void ss_cancellation_free(ss_cancellation *cancellation);

/// A lock that one connection to the bus of the user's session has at a time.
typedef struct ss_lock ss_lock;

/// Connects to the bus, with a connection of its own.
ss_status ss_lock_new(
    const ss_library *library, ss_cancellation *cancellation, ss_lock **out, ss_message *message
);
/// Gives the lock back.
void ss_lock_free(ss_lock *lock);
/// Asks the bus for the lock of a name. Between two calls, the connection keeps its place in the queue.
ss_status ss_lock_try(ss_lock *lock, const char *name, bool *is_taken, ss_message *message);

/// The Secret Service on the bus of the user's session.
typedef struct ss_session ss_session;

ss_status ss_session_new(
    const ss_library *library, ss_cancellation *cancellation, ss_session **out, ss_message *message
);
void ss_session_free(ss_session *session);

/// Finds out whether the collection for new items is locked; SS_NO_SERVICE if there is no such collection.
ss_status ss_session_check_collection(ss_session *session, bool *is_locked, ss_message *message);

/// Adds an item, beside those that are there. SS_LOCKED: the collection for new items is locked.
ss_status ss_session_add(
    ss_session *session, const char *label, const char *store, const char *number, const char *identifier,
    const uint8_t *secret, size_t count, ss_message *message
);

/// The items of a store at one moment.
typedef struct ss_items ss_items;

ss_status ss_items_new(ss_session *session, const char *store, ss_items **out, ss_message *message);
void ss_items_free(ss_items *items);

size_t ss_items_count(const ss_items *items);
/// Returns whether the item at an index is locked. All indexes are less than ss_items_count.
bool ss_items_is_locked(const ss_items *items, size_t index);
/// Returns the number with which an item was added, which is valid until the items are freed; empty if it has none.
const char *ss_items_number(const ss_items *items, size_t index);
/// Copies the secret of an item that is not locked, up to `capacity` bytes, and stores its complete length.
ss_status ss_items_copy_secret(
    ss_items *items, size_t index, uint8_t *bytes, size_t capacity, size_t *count, ss_message *message
);
/// Deletes an item from the service, which keeps its index here.
ss_status ss_items_delete(ss_items *items, size_t index, ss_message *message);

#endif
