/// What is said about each failure code, in the order of the steps.
enum FailureTable {
    struct Traits: OptionSet, Sendable {
        let rawValue: Int
        /// The same receipt can be verified later or with more material.
        static let retryable = Traits(rawValue: 1)
        /// Nothing was decided about the receipt.
        static let undecided = Traits(rawValue: 2)
    }

    struct Entry: Sendable {
        var code: VerificationFailure.Code
        var step: VerificationStep
        var errorCode: VerificationErrorCode
        var traits: Traits = []
        var meaning: String
        var hint: String
    }

    static let entries = Dictionary(ordered.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })

    static let unknown = Entry(
        code: .internalError, step: .input, errorCode: .unknownError,
        meaning: "The reason is not known to this version", hint: "use a newer version"
    )

    static let ordered: [Entry] = [
        Entry(
            code: .formatUnrecognized, step: .input, errorCode: .decodingError,
            meaning: "The input is no receipt of a known form",
            hint:
                "pass a compact JWS, the JSON that carries one, or a Google Play purchase with its signature"
        ),
        Entry(
            code: .legacyReceiptUnsupported, step: .input, errorCode: .unknownError, traits: [.undecided],
            meaning: "The input is an app receipt in PKCS#7 form, which is not judged yet",
            hint:
                "ask the App Store for the JWS of the same purchase (StoreKit 2 or the App Store Server API)"
        ),
        Entry(
            code: .tooLarge, step: .input, errorCode: .decodingError,
            meaning: "The receipt is larger than any genuine one",
            hint:
                "check that the input is one receipt and not a file of many; `batch` reads those"
        ),
        Entry(
            code: .segmentCount, step: .structure, errorCode: .decodingError,
            meaning: "The text is no JWS in compact form",
            hint:
                "pass all three parts with the dots between them, as they came from the store"
        ),
        Entry(
            code: .encoding, step: .structure, errorCode: .decodingError,
            meaning: "A part of the receipt is not canonical base64",
            hint:
                "pass the receipt exactly as it came: no padding, no line breaks, no other alphabet"
        ),
        Entry(
            code: .headerMalformed, step: .header, errorCode: .decodingError,
            meaning: "The JWS header is no JSON object that can be read",
            hint:
                "the text was changed on its way, or no App Store made it"
        ),
        Entry(
            code: .algorithm, step: .header, errorCode: .decodingError,
            meaning: "The JWS is not signed with ES256",
            hint:
                "the App Store always signs with ES256; another algorithm means another sender"
        ),
        Entry(
            code: .headerUnsupported, step: .header, errorCode: .decodingError,
            meaning: "The JWS header asks for an extension that is not supported",
            hint:
                "the App Store sends neither crit nor b64; another sender made this"
        ),
        Entry(
            code: .chainLength, step: .certificates, errorCode: .invalidSignature,
            meaning: "The certificate chain has the wrong length",
            hint:
                "the App Store sends three certificates; Xcode sends one, which verifies only when it is given as a root (--root FILE)"
        ),
        Entry(
            code: .certificateMalformed, step: .certificates, errorCode: .decodingError,
            meaning: "A certificate cannot be read",
            hint:
                "the text was changed on its way, or no App Store made it"
        ),
        Entry(
            code: .chainInvalid, step: .chain, errorCode: .invalidSignature,
            meaning: "The certificates do not form a chain",
            hint:
                "pass x5c as it came: leaf first, then the intermediate, then the root"
        ),
        Entry(
            code: .untrustedRoot, step: .chain, errorCode: .invalidSignature,
            meaning: "The chain does not end at a trusted root",
            hint:
                "if this is test data, give its root (--root FILE, or TrustAnchors); otherwise treat the receipt as forged"
        ),
        Entry(
            code: .leafIsCA, step: .chain, errorCode: .invalidSignature,
            meaning: "The signing certificate is a certification authority",
            hint:
                "treat the receipt as forged: an authority does not sign receipts"
        ),
        Entry(
            code: .leafKeyUnsupported, step: .chain, errorCode: .invalidSignature,
            meaning: "The signing certificate has no P-256 key",
            hint:
                "treat the receipt as forged: the App Store signs with P-256"
        ),
        Entry(
            code: .leafKeyUsage, step: .chain, errorCode: .invalidSignature,
            meaning: "The signing certificate is not meant for signatures",
            hint:
                "treat the receipt as forged"
        ),
        Entry(
            code: .leafMarkerMissing, step: .chain, errorCode: .invalidSignature,
            meaning: "The signing certificate is not marked for App Store receipts",
            hint:
                "the certificate is genuine only for another purpose; treat the receipt as forged"
        ),
        Entry(
            code: .intermediateNotCA, step: .chain, errorCode: .invalidSignature,
            meaning: "The intermediate certificate may not issue certificates",
            hint:
                "treat the receipt as forged"
        ),
        Entry(
            code: .intermediatePathLength, step: .chain, errorCode: .invalidSignature,
            meaning: "The root does not allow a certificate between itself and the leaf",
            hint:
                "treat the receipt as forged, or give the right root"
        ),
        Entry(
            code: .intermediateKeyUsage, step: .chain, errorCode: .invalidSignature,
            meaning: "The intermediate certificate is not meant for signing certificates",
            hint:
                "treat the receipt as forged"
        ),
        Entry(
            code: .intermediateMarkerMissing, step: .chain, errorCode: .invalidSignature,
            meaning: "The intermediate is not marked as Apple Worldwide Developer Relations",
            hint:
                "the certificate is genuine only for another purpose; treat the receipt as forged"
        ),
        Entry(
            code: .certificateCriticalExtension, step: .chain, errorCode: .invalidSignature,
            meaning: "A certificate has a critical extension that is not understood",
            hint:
                "a critical extension must be understood or refused; report it if the receipt is genuine"
        ),
        Entry(
            code: .certificateAlgorithm, step: .chain, errorCode: .invalidSignature,
            meaning: "A certificate is signed with a weak or unknown algorithm",
            hint:
                "treat the receipt as forged: SHA-1, MD5 and short RSA keys can be imitated"
        ),
        Entry(
            code: .noTrustAnchor, step: .chain, errorCode: .keyNotFound, traits: [.undecided, .retryable],
            meaning: "There is no trusted root to verify with",
            hint:
                "give a root (--root FILE, or TrustAnchors), or keep the one that is built in"
        ),
        Entry(
            code: .keyNotFound, step: .key, errorCode: .keyNotFound, traits: [.undecided, .retryable],
            meaning: "There is no key for the package of this purchase",
            hint:
                "give the app's public key from the Play Console (--play-key PACKAGE=FILE)"
        ),
        Entry(
            code: .keyInvalid, step: .key, errorCode: .keyNotFound, traits: [.undecided],
            meaning: "The public key for this package cannot be used",
            hint:
                "copy the whole base64 text of the app's licence key from the Play Console; it is an RSA key of 1024 bits or more"
        ),
        Entry(
            code: .signatureMalformed, step: .signature, errorCode: .invalidSignature,
            meaning: "The signature is none of ES256",
            hint:
                "an ES256 signature is 64 bytes, r and s, each between 1 and n-1; DER is another form"
        ),
        Entry(
            code: .signatureInvalid, step: .signature, errorCode: .invalidSignature,
            meaning: "The signature does not fit the content and the key",
            hint:
                "the content was changed after signing, or another key signed it"
        ),
        Entry(
            code: .payloadMalformed, step: .payload, errorCode: .decodingError,
            meaning: "The payload is no JSON that can be read",
            hint:
                "the signer sent something that no store sends; keep the receipt and report it"
        ),
        Entry(
            code: .payloadNotAnObject, step: .payload, errorCode: .decodingError,
            meaning: "The payload is not a JSON object",
            hint:
                "the App Store has sent `null` as a renewal info in the sandbox; there is nothing in it to use"
        ),
        Entry(
            code: .signingTimeInvalid, step: .effectiveDate, errorCode: .decodingError,
            meaning: "The signing time is no instant that a certificate could cover",
            hint:
                "treat the receipt as forged: the stores send milliseconds since 1970"
        ),
        Entry(
            code: .signedInTheFuture, step: .effectiveDate, errorCode: .invalidSignature, traits: [.retryable],
            meaning: "The receipt was signed in the future",
            hint:
                "check the clock of this machine"
        ),
        Entry(
            code: .certificateNotYetValid, step: .effectiveDate, errorCode: .invalidSignature, traits: [.retryable],
            meaning: "A certificate was not valid yet",
            hint:
                "check the clock of this machine, or judge at the signing time (--at signing)"
        ),
        Entry(
            code: .certificateExpired, step: .effectiveDate, errorCode: .invalidSignature,
            meaning: "A certificate was no longer valid",
            hint:
                "judge at the signing time (--at signing); a receipt without a signing time is judged at the clock"
        ),
        Entry(
            code: .kindUnrecognized, step: .claims, errorCode: .decodingError,
            meaning: "The payload is of no known kind",
            hint:
                "it is signed, but it is no receipt that this version knows"
        ),
        Entry(
            code: .kindMismatch, step: .claims, errorCode: .decodingError,
            meaning: "The receipt is of another kind than the one asked for",
            hint:
                "pass it to the function or the --kind that fits what it is"
        ),
        Entry(
            code: .claimType, step: .claims, errorCode: .decodingError,
            meaning: "A claim has the wrong JSON type",
            hint:
                "keep the receipt and report it; nothing is guessed from a claim of the wrong type"
        ),
        Entry(
            code: .bundleIDMismatch, step: .claims, errorCode: .invalidSignature,
            meaning: "The receipt belongs to another app",
            hint:
                "check the bundle id or package name that is asked for (--bundle-id); letter case counts"
        ),
        Entry(
            code: .appAppleIDMismatch, step: .claims, errorCode: .invalidSignature,
            meaning: "The receipt belongs to another app in the App Store",
            hint:
                "check the app's Apple ID (--app-apple-id)"
        ),
        Entry(
            code: .environmentMismatch, step: .claims, errorCode: .invalidSignature,
            meaning: "The receipt comes from another environment",
            hint:
                "sandbox and Xcode receipts are no purchases; allow them for tests only (--environment)"
        ),
        Entry(
            code: .productIDMismatch, step: .claims, errorCode: .invalidSignature,
            meaning: "The receipt is for another product",
            hint:
                "check the product ids that are asked for (--product-id)"
        ),
        Entry(
            code: .purchaseRevoked, step: .claims, errorCode: .unknownError,
            meaning: "The store has revoked the purchase",
            hint:
                "take back what it unlocked"
        ),
        Entry(
            code: .purchaseCancelled, step: .claims, errorCode: .unknownError,
            meaning: "The purchase was cancelled",
            hint:
                "nothing was bought; unlock nothing"
        ),
        Entry(
            code: .purchasePending, step: .claims, errorCode: .unknownError, traits: [.retryable],
            meaning: "The purchase is still pending",
            hint:
                "unlock nothing until the store says that it is purchased"
        ),
        Entry(
            code: .purchaseStateUnknown, step: .claims, errorCode: .unknownError,
            meaning: "The purchase says nothing known about its state",
            hint:
                "unlock nothing; ask the Play Developer API about the purchase token"
        ),
        Entry(
            code: .uncheckedClaim, step: .claims, errorCode: .unknownError,
            meaning: "Something was not checked, and the policy is strict",
            hint:
                "name the app and the environment (--bundle-id, --environment), or do without --strict"
        ),
        Entry(
            code: .nestedMismatch, step: .nested, errorCode: .invalidSignature,
            meaning: "A notification and a receipt inside it contradict each other",
            hint:
                "treat the notification as forged: the store fills both from one record"
        ),
        Entry(
            code: .nestedUnverified, step: .nested, errorCode: .invalidSignature,
            meaning: "A receipt inside the notification is not verified",
            hint:
                "verify the nested receipt by itself to see its own reason"
        ),
        Entry(
            code: .internalError, step: .input, errorCode: .unknownError, traits: [.undecided, .retryable],
            meaning: "The machine could not finish the verification",
            hint:
                "try again; if it persists, memory or the OpenSSL installation is at fault"
        ),
    ]
}
