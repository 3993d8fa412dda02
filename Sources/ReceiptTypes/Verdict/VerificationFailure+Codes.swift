// The doc comment of a code states the exact condition, for developers; `meaning` and `hint` are for every reader.

extension VerificationFailure.Code {
    // MARK: Input

    /// The input is neither a JWS, nor an app receipt, nor JSON that contains one, nor Google Play purchase data with
    /// its signature.
    public static let formatUnrecognized = Self(
        "format-unrecognized", step: .input, errorCode: .decodingError,
        meaning: "The input is not a receipt in a known format",
        hint:
            "pass a compact JWS, an app receipt, JSON that contains one, or a Google Play purchase with its signature",
        isUndecided: true
    )
    /// The input contains no receipt, and is something that is known to be none, such as an order ID or a private key.
    public static let notAReceipt = Self(
        "not-a-receipt", step: .input, errorCode: .decodingError,
        meaning: "The input is not a receipt, but something else",
        hint: "pass the signed text that the store has issued for the purchase",
        isUndecided: true
    )
    /// The input was not searched to its end, because that exceeds the limits of a search: more work than some hundred
    /// steps for each byte, or wrappings inside wrappings.
    public static let searchIncomplete = Self(
        "search-incomplete", step: .input, errorCode: .unknownError,
        meaning: "The text was not searched to its end, so it may contain more receipts",
        hint: "pass the receipts without the text around them",
        isUndecided: true
    )
    /// The input is a property list with `purchase-info`, the receipt of one transaction from before iOS 7.
    public static let legacyReceiptUnsupported = Self(
        "legacy-receipt-unsupported", step: .input, errorCode: .unknownError,
        meaning: "The input is the receipt of one transaction from before iOS 7, which cannot be verified",
        hint: "use the app receipt of the same app, or the JWS of the purchase from the App Store Server API",
        isUndecided: true
    )
    /// The input has more bytes than the policy allows, 256 KiB by default.
    public static let tooLarge = Self(
        "too-large", step: .input, errorCode: .decodingError,
        meaning: "The input is larger than the limit for one receipt",
        hint: "check that the input is one receipt and not a file of many"
    )
    /// A record of a batch has more receipts than the batch allows, 64 by default; none of them was verified.
    public static let tooManyReceipts = Self(
        "too-many-receipts", step: .input, errorCode: .unknownError,
        meaning: "One record contains more receipts than the limit, and none of them was verified",
        hint: "split the record, or raise the limit if the sender is trusted",
        isUndecided: true
    )
    /// A record of a batch that gives every record a result is blank, or has nothing in the place of the receipt.
    public static let empty = Self(
        "empty", step: .input, errorCode: .unknownError,
        meaning: "There is nothing in the place of the receipt",
        hint: "check whether the sender has left out the receipt; an empty record is not a rejected receipt",
        isUndecided: true
    )
    /// A record of a batch does not have the column or the member that was named as the place of the receipt.
    public static let receiptMissing = Self(
        "receipt-missing", step: .input, errorCode: .unknownError,
        meaning: "The record does not have the column or the member of the receipt",
        hint: "check whether the sender writes records of several kinds, or rows that end too early",
        isUndecided: true
    )
    /// A record of a batch, or the cell that should contain JSON, is not JSON, has the member of the receipt more than
    /// once, or consists of lines that a quotation mark may have joined to one row of CSV.
    public static let recordMalformed = Self(
        "record-malformed", step: .input, errorCode: .decodingError,
        meaning: "The record cannot be read, so nothing in it was verified",
        hint: "correct the record: each line of JSON is complete, and a quotation mark inside a quoted cell is doubled"
    )
    /// The input of a batch contains no record.
    public static let nothingToVerify = Self(
        "nothing-to-verify", step: .input, errorCode: .unknownError,
        meaning: "The input contains no receipt",
        hint: "check that the program that writes the input has succeeded",
        isUndecided: true
    )

    // MARK: Structure

    /// The JWS does not have exactly three segments (RFC 7515 section 7.1), or its header or payload is empty.
    public static let segmentCount = Self(
        "segment-count", step: .structure, errorCode: .decodingError,
        meaning: "The input is not a JWS in compact serialization",
        hint: "pass all three segments and the dots between them, exactly as the store sent them"
    )
    /// A JWS segment is not canonical base64url, or a Google Play signature is not canonical base64.
    public static let encoding = Self(
        "encoding", step: .structure, errorCode: .decodingError,
        meaning: "A part of the receipt is not canonical base64",
        hint: "pass the receipt exactly as the store sent it, with no padding, line break or character changed"
    )

