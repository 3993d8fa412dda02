/// A command line, file or configuration that cannot be used; the tool says so and exits with 2.
package struct UsageError: Error, Sendable, Equatable {
    /// One line, lower case, no full stop.
    package let message: String
    /// The flag or file to put right.
    package let hint: String?

    package init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
