#include "rc_thread.h"

#include <openssl/crypto.h>

void rc_thread_end(void) {
    OPENSSL_thread_stop();
}
