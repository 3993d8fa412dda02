/// A command line, file or configuration that cannot be used; the tool says so and exits with 2.
struct UsageError: Error, Sendable, Equatable {
    /// One line, lower case, no full stop.
    let message: String
    /// The flag or file to put right.
    let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
