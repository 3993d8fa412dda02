/// The outcome of verifying one receipt.
public enum VerificationResult<Payload> {
    /// The receipt is genuine and meets the policy.
    case verified(Payload)
    /// The receipt is refused, or nothing could be decided; the failure says why.
    case unverified(VerificationFailure)

    /// The payload of a verified receipt; nil for every other.
    public var verifiedPayload: Payload? {
        if case .verified(let payload) = self { payload } else { nil }
    }

    /// Why the receipt is refused; nil when it is verified.
    public var failure: VerificationFailure? {
        if case .unverified(let failure) = self { failure } else { nil }
    }

    /// What a refused receipt says, where it was read at all: nothing in it may be trusted.
    public var untrustedPayload: JSONObject? { failure?.untrustedPayload }

    /// The outcome in one word.
    public var verdict: Verdict { failure?.verdict ?? .verified }

    /// The same outcome with another payload.
    public func map<Other>(_ transform: (Payload) -> Other) -> VerificationResult<Other> {
        switch self {
        case .verified(let payload): .verified(transform(payload))
        case .unverified(let failure): .unverified(failure)
        }
    }
}

extension VerificationResult: Sendable where Payload: Sendable {}
extension VerificationResult: Equatable where Payload: Equatable {}
