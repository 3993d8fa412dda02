/// What was looked at during one verification, step by step, for an explanation.
public struct VerificationTrace: Sendable, Hashable {
    /// How a check went.
    public enum Outcome: String, Sendable, Hashable {
        /// The requirement is met.
        case passed
        /// The requirement is not met.
        case failed
        /// The check was not made; the note says why.
        case skipped
    }

    /// One check.
    public struct Event: Sendable, Hashable {
        /// The step it belongs to.
        public var step: VerificationStep
        /// The check's stable name in kebab case.
        public var check: String
        /// How it went.
        public var outcome: Outcome
        /// What the rule asks for, in words.
        public var expected: String?
        /// What was found, in words; it can hold text from the receipt.
        public var actual: String?
        /// The index in `x5c` of the certificate that it is about.
        public var certificateIndex: Int?
        /// The reason that a failed check gives.
        public var code: VerificationFailure.Code?
        /// What else is to be said.
        public var note: String?

        /// Describes a check.
        public init(
            step: VerificationStep,
            check: String,
            outcome: Outcome,
            expected: String? = nil,
            actual: String? = nil,
            certificateIndex: Int? = nil,
            code: VerificationFailure.Code? = nil,
            note: String? = nil
        ) {
            self.step = step
            self.check = check
            self.outcome = outcome
            self.expected = expected
            self.actual = actual
            self.certificateIndex = certificateIndex
            self.code = code
            self.note = note
        }
    }

    /// The checks in the order in which they were made.
    public private(set) var events: [Event] = []

    /// An empty trace.
    public init() {}

    /// Adds a check.
    public mutating func append(_ event: Event) {
        events.append(event)
    }
}
