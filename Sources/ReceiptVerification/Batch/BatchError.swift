/// A batch could not be run.
public struct BatchError: Error, Sendable, CustomStringConvertible {
    /// What is wrong; new codes may come.
    public struct Code: Sendable, Hashable {
        private let name: String

        /// The CSV has no column of the name that was asked for.
        public static let noSuchColumn = Code(name: "no-such-column")
        /// The system has no thread to give.
        public static let noThread = Code(name: "no-thread")
    }

    /// What is wrong.
    public let code: Code
    /// The source's name.
    public let source: String
    /// The name that was not found.
    public let detail: String

    /// One sentence.
    public var description: String {
        switch code {
        case .noSuchColumn: "\(source) has no column \(detail) in its first line"
        default: "the system has no thread to give"
        }
    }
}
