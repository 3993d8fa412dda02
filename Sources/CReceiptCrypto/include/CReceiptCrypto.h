// CReceiptCrypto: the OpenSSL 3 and Jansson calls that ReceiptVerification needs, in a form that Swift can import:
// no macros, no variadic functions, no OpenSSL or Jansson types.
//
// The functions report facts. Which receipts, certificates and keys are accepted is decided in Swift; where a function
// rejects input by itself, its comment says why.
//
// Rules for every function, unless its comment says otherwise:
//
// - Bytes are passed as a pointer and a length. The pointer must not be null, even if the length is 0.
// - A function that can fail returns an rc_status. It stores a handle in `*out` only if it returns RC_OK.
// - The caller owns a handle stored in `*out` and frees it with the `_free` function of its type, which accepts null.
//   All other handle arguments must not be null.
// - No function keeps a pointer to the caller's memory after it returns. The exception is rc_es256_batch_add.
// - OpenSSL's error queue is left as it was. The exception is rc_thread_end.
// - There is no global state: any number of threads may call these functions at once. Threads may share a handle that a
//   function takes as const; only one thread at a time may use a handle that is not const.
#ifndef CRECEIPTCRYPTO_H
#define CRECEIPTCRYPTO_H

#include "rc_status.h"

#include "rc_asn1_writer.h"
#include "rc_bytes.h"
#include "rc_certificate.h"
#include "rc_certificate_builder.h"
#include "rc_der.h"
#include "rc_digest.h"
#include "rc_es256.h"
#include "rc_es256_batch.h"
#include "rc_json.h"
#include "rc_pem.h"
#include "rc_prepared_key.h"
#include "rc_private_key.h"
#include "rc_public_key.h"
#include "rc_rsa.h"
#include "rc_seal.h"
#include "rc_sha256.h"
#include "rc_signed_data.h"
#include "rc_process.h"
#include "rc_thread.h"

#endif
