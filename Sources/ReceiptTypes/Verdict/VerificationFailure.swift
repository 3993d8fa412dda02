/// Why a receipt is not verified.
///
/// Two failures are equal when their codes are.
public struct VerificationFailure: Error, Sendable {
    /// The stable reason.
    public let code: Code
    /// What the rule asks for, in words.
    public let expected: String?
    /// What was found, in words. It can hold text from the receipt: escape it before a terminal sees it.
    public let actual: String?
    /// The index in `x5c` of the certificate that is to blame; 0 is the leaf.
    public let certificateIndex: Int?
    /// What to try.
    public let hint: String
    /// What the refused receipt says, where its signature had been verified before it was refused: nothing in it may be
    /// trusted.
    public var untrustedPayload: JSONObject?

    /// Describes a failure; without a hint of its own it takes the code's.
    public init(
        code: Code,
        expected: String? = nil,
        actual: String? = nil,
        certificateIndex: Int? = nil,
        hint: String? = nil,
        untrustedPayload: JSONObject? = nil
    ) {
        self.code = code
        self.expected = expected
        self.actual = actual
        self.certificateIndex = certificateIndex
        self.hint = hint ?? code.hint
        self.untrustedPayload = untrustedPayload
    }

    /// The step at which it was noticed.
    public var step: VerificationStep { code.step }

    /// Whether the same receipt can be verified later or with more material.
    public var isRetryable: Bool { code.isRetryable }

    /// `unverified`, or `undecided` where nothing could be decided.
    public var verdict: Verdict { code.isUndecided ? .undecided : .unverified }

    /// The code among the four that applications show.
    public var errorCode: VerificationErrorCode { code.errorCode }

    /// What it means, what was expected and what was found, in one or two sentences.
    public var explanation: String {
        let place = certificateIndex.map { " (certificate \($0))" } ?? ""
        var text = "\(code.meaning)\(place)"
        if let expected { text += "; expected: \(expected)" }
        if let actual { text += "; found: \(actual)" }
        return HiddenCharacters.escaped(text)
    }
}

extension VerificationFailure: Hashable {
    /// Whether the codes are equal.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Feeds the code into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension VerificationFailure: CustomStringConvertible {
    /// The code and the explanation.
    public var description: String { "\(code): \(explanation)" }
}
