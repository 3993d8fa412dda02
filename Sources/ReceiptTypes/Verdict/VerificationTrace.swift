/// The checks of one verification, in their order, for an explanation of the verdict.
public struct VerificationTrace: Sendable, Hashable {
    /// The outcome of a check.
    public enum Outcome: String, Sendable, Hashable {
        /// The requirement is met.
        case passed
        /// The requirement is not met.
        case failed
        /// The check was not made; the note states the reason.
        case skipped
    }

    /// One check.
    public struct Event: Sendable, Hashable {
        /// The step that the check belongs to.
        public var step: VerificationStep
        /// The stable name of the check in kebab case.
        public var check: String
        /// The outcome of the check.
        public var outcome: Outcome
        /// What the rule requires, in words.
        public var expected: String?
        /// What was found, in words; it can contain text from the receipt.
        public var actual: String?
        /// The index in `x5c` of the certificate that was checked.
        public var certificateIndex: Int?
        /// The code of a failed check.
        public var code: VerificationFailure.Code?
        /// A remark, such as the reason for skipping the check.
        public var note: String?

        /// Creates an event.
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

    /// The checks, in the order in which they were made.
    public private(set) var events: [Event] = []

    /// Creates an empty trace.
    public init() {}

    /// Appends a check.
    public mutating func append(_ event: Event) {
        events.append(event)
    }
}