    /// An app receipt is not one PKCS#7 SignedData in DER (RFC 2315 section 9), or bytes follow it.
    public static let containerMalformed = Self(
        "container-malformed", step: .structure, errorCode: .decodingError,
        meaning: "The app receipt is not a PKCS#7 container that can be read",
        hint: "pass the complete file of the app receipt, or its complete base64, with no byte changed"
    )
    /// The container of an app receipt has another version, another type of content, several signers, or attributes of
    /// the signer.
    public static let containerUnsupported = Self(
        "container-unsupported", step: .structure, errorCode: .decodingError,
        meaning: "The container of the app receipt differs from the one that the App Store writes",
        hint: "treat the receipt as forged, or as changed by a program that has written it again"
    )
    /// The signer of an app receipt does not name the first certificate by its exact issuer and serial number.
    public static let signerMismatch = Self(
        "signer-mismatch", step: .structure, errorCode: .decodingError,
        meaning: "The signer of the app receipt does not name the first certificate",
        hint: "treat the receipt as forged, or as changed in transit"
    )
    /// An app receipt is not signed with RSA over SHA-1 or SHA-256, or its container names the algorithms differently.
    public static let receiptAlgorithm = Self(
        "receipt-algorithm", step: .structure, errorCode: .decodingError,
        meaning: "The app receipt names algorithms that the App Store does not use",
        hint: "treat the receipt as forged: the App Store signs app receipts with RSA over SHA-1 or SHA-256"
    )

    // MARK: Header

    /// The JWS header is not a JSON object, has a duplicate member, or has no array `x5c`.
    public static let headerMalformed = Self(
        "header-malformed", step: .header, errorCode: .decodingError,
        meaning: "The JWS header is not a JSON object with a certificate chain",
        hint: "the JWS was changed in transit, or the App Store did not create it"
    )
    /// The header member `alg` is absent, duplicated, or not `ES256`.
    public static let algorithm = Self(
        "algorithm", step: .header, errorCode: .decodingError,
        meaning: "The JWS is not signed with ES256",
        hint: "the App Store always signs with ES256, so another sender created this JWS"
    )
    /// The header has `crit`, or a `b64` that is not true.
    public static let headerUnsupported = Self(
        "header-unsupported", step: .header, errorCode: .decodingError,
        meaning: "The JWS header requires an extension that is not supported",
        hint: "the App Store sends neither crit nor b64, so another sender created this JWS"
    )

    // MARK: Certificates

    /// The receipt contains neither three certificates nor a single one that was configured as a root.
    public static let chainLength = Self(
        "chain-length", step: .certificates, errorCode: .invalidSignature,
        meaning: "The certificate chain has the wrong length",
        hint: "the App Store sends three certificates; Xcode sends one, which must be configured as a trusted root"
    )
    /// A certificate of the receipt is not one X.509 version 3 certificate in DER.
    public static let certificateMalformed = Self(
        "certificate-malformed", step: .certificates, errorCode: .decodingError,
        meaning: "A certificate cannot be read",
        hint: "the receipt was changed in transit, or the App Store did not create it"
    )

    // MARK: Chain

