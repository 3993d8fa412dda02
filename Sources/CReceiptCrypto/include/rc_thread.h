// What OpenSSL keeps for each thread.
#ifndef RC_THREAD_H
#define RC_THREAD_H

/// Frees what OpenSSL keeps for the calling thread, its error queue included: the last call of a thread that ends.
///
/// OpenSSL does so by itself when a thread has ended; whoever then leaves the process may be in its way.
void rc_thread_end(void);

#endif
