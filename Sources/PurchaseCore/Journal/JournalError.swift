/// Why a journal could not be read or written; nothing has changed in it.
public struct JournalError: Error, Sendable {
    /// A stable reason; new ones may come, so a reader keeps a default.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name in kebab case.
        public let rawValue: String

        /// Takes any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// What was written could not be made durable.
        public static let notWritten = Self(rawValue: "not-written")
        /// What was written before cannot be read.
        public static let notReadable = Self(rawValue: "not-readable")
        /// The step does not follow from the stage that the entry is in.
        public static let outOfOrder = Self(rawValue: "out-of-order")
    }

    /// The reason.
    public let code: Code
    /// What happened, for a log.
    public let message: String
    /// What lies beneath.
    public let underlying: (any Error)?

    /// Describes an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension JournalError: Equatable {
    /// Whether the codes are equal.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension JournalError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