    /// A certificate does not name the next one as its issuer, or is not signed with the key of that issuer.
    public static let chainInvalid = Self(
        "chain-invalid", step: .chain, errorCode: .invalidSignature,
        meaning: "The certificates do not form a chain",
        hint: "pass the certificates as the store sent them: leaf first, then the intermediate, then the root"
    )
    /// The last certificate of the receipt is not a trusted root.
    public static let untrustedRoot = Self(
        "untrusted-root", step: .chain, errorCode: .invalidSignature,
        meaning: "The chain does not end at a trusted root",
        hint: "treat the receipt as forged, or configure the root of your own test data as a trusted root"
    )
    /// The leaf has `basicConstraints` with `cA` true.
    public static let leafIsCA = Self(
        "leaf-is-ca", step: .chain, errorCode: .invalidSignature,
        meaning: "The signing certificate is a certificate authority",
        hint: "treat the receipt as forged: a certificate authority does not sign receipts"
    )
    /// The key of the leaf is not on the curve P-256, or in an app receipt not an RSA key of 2048 to 4096 bits.
    public static let leafKeyUnsupported = Self(
        "leaf-key-unsupported", step: .chain, errorCode: .invalidSignature,
        meaning: "The signing certificate has a key of the wrong type or size",
        hint: "treat the receipt as forged: the App Store signs a JWS with P-256 and an app receipt with RSA"
    )
    /// The leaf has `keyUsage` without `digitalSignature`.
    public static let leafKeyUsage = Self(
        "leaf-key-usage", step: .chain, errorCode: .invalidSignature,
        meaning: "The signing certificate does not allow signatures",
        hint: "treat the receipt as forged"
    )
    /// The leaf lacks the marker extension of App Store receipt signing.
    public static let leafMarkerMissing = Self(
        "leaf-marker-missing", step: .chain, errorCode: .invalidSignature,
        meaning: "The signing certificate is not marked for App Store receipts",
        hint: "treat the receipt as forged: the certificate was issued for another purpose"
    )
    /// The leaf of an app receipt was issued before 2012 and lacks the marker extension of App Store receipt signing.
    public static let unmarkedGeneration = Self(
        "unmarked-generation", step: .chain, errorCode: .invalidSignature,
        meaning: "The signing certificate is from before 2012, when receipts had no certificates of their own",
        hint: "ask the app for a new receipt: certificates of that time cannot be told from those for other purposes"
    )
    /// The trusted root that the chain ends at is not a CA, or has `keyUsage` without `keyCertSign`.
    public static let rootCannotIssue = Self(
        "root-cannot-issue", step: .chain, errorCode: .invalidSignature,
        meaning: "The trusted root must not issue certificates",
        hint: "trust the root of the chain, which is a certificate authority; a leaf or a local certificate is no root"
    )
    /// A certificate of the chain is one that the policy distrusts.
    public static let certificateDistrusted = Self(
        "certificate-distrusted", step: .chain, errorCode: .invalidSignature,
        meaning: "A certificate of the chain is distrusted",
        hint: "treat the receipt as forged, or remove the certificate, or its digest, from what is distrusted"
    )
    /// The intermediate lacks `basicConstraints` with `cA` true.
    public static let intermediateNotCA = Self(
        "intermediate-not-ca", step: .chain, errorCode: .invalidSignature,
        meaning: "The intermediate certificate must not issue certificates",
        hint: "treat the receipt as forged"
    )
    /// The root has a `pathLenConstraint` below 1 (RFC 5280 section 4.2.1.9).
    public static let intermediatePathLength = Self(
        "intermediate-path-length", step: .chain, errorCode: .invalidSignature,
        meaning: "The root does not allow an intermediate certificate",
        hint: "treat the receipt as forged, or configure the right root"
    )
    /// The intermediate has `keyUsage` without `keyCertSign`, or no `keyUsage` under a built-in root.
    public static let intermediateKeyUsage = Self(
        "intermediate-key-usage", step: .chain, errorCode: .invalidSignature,
        meaning: "The intermediate certificate does not allow signing certificates",
        hint: "treat the receipt as forged"
    )
    /// The intermediate lacks the marker extension of Apple Worldwide Developer Relations.
    public static let intermediateMarkerMissing = Self(
        "intermediate-marker-missing", step: .chain, errorCode: .invalidSignature,
        meaning: "The intermediate certificate is not marked as Apple Worldwide Developer Relations",
        hint: "treat the receipt as forged: the certificate was issued for another purpose"
    )
    /// The leaf or the intermediate has a critical extension that the verifier does not process (RFC 5280 section 4.2),
    /// or a critical `extendedKeyUsage` without the purpose of signing code.
    public static let certificateCriticalExtension = Self(
        "certificate-critical-extension", step: .chain, errorCode: .invalidSignature,
        meaning: "A certificate has an unknown critical extension",
        hint: "a certificate with an unknown critical extension must be rejected; report it if the receipt is genuine"
    )
    /// A certificate is not signed with SHA-256 or stronger by an ECDSA key or an RSA key of sufficient length.
    public static let certificateAlgorithm = Self(
        "certificate-algorithm", step: .chain, errorCode: .invalidSignature,
        meaning: "A certificate is signed with a weak or unknown algorithm",
        hint: "treat the receipt as forged: signatures with SHA-1, MD5 or short RSA keys can be forged"
    )
    /// The verifier was created without a trusted root.
    public static let noTrustAnchor = Self(
        "no-trust-anchor", step: .chain, errorCode: .keyNotFound,
        meaning: "No trusted root is configured",
        hint: "keep the built-in Apple root, or configure another trusted root",
        isRetryable: true, isUndecided: true
    )

    // MARK: Key

