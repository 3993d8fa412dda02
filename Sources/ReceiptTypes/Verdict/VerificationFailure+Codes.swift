extension VerificationFailure.Code {
    /// The input is no receipt of a known form.
    public static let formatUnrecognized = Self(rawValue: "format-unrecognized")
    /// The input is an app receipt in PKCS#7 form, which is not judged yet.
    public static let legacyReceiptUnsupported = Self(rawValue: "legacy-receipt-unsupported")
    /// The receipt is larger than any genuine one.
    public static let tooLarge = Self(rawValue: "too-large")
    /// The text is no JWS in compact form.
    public static let segmentCount = Self(rawValue: "segment-count")
    /// A part of the receipt is not canonical base64.
    public static let encoding = Self(rawValue: "encoding")
    /// The JWS header is no JSON object that can be read.
    public static let headerMalformed = Self(rawValue: "header-malformed")
    /// The JWS is not signed with ES256.
    public static let algorithm = Self(rawValue: "algorithm")
    /// The JWS header asks for an extension that is not supported.
    public static let headerUnsupported = Self(rawValue: "header-unsupported")
    /// The certificate chain has the wrong length.
    public static let chainLength = Self(rawValue: "chain-length")
    /// A certificate cannot be read.
    public static let certificateMalformed = Self(rawValue: "certificate-malformed")
    /// The certificates do not form a chain.
    public static let chainInvalid = Self(rawValue: "chain-invalid")
    /// The chain does not end at a trusted root.
    public static let untrustedRoot = Self(rawValue: "untrusted-root")
    /// The signing certificate is a certification authority.
    public static let leafIsCA = Self(rawValue: "leaf-is-ca")
    /// The signing certificate has no P-256 key.
    public static let leafKeyUnsupported = Self(rawValue: "leaf-key-unsupported")
    /// The signing certificate is not meant for signatures.
    public static let leafKeyUsage = Self(rawValue: "leaf-key-usage")
    /// The signing certificate is not marked for App Store receipts.
    public static let leafMarkerMissing = Self(rawValue: "leaf-marker-missing")
    /// The intermediate certificate may not issue certificates.
    public static let intermediateNotCA = Self(rawValue: "intermediate-not-ca")
    /// The root does not allow a certificate between itself and the leaf.
    public static let intermediatePathLength = Self(rawValue: "intermediate-path-length")
    /// The intermediate certificate is not meant for signing certificates.
    public static let intermediateKeyUsage = Self(rawValue: "intermediate-key-usage")
    /// The intermediate is not marked as Apple Worldwide Developer Relations.
    public static let intermediateMarkerMissing = Self(rawValue: "intermediate-marker-missing")
    /// A certificate has a critical extension that is not understood.
    public static let certificateCriticalExtension = Self(rawValue: "certificate-critical-extension")
    /// A certificate is signed with a weak or unknown algorithm.
    public static let certificateAlgorithm = Self(rawValue: "certificate-algorithm")
    /// There is no trusted root to verify with.
    public static let noTrustAnchor = Self(rawValue: "no-trust-anchor")
    /// There is no key for the package of this purchase.
    public static let keyNotFound = Self(rawValue: "key-not-found")
    /// The public key for this package cannot be used.
    public static let keyInvalid = Self(rawValue: "key-invalid")
    /// The signature is none of ES256.
    public static let signatureMalformed = Self(rawValue: "signature-malformed")
    /// The signature does not fit the content and the key.
    public static let signatureInvalid = Self(rawValue: "signature-invalid")
    /// The payload is no JSON that can be read.
    public static let payloadMalformed = Self(rawValue: "payload-malformed")
    /// The payload is not a JSON object.
    public static let payloadNotAnObject = Self(rawValue: "payload-not-an-object")
    /// The signing time is no instant that a certificate could cover.
    public static let signingTimeInvalid = Self(rawValue: "signing-time-invalid")
    /// The receipt was signed in the future.
    public static let signedInTheFuture = Self(rawValue: "signed-in-the-future")
    /// A certificate was not valid yet.
    public static let certificateNotYetValid = Self(rawValue: "certificate-not-yet-valid")
    /// A certificate was no longer valid.
    public static let certificateExpired = Self(rawValue: "certificate-expired")
    /// The payload is of no known kind.
    public static let kindUnrecognized = Self(rawValue: "kind-unrecognized")
    /// The receipt is of another kind than the one asked for.
    public static let kindMismatch = Self(rawValue: "kind-mismatch")
    /// A claim has the wrong JSON type.
    public static let claimType = Self(rawValue: "claim-type")
    /// The receipt belongs to another app.
    public static let bundleIDMismatch = Self(rawValue: "bundle-id-mismatch")
    /// The receipt belongs to another app in the App Store.
    public static let appAppleIDMismatch = Self(rawValue: "app-apple-id-mismatch")
    /// The receipt comes from another environment.
    public static let environmentMismatch = Self(rawValue: "environment-mismatch")
    /// The receipt is for another product.
    public static let productIDMismatch = Self(rawValue: "product-id-mismatch")
    /// The store has revoked the purchase.
    public static let purchaseRevoked = Self(rawValue: "purchase-revoked")
    /// The purchase was cancelled.
    public static let purchaseCancelled = Self(rawValue: "purchase-cancelled")
    /// The purchase is still pending.
    public static let purchasePending = Self(rawValue: "purchase-pending")
    /// The purchase says nothing known about its state.
    public static let purchaseStateUnknown = Self(rawValue: "purchase-state-unknown")
    /// Something was not checked, and the policy is strict.
    public static let uncheckedClaim = Self(rawValue: "unchecked-claim")
    /// A notification and a receipt inside it contradict each other.
    public static let nestedMismatch = Self(rawValue: "nested-mismatch")
    /// A receipt inside the notification is not verified.
    public static let nestedUnverified = Self(rawValue: "nested-unverified")
    /// The machine could not finish the verification.
    public static let internalError = Self(rawValue: "internal-error")
}
