/// How a run over vectors went.
public struct VectorReport: Sendable {
    /// A vector whose outcome is not the expected one.
    public struct Difference: Sendable, CustomStringConvertible {
        /// The file's name.
        public let file: String
        /// The vector's id in the file; 0 for the file as a whole.
        public let id: Int64
        /// What the vector is about.
        public let comment: String
        /// The expected outcome.
        public let expected: String
        /// The outcome.
        public let actual: String

        /// One line.
        public var description: String {
            "\(file) \(id) (\(comment)): expected \(expected), got \(actual)"
        }
    }

    /// How many vectors were run.
    public internal(set) var count = 0
    /// How many vectors each file holds, by its name.
    public internal(set) var countsByFile: [String: Int] = [:]
    /// Those that came out otherwise.
    public internal(set) var differences: [Difference] = []
}