    /// No public key is configured for the package of a Google Play purchase, or the key cache is empty.
    public static let keyNotFound = Self(
        "key-not-found", step: .key, errorCode: .keyNotFound,
        meaning: "No key is known for the package of this purchase",
        hint: "configure the app's licence key from the Play Console",
        isRetryable: true, isUndecided: true
    )
    /// The key for the package cannot be decoded, is not an RSA key, or is too short.
    public static let keyInvalid = Self(
        "key-invalid", step: .key, errorCode: .keyNotFound,
        meaning: "The public key for this package cannot be used",
        hint:
            "copy the complete base64 text of the app's licence key from the Play Console; it is an RSA key of 1024 "
            + "bits or more",
        isUndecided: true
    )

    // MARK: Signature

    /// The signature is not 64 bytes, or r or s is not between 1 and n-1 (RFC 7518 section 3.4).
    public static let signatureMalformed = Self(
        "signature-malformed", step: .signature, errorCode: .invalidSignature,
        meaning: "The signature is not in the ES256 format",
        hint: "an ES256 signature is 64 bytes, r and s, each between 1 and n-1; DER is a different format"
    )
    /// The signature does not verify with the key over the signed bytes.
    public static let signatureInvalid = Self(
        "signature-invalid", step: .signature, errorCode: .invalidSignature,
        meaning: "The signature does not match the content and the key",
        hint: "the content was changed after signing, or another key signed it"
    )

    /// The signature is over SHA-1, and OpenSSL on this system does not verify such signatures.
    public static let hashForbidden = Self(
        "hash-forbidden", step: .signature, errorCode: .unknownError,
        meaning: "The cryptographic policy of this system forbids signatures with SHA-1, which this receipt has",
        hint:
            "verify it on a system that allows SHA-1 signatures, such as Debian; RHEL 9 and its relatives forbid them",
        isUndecided: true
    )

    // MARK: Payload

    /// The payload is not JSON in UTF-8, has duplicate members, or exceeds a limit of the parser.
    public static let payloadMalformed = Self(
        "payload-malformed", step: .payload, errorCode: .decodingError,
        meaning: "The payload is not readable JSON",
        hint: "no store sends such a payload; keep the receipt and report it"
    )
    /// The payload is JSON, but not an object.
    public static let payloadNotAnObject = Self(
        "payload-not-an-object", step: .payload, errorCode: .decodingError,
        meaning: "The payload is not a JSON object",
        hint: "the App Store sandbox has sent null as a renewal info; such a payload contains nothing to use"
    )

    /// The content of an app receipt is not a SET of attributes in DER.
    public static let attributesMalformed = Self(
        "attributes-malformed", step: .payload, errorCode: .decodingError,
        meaning: "The attributes of the app receipt cannot be read",
        hint: "no store signs such a receipt; keep it and report it"
    )
    /// An app receipt has more than 256 attributes beside its purchases, or a purchase in it has more than 128.
    public static let tooManyAttributes = Self(
        "too-many-attributes", step: .payload, errorCode: .decodingError,
        meaning: "The app receipt has more attributes than the limit",
        hint: "no store signs such a receipt; keep it and report it"
    )
    /// An app receipt has more than 20,000 in-app purchases.
    public static let tooManyPurchases = Self(
        "too-many-purchases", step: .payload, errorCode: .decodingError,
        meaning: "The app receipt has more in-app purchases than the limit",
        hint: "use the transaction history of the App Store Server API for this customer"
    )
    /// The value of a known attribute of an app receipt does not have its encoding.
    public static let attributeInvalid = Self(
        "attribute-invalid", step: .payload, errorCode: .decodingError,
        meaning: "An attribute of the app receipt has the wrong encoding",
        hint: "keep the receipt and report it; a value of the wrong encoding is never converted"
    )
    /// A known attribute occurs twice in an app receipt, or in one of its in-app purchases.
    public static let attributeDuplicate = Self(
        "attribute-duplicate", step: .payload, errorCode: .decodingError,
        meaning: "The app receipt has an attribute twice",
        hint: "no store signs such a receipt; keep it and report it"
    )
    /// An app receipt has no receipt type, or no bundle ID.
    public static let attributeMissing = Self(
        "attribute-missing", step: .payload, errorCode: .decodingError,
        meaning: "The app receipt lacks an attribute that every one has",
        hint: "no store signs such a receipt; keep it and report it"
    )

    // MARK: Effective date

