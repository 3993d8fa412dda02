#include "rc_process.h"

#include <openssl/crypto.h>

void rc_process_begin(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
