// OpenSSL's state of the process.
#ifndef RC_PROCESS_H
#define RC_PROCESS_H

/// Keeps OpenSSL from reading its configuration file, and from cleaning up at the exit of the process. Call it before all
/// other functions, in a program and not in a library.
///
/// The file is one of the system, or that of OPENSSL_CONF. It can load modules and replace algorithms. The clean-up frees
/// what other threads still use.
void rc_process_begin(void);

#endif