    /// The signing time is not a number of milliseconds in the supported range.
    public static let signingTimeInvalid = Self(
        "signing-time-invalid", step: .effectiveDate, errorCode: .decodingError,
        meaning: "The signing time is not a valid date",
        hint: "treat the receipt as forged: the stores send milliseconds since 1970"
    )
    /// The signing time is more than one day after the verifier's clock.
    public static let signedInTheFuture = Self(
        "signed-in-the-future", step: .effectiveDate, errorCode: .invalidSignature,
        meaning: "The signing time is in the future",
        hint: "check the clock of this machine",
        isRetryable: true
    )
    /// The effective date is before `notBefore` of a certificate.
    public static let certificateNotYetValid = Self(
        "certificate-not-yet-valid", step: .effectiveDate, errorCode: .invalidSignature,
        meaning: "A certificate was not yet valid",
        hint: "check the clock of this machine, or verify at the signing time",
        isRetryable: true
    )
    /// The effective date is after `notAfter` of a certificate.
    public static let certificateExpired = Self(
        "certificate-expired", step: .effectiveDate, errorCode: .invalidSignature,
        meaning: "A certificate had expired",
        hint: "verify the receipt at its signing time, if it has one"
    )

    // MARK: Claims

    /// The claims of the payload match none of the ``ReceiptKind`` cases.
    public static let kindUnrecognized = Self(
        "kind-unrecognized", step: .claims, errorCode: .decodingError,
        meaning: "The payload is not of a known kind",
        hint: "the signature is valid, but this version does not know such a receipt"
    )
    /// The kind of the payload is not the one that the caller or the policy expects.
    public static let kindMismatch = Self(
        "kind-mismatch", step: .claims, errorCode: .decodingError,
        meaning: "The receipt is of another kind than expected",
        hint: "verify the receipt as the kind that was found"
    )
    /// A known claim has a JSON type other than the one in the ``Schema``.
    public static let claimType = Self(
        "claim-type", step: .claims, errorCode: .decodingError,
        meaning: "A claim has the wrong JSON type",
        hint: "keep the receipt and report it; a claim of the wrong type is never converted"
    )
    /// The bundle ID or package name is not one that the policy accepts.
    public static let bundleIDMismatch = Self(
        "bundle-id-mismatch", step: .claims, errorCode: .invalidSignature,
        meaning: "The receipt belongs to another app",
        hint: "check the expected bundle ID or package name, including its letter case"
    )
    /// The claim `appAppleId` is not the one that the policy expects.
    public static let appAppleIDMismatch = Self(
        "app-apple-id-mismatch", step: .claims, errorCode: .invalidSignature,
        meaning: "The receipt belongs to an app with another Apple ID",
        hint: "check the expected Apple ID of the app"
    )
    /// The environment is not one that the policy accepts.
    public static let environmentMismatch = Self(
        "environment-mismatch", step: .claims, errorCode: .invalidSignature,
        meaning: "The receipt comes from another environment",
        hint: "sandbox and Xcode receipts are not real purchases; accept them only in tests"
    )
    /// The environment is not one of which the root may verify receipts.
    public static let rootEnvironmentMismatch = Self(
        "root-environment-mismatch", step: .claims, errorCode: .invalidSignature,
        meaning: "The root is not trusted for this environment",
        hint: "treat the receipt as forged, or trust the root for the environment by name"
    )
    /// The environment is Production, or no test environment; the root was given without naming environments beside a
    /// built-in one, and the policy is strict.
    public static let givenRootForProduction = Self(
        "given-root-for-production", step: .claims, errorCode: .invalidSignature,
        meaning: "A receipt of Production is signed under a given root, not under Apple's, and the policy is strict",
        hint: "limit the root to the environments of your tests, or trust it for Production by name"
    )
    /// The hash of an app receipt is not that of the device that the policy names.
    public static let deviceMismatch = Self(
        "device-mismatch", step: .claims, errorCode: .invalidSignature,
        meaning: "The app receipt belongs to another device",
        hint: "check the device ID: identifierForVendor on iOS, the MAC address on macOS; or ask for a new receipt"
    )
    /// A product ID of the receipt is not one that the policy accepts.
    public static let productIDMismatch = Self(
        "product-id-mismatch", step: .claims, errorCode: .invalidSignature,
        meaning: "The receipt is for another product",
        hint: "check the expected product IDs"
    )
    /// Nothing remains of the purchase after a refund or the end of family sharing, and the policy rejects revoked
    /// purchases.
    public static let purchaseRevoked = Self(
        "purchase-revoked", step: .claims, errorCode: .unknownError,
        meaning: "The store has revoked the purchase",
        hint: "remove what the purchase unlocked"
    )
    /// `purchaseState` of a Google Play purchase is 1.
    public static let purchaseCancelled = Self(
        "purchase-cancelled", step: .claims, errorCode: .unknownError,
        meaning: "The purchase was cancelled",
        hint: "nothing was bought; unlock nothing"
    )
    /// `purchaseState` of a Google Play purchase is 2, or 4 as a device receives it.
    public static let purchasePending = Self(
        "purchase-pending", step: .claims, errorCode: .unknownError,
        meaning: "The purchase is still pending",
        hint: "unlock nothing until the store reports the purchase as completed",
        isRetryable: true
    )
    /// `purchaseState` of a Google Play purchase is not 0, 1, 2 or 4, or is absent and the policy is strict.
    public static let purchaseStateUnknown = Self(
        "purchase-state-unknown", step: .claims, errorCode: .unknownError,
        meaning: "The purchase has no known state",
        hint: "unlock nothing; ask the Play Developer API about the purchase token"
    )
    /// The app, the environment or a required claim was not checked, and the policy is strict.
    public static let uncheckedClaim = Self(
        "unchecked-claim", step: .claims, errorCode: .unknownError,
        meaning: "A claim was not checked, and the policy is strict",
        hint:
            "require app and environment; a receipt without a required claim is verified only by a policy that is not "
            + "strict"
    )

