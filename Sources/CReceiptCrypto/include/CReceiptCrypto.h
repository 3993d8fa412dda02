// CReceiptCrypto: the C-interop module over OpenSSL 3 and Jansson.
//
// Sequences of OpenSSL and Jansson calls that belong together, in a form that Swift can import: no macro, no variadic
// function, no OpenSSL or Jansson type. What a receipt must fulfil is never decided here; these functions tell facts.
//
// Every function
// - takes bytes as pointer + length and keeps no memory of its caller, save the keys that are lent to a batch;
// - returns an rc_status, or a value that cannot fail;
// - leaves OpenSSL's error queue as it found it, save rc_thread_end;
// - has no state outside its arguments, so any number of threads may call it at once. A handle whose functions take it
//   as const may be shared by threads; one that is not const belongs to one thread at a time.
#ifndef CRECEIPTCRYPTO_H
#define CRECEIPTCRYPTO_H

#include "rc_status.h"

#include "rc_bytes.h"
#include "rc_certificate.h"
#include "rc_certificate_builder.h"
#include "rc_es256_batch.h"
#include "rc_json.h"
#include "rc_prepared_key.h"
#include "rc_private_key.h"
#include "rc_public_key.h"
#include "rc_seal.h"
#include "rc_sha256.h"
#include "rc_thread.h"

#endif
