// Jansson, the JSON parser that CReceiptCrypto uses.
#ifndef CJANSSON_SHIM_H
#define CJANSSON_SHIM_H

#include <jansson.h>

#if JANSSON_VERSION_HEX < 0x020B00
#error "Jansson 2.11 or newer is required for json_error_code"
#endif

#endif
