/// The reason why a receipt is not verified.
///
/// The ``code`` is stable and carries the step, the meaning and the hint; ``expected`` and ``actual`` describe this one
/// receipt. Two failures are equal when their codes are.
public struct VerificationFailure: CodedError {
    /// The stable code of the reason.
    public let code: Code
    /// What the rule requires, in words.
    public let expected: String?
    /// What was found, in words. It can contain text from the receipt: escape it before you print it to a terminal.
    public let actual: String?
    /// The index in `x5c` of the certificate that failed the check; 0 is the leaf.
    public let certificateIndex: Int?
    /// What the caller can do, in one sentence without a final full stop.
    public let hint: String
    /// The identifiers of purchases in an input that contains no receipt, in their order, each once; at most 100.
    public let identifiers: [FoundIdentifier]
    /// The payload of the rejected receipt, if its signature was valid and its claims were checked.
    ///
    /// Trust nothing in it.
    public var untrustedPayload: JSONObject?

    /// Creates a failure, with the hint of its code unless `hint` is given.
    public init(
        code: Code,
        expected: String? = nil,
        actual: String? = nil,
        certificateIndex: Int? = nil,
        hint: String? = nil,
        identifiers: [FoundIdentifier] = [],
        untrustedPayload: JSONObject? = nil
    ) {
        self.code = code
        self.expected = expected
        self.actual = actual
        self.certificateIndex = certificateIndex
        self.hint = hint ?? code.hint
        self.identifiers = identifiers
        self.untrustedPayload = untrustedPayload
    }

    /// The step whose check failed.
    public var step: VerificationStep { code.step }

    /// Whether verifying the same receipt again can succeed, later or with more keys or roots.
    public var isRetryable: Bool { code.isRetryable }

    /// ``Verdict/undecided`` if the code says so, otherwise ``Verdict/unverified``.
    public var verdict: Verdict { code.isUndecided ? .undecided : .unverified }

    /// The code's group among the four that applications show.
    public var errorCode: VerificationErrorCode { code.errorCode }

    /// The meaning of the code, with the certificate, the expected and the found values, escaped for a terminal.
    public var explanation: String {
        let place = certificateIndex.map { " (certificate \($0))" } ?? ""
        var text = "\(code.meaning)\(place)"
        if let expected { text += "; expected: \(expected)" }
        if let actual { text += "; found: \(actual)" }
        return HiddenCharacters.escaped(text)
    }

    /// The ``explanation``, under the name that every ``CodedError`` has for it.
    public var message: String { explanation }
}

/// The four error codes that an application shows for a failed verification.
public enum VerificationErrorCode: String, Sendable, Hashable, CaseIterable {
    /// The store did not sign the receipt for this app, or the signature is not valid.
    case invalidSignature = "INVALID_SIGNATURE"
    /// No usable key or root was available for the verification.
    case keyNotFound = "KEY_NOT_FOUND"
    /// The receipt could not be decoded.
    case decodingError = "DECODING_ERROR"
    /// Any other reason.
    case unknownError = "UNKNOWN_ERROR"
}
