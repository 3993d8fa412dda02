// OpenSSL's state of the process.
#ifndef RC_PROCESS_H
#define RC_PROCESS_H

/// Keeps OpenSSL from cleaning up at the exit of the process, which frees what other threads still use. Call it before
/// all other functions, in a program and not in a library.
void rc_process_begin(void);

#endif
