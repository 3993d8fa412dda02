/// The outcome of one verification in one word.
public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// The receipt is genuine and meets the policy.
    case verified
    /// The receipt is rejected for a known reason.
    case unverified
    /// Nothing was decided, because a key, a root or memory was missing or the format is not supported.
    case undecided

    /// Returns the verdict on two receipts together: the worse one, in the order unverified, undecided, verified.
    public func combined(with other: Verdict) -> Verdict {
        [.unverified, .undecided].first { $0 == self || $0 == other } ?? .verified
    }
}

/// The outcome of verifying one receipt.
public enum VerificationResult<Payload> {
    /// The receipt is genuine and meets the policy.
    case verified(Payload)
    /// The receipt is rejected, or nothing was decided; the failure states the reason.
    case unverified(VerificationFailure)

    /// The payload of a verified receipt; nil for every other.
    public var verifiedPayload: Payload? {
        if case .verified(let payload) = self { payload } else { nil }
    }

    /// The reason why the receipt is not verified; nil if it is.
    public var failure: VerificationFailure? {
        if case .unverified(let failure) = self { failure } else { nil }
    }

    /// The payload of a rejected receipt, if its signature was valid and its claims were checked.
    ///
    /// Trust nothing in it.
    public var untrustedPayload: JSONObject? { failure?.untrustedPayload }

    /// The outcome in one word.
    public var verdict: Verdict { failure?.verdict ?? .verified }

    /// Returns the same outcome with another payload.
    public func map<Other>(_ transform: (Payload) -> Other) -> VerificationResult<Other> {
        switch self {
        case .verified(let payload): .verified(transform(payload))
        case .unverified(let failure): .unverified(failure)
        }
    }
}

extension VerificationResult: Sendable where Payload: Sendable {}
extension VerificationResult: Equatable where Payload: Equatable {}