    // MARK: Nested receipts

    /// A claim of a nested receipt differs from the same claim of the notification or of another nested receipt.
    public static let nestedMismatch = Self(
        "nested-mismatch", step: .nested, errorCode: .invalidSignature,
        meaning: "A notification and a receipt inside it contradict each other",
        hint: "treat the notification as forged: the store fills both from one record"
    )
    /// A receipt inside the notification failed its own verification.
    public static let nestedUnverified = Self(
        "nested-unverified", step: .nested, errorCode: .invalidSignature,
        meaning: "A receipt inside the notification is not verified",
        hint: "the result of the nested receipt says why; see nested in JSON"
    )

    // MARK: Resources

    /// Memory ran out, or an OpenSSL call failed for a reason other than the receipt.
    public static let internalError = Self(
        "internal-error", step: .input, errorCode: .unknownError,
        meaning: "The verification could not be completed",
        hint: "try again; if it fails again, check the memory and the OpenSSL installation of this machine",
        isRetryable: true, isUndecided: true
    )

    // MARK: All

    /// The codes of the verification, in the order of the steps; ``internalError``, which any step can cause, is last.
    ///
    /// Other modules list their own codes.
    public static let all: [Self] = [
        .formatUnrecognized, .notAReceipt, .searchIncomplete, .legacyReceiptUnsupported, .tooLarge, .tooManyReceipts,
        .empty, .receiptMissing, .recordMalformed, .nothingToVerify, .segmentCount, .encoding,
        .containerMalformed, .containerUnsupported, .signerMismatch, .receiptAlgorithm,
        .headerMalformed, .algorithm, .headerUnsupported,
        .chainLength, .certificateMalformed,
        .certificateDistrusted,
        .chainInvalid, .untrustedRoot, .leafIsCA, .leafKeyUnsupported, .leafKeyUsage, .leafMarkerMissing,
        .unmarkedGeneration,
        .intermediateNotCA, .rootCannotIssue, .intermediatePathLength, .intermediateKeyUsage,
        .intermediateMarkerMissing, .certificateCriticalExtension, .certificateAlgorithm, .noTrustAnchor,
        .keyNotFound, .keyInvalid,
        .signatureMalformed, .signatureInvalid, .hashForbidden,
        .payloadMalformed, .payloadNotAnObject,
        .attributesMalformed, .tooManyAttributes, .tooManyPurchases, .attributeInvalid, .attributeDuplicate,
        .attributeMissing,
        .signingTimeInvalid, .signedInTheFuture, .certificateNotYetValid, .certificateExpired,
        .kindUnrecognized, .kindMismatch, .claimType, .rootEnvironmentMismatch, .givenRootForProduction,
        .bundleIDMismatch, .appAppleIDMismatch, .environmentMismatch,
        .deviceMismatch, .productIDMismatch, .purchaseRevoked, .purchaseCancelled, .purchasePending,
        .purchaseStateUnknown,
        .uncheckedClaim,
        .nestedMismatch, .nestedUnverified,
        .internalError,
    ]
}
