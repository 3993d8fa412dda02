// GNU libmicrohttpd, the HTTP server below PreviewServer, and functions for what Swift cannot import: variadic functions,
// unions, and macros with a cast.
#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#if MHD_VERSION < 0x00097500
#error "libmicrohttpd 0.9.75 or newer is required"
#endif

/// The functions that libmicrohttpd calls, and the context that it passes to each of them.
struct preview_http_callbacks {
    void *context;
    /// A connection was opened, or is closed. The last call of a connection comes before its socket is closed.
    MHD_NotifyConnectionCallback connection;
    /// The target of a request as it arrived, with its final zero byte; null if the first line of the request has none.
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    /// A request: its head, then each part of its body, then its end.
    MHD_AccessHandlerCallback request;
    /// A request is over, with an answer or without.
    MHD_RequestCompletedCallback completed;
};

struct preview_http_limits {
    unsigned int threads;
    unsigned int connections;
    /// The longest time in seconds in which a connection with an unfinished answer takes no byte.
    unsigned int timeout;
    /// The memory of a connection in bytes, which bounds the head of a request.
    size_t memory;
};

/// Starts a server on the IPv4 loopback address; port 0 is one that the system chooses. Returns null on failure, with errno.
static inline struct MHD_Daemon *preview_http_start(
    uint16_t port, struct preview_http_callbacks callbacks, struct preview_http_limits limits) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
#ifdef __linux__
    const unsigned int polling = MHD_USE_EPOLL_INTERNAL_THREAD;
#else
    const unsigned int polling = MHD_USE_POLL_INTERNAL_THREAD;
#endif
    return MHD_start_daemon(
        polling | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL, callbacks.request, callbacks.context,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection, callbacks.context,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks.target, callbacks.context,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, callbacks.context,
        MHD_OPTION_THREAD_POOL_SIZE, limits.threads,
        MHD_OPTION_CONNECTION_LIMIT, limits.connections,
        MHD_OPTION_CONNECTION_TIMEOUT, limits.timeout,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.memory,
        // With 1, version 0.9.75 answers a request without a Host by itself, and sends the head of that answer twice.
        MHD_OPTION_STRICT_FOR_CLIENT, 0,
        MHD_OPTION_END);
}

/// Returns whether the library ends the parts of a head at a NUL byte. From version 1 on, it refuses such a head.
static inline bool preview_http_ends_texts_at_nul(void) { return MHD_get_version()[0] == '0'; }

/// Returns the port of a server; 0 if it has none.
static inline uint16_t preview_http_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/// Returns the socket of a connection; -1 if it has none.
static inline int preview_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// Returns what the connection callback stored for a connection.
static inline void *preview_http_state(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/// Returns the number of bytes in the head of the current request.
static inline size_t preview_http_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/// Creates an answer whose length is not known, which `read` provides.
static inline struct MHD_Response *preview_http_stream(
    size_t block, MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback release) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, block, read, context, release);
}

/// What a reader returns at the end of its answer.
static inline ssize_t preview_http_end_of_stream(void) { return MHD_CONTENT_READER_END_OF_STREAM; }

#endif
