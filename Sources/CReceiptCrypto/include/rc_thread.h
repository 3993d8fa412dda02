// OpenSSL's state of each thread.
#ifndef RC_THREAD_H
#define RC_THREAD_H

/// Frees OpenSSL's state of the calling thread, including its error queue. Call it last on a thread, before it ends.
///
/// OpenSSL otherwise frees the state in a handler that runs when the thread has ended, perhaps at the same time as
/// OpenSSL's own clean-up at the exit of the process.
void rc_thread_end(void);

#endif
