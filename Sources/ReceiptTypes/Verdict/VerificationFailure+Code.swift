extension VerificationFailure {
    /// A stable reason; new ones may come, so a reader keeps a default.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name in kebab case, such as `signature-invalid`.
        public let rawValue: String

        /// Takes any name; one that is not in ``all`` says nothing about itself.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// What the table says about the code.
        private var entry: FailureTable.Entry { FailureTable.entries[self] ?? FailureTable.unknown }

        /// Every code there is, in the order of the steps.
        public static var all: [Code] { FailureTable.ordered.map(\.code) }

        /// The step at which it is noticed.
        public var step: VerificationStep { entry.step }
        /// What it means, in one sentence.
        public var meaning: String { entry.meaning }
        /// What to try.
        public var hint: String { entry.hint }
        /// Whether the same receipt can be verified later or with more material.
        public var isRetryable: Bool { entry.traits.contains(.retryable) }
        /// Whether nothing was decided about the receipt.
        public var isUndecided: Bool { entry.traits.contains(.undecided) }
        /// The code among the four that applications show.
        public var errorCode: VerificationErrorCode { entry.errorCode }
    }
}
