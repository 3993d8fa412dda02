/// A stable name for the reason of an error, in kebab case.
///
/// Codes are open: later versions add some, so a `switch` over them needs a default.
public protocol ErrorCode: RawRepresentable<String>, Sendable, Hashable, CustomStringConvertible {
    /// Creates a code with any name, known to this version or not.
    init(rawValue: String)
}

extension ErrorCode {
    /// The stable name.
    public var description: String { rawValue }
}

/// An error with an open code, a message for people, and the error that caused it.
///
/// Two errors of one type are equal when their codes are, so a test or a `catch` compares codes and not messages.
public protocol CodedError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type of the code.
    associatedtype Code: ErrorCode

    /// The name of the errors in a log, such as `StoreError`.
    static var name: String { get }
    /// The stable code of the reason.
    var code: Code { get }
    /// What failed, in one sentence without a final full stop.
    var message: String { get }
    /// The error that caused this one.
    var underlying: (any Error)? { get }
}

extension CodedError {
    /// The name of the type.
    public static var name: String { "\(Self.self)" }

    /// The error that caused this one; nil unless the type declares otherwise.
    public var underlying: (any Error)? { nil }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    /// Returns whether the codes are equal.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Feeds the code into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
