// The parts of a PKCS#7 SignedData (RFC 2315 9), the container of app receipts. Nothing here is verified.
#ifndef RC_SIGNED_DATA_H
#define RC_SIGNED_DATA_H

#include "rc_bytes.h"
#include "rc_der.h"
#include "rc_status.h"

/// The most certificates of a container that are found.
#define RC_SIGNED_DATA_CERTIFICATES 4

/// The part of a container that is not in DER or not where it must be.
typedef enum RC_CLOSED_ENUM rc_signed_data_part {
    RC_PART_CONTAINER,
    RC_PART_VERSION,
    RC_PART_DIGEST_ALGORITHMS,
    RC_PART_CONTENT,
    RC_PART_CERTIFICATES,
    RC_PART_REVOCATION_LISTS,
    RC_PART_SIGNER,
    RC_PART_SIGNER_VERSION,
    RC_PART_SIGNER_CERTIFICATE,
    RC_PART_DIGEST_ALGORITHM,
    RC_PART_SIGNED_ATTRIBUTES,
    RC_PART_SIGNATURE_ALGORITHM,
    RC_PART_SIGNATURE,
    RC_PART_UNSIGNED_ATTRIBUTES,
    RC_PART_END,
} rc_signed_data_part;

/// Where the parts of a container are. "Whole" means with identifier and length, otherwise the contents only.
typedef struct rc_signed_data {
    int64_t version;
    /// The contents of the SET.
    rc_span digest_algorithms;
    /// The whole OBJECT IDENTIFIER.
    rc_span content_type;
    /// What the signature is over: the contents of the OCTET STRING.
    rc_span content;
    /// The whole element with all certificates.
    rc_span certificates;
    /// The number of certificates, of which at most RC_SIGNED_DATA_CERTIFICATES have a place in `certificate`.
    size_t certificate_count;
    /// Each certificate, whole.
    rc_span certificate[RC_SIGNED_DATA_CERTIFICATES];
    /// The whole issuer name of the first certificate.
    rc_span first_issuer;
    /// The whole serial number of the first certificate.
    rc_span first_serial;
    bool has_revocation_lists;
    /// The number of signers. The members below are those of the first.
    size_t signer_count;
    int64_t signer_version;
    /// The whole issuer name.
    rc_span signer_issuer;
    /// The whole serial number.
    rc_span signer_serial;
    /// The whole AlgorithmIdentifier.
    rc_span digest_algorithm;
    bool has_signed_attributes;
    /// The whole AlgorithmIdentifier.
    rc_span signature_algorithm;
    rc_span signature;
    bool has_unsigned_attributes;
} rc_signed_data;

/// Finds the parts of a SignedData in DER that takes up all of `count` bytes.
///
/// RC_MALFORMED: the bytes are not such a container; `*part` is where they differ.
rc_status rc_signed_data_read(const uint8_t *der, size_t count, rc_signed_data *out, rc_signed_data_part *part);

/// Reads a SignedData in BER with OpenSSL's parser and writes it in DER. The caller owns `*out`.
///
/// RC_MALFORMED: the `count` bytes are not exactly one SignedData.
rc_status rc_signed_data_to_der(const uint8_t *ber, size_t count, rc_bytes **out);

#endif
