/// The four error codes that an application shows for a failed verification.
public enum VerificationErrorCode: String, Sendable, Hashable, CaseIterable {
    /// The receipt was not signed by the store for this app, or not validly.
    case invalidSignature = "INVALID_SIGNATURE"
    /// There was no key or root to verify with.
    case keyNotFound = "KEY_NOT_FOUND"
    /// The receipt could not be read.
    case decodingError = "DECODING_ERROR"
    /// Any other reason.
    case unknownError = "UNKNOWN_ERROR"
}
