extension VerificationFailure {
    /// A stable reason for a failure, with its step, its meaning and a hint.
    ///
    /// Later versions add codes, so a `switch` needs a default. Two codes are equal when their raw values are. Another
    /// module declares its own codes with ``init(_:step:errorCode:meaning:hint:isRetryable:isUndecided:)``, lists them,
    /// and passes the list to ``init(rawValue:among:)`` to read them back:
    ///
    /// ```swift
    /// extension VerificationFailure.Code {
    ///     static let voucherExpired = Self(
    ///         "voucher-expired", step: .claims, errorCode: .unknownError,
    ///         meaning: "The voucher has expired",
    ///         hint: "ask the customer for another voucher"
    ///     )
    ///     static let voucherCodes: [Self] = [.voucherExpired]
    /// }
    /// ```
    public struct Code: ErrorCode {
        /// A reference, so a failure stays small: each receipt has room for one, and most receipts have none.
        private let declaration: Declaration

        /// The name of a code and the facts that are declared with it.
        private final class Declaration: Sendable {
            let rawValue: String
            let step: VerificationStep
            let errorCode: VerificationErrorCode
            let meaning: String
            let hint: String
            let isRetryable: Bool
            let isUndecided: Bool
            let isKnown: Bool

            init(
                rawValue: String,
                step: VerificationStep,
                errorCode: VerificationErrorCode,
                meaning: String,
                hint: String,
                isRetryable: Bool,
                isUndecided: Bool
            ) {
                self.rawValue = rawValue
                self.step = step
                self.errorCode = errorCode
                self.meaning = meaning
                self.hint = hint
                self.isRetryable = isRetryable
                self.isUndecided = isUndecided
                isKnown = true
            }

            init(unknown rawValue: String) {
                self.rawValue = rawValue
                step = .input
                errorCode = .unknownError
                meaning = "This version does not know the failure code"
                hint = "update to the version that introduced the code"
                isRetryable = false
                isUndecided = false
                isKnown = false
            }
        }

        /// Declares a code.
        ///
        /// - Parameters:
        ///   - rawValue: The stable name in kebab case.
        ///   - step: The step whose check fails with this code.
        ///   - errorCode: The code's group among the four that applications show.
        ///   - meaning: What the code means, in one sentence without a final full stop.
        ///   - hint: What the caller can do, in one sentence that begins in lower case, without a final full stop.
        ///   - isRetryable: Whether verifying the same receipt again can succeed.
        ///   - isUndecided: Whether nothing was decided about the receipt.
        public init(
            _ rawValue: String,
            step: VerificationStep,
            errorCode: VerificationErrorCode,
            meaning: String,
            hint: String,
            isRetryable: Bool = false,
            isUndecided: Bool = false
        ) {
            declaration = Declaration(
                rawValue: rawValue,
                step: step,
                errorCode: errorCode,
                meaning: meaning,
                hint: hint,
                isRetryable: isRetryable,
                isUndecided: isUndecided
            )
        }

        /// Returns the code of ``all`` with a name; any other name becomes a code that is not ``isKnown``.
        public init(rawValue: String) {
            self.init(rawValue: rawValue, among: [])
        }

        /// Returns the code with a name, from ``all`` or from the codes of another module.
        ///
        /// Any other name becomes a code that is not ``isKnown``.
        public init(rawValue: String, among codes: [Self]) {
            let known = Self.knownByName[rawValue] ?? codes.first { $0.rawValue == rawValue }
            self = known ?? Self(declaration: Declaration(unknown: rawValue))
        }

        private init(declaration: Declaration) {
            self.declaration = declaration
        }

        private static let knownByName = Dictionary(
            all.map { ($0.rawValue, $0) }, uniquingKeysWith: { first, _ in first }
        )

        /// The stable name in kebab case, such as `signature-invalid`.
        public var rawValue: String { declaration.rawValue }
        /// Whether the code is declared; false if only its name is known.
        public var isKnown: Bool { declaration.isKnown }
        /// The step whose check fails with this code; ``VerificationStep/input`` for an unknown code.
        public var step: VerificationStep { declaration.step }
        /// The code's group among the four that applications show.
        public var errorCode: VerificationErrorCode { declaration.errorCode }
        /// What the code means, in one sentence without a final full stop.
        public var meaning: String { declaration.meaning }
        /// What the caller can do, in one sentence without a final full stop.
        public var hint: String { declaration.hint }
        /// Whether verifying the same receipt again can succeed, later or with more keys or roots.
        public var isRetryable: Bool { declaration.isRetryable }
        /// Whether nothing was decided about the receipt.
        public var isUndecided: Bool { declaration.isUndecided }

        /// Returns whether the raw values are equal.
        public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

        /// Feeds the raw value into a hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }
}
