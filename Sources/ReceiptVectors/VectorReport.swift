/// The result of a run over vector files.
public struct VectorReport: Sendable {
    /// A vector with an unexpected outcome.
    public struct Difference: Sendable, CustomStringConvertible {
        /// The file's name.
        public let file: String
        /// The ID of the vector in the file; 0 for the file itself.
        public let id: Int64
        /// The vector's comment.
        public let comment: String
        /// The expected outcome.
        public let expected: String
        /// The actual outcome.
        public let actual: String

        /// The difference in one line.
        public var description: String {
            "\(file) \(id) (\(comment)): expected \(expected), got \(actual)"
        }
    }

    /// The number of vectors that were run.
    public internal(set) var count = 0
    /// The number of vectors in each file, by file name.
    public internal(set) var countsByFile: [String: Int] = [:]
    /// The vectors with an unexpected outcome.
    public internal(set) var differences: [Difference] = []
}
