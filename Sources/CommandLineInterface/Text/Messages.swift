/// A command line, file or configuration that cannot be used; the tool reports it and exits with its code.
package struct UsageError: Error, Sendable, Equatable {
    /// What is wrong: one line, lower case, without a full stop.
    package let message: Escaped
    /// What to do about it, such as the flag or file to correct.
    package let hint: Escaped?
    /// Details for a person, such as the names that there are.
    package let notes: [Escaped]
    /// The exit code.
    package let code: ExitCode

    package init(_ message: Escaped, hint: Escaped? = nil, notes: [Escaped] = [], code: ExitCode = .unusable) {
        self.message = message
        self.hint = hint
        self.notes = notes
        self.code = code
    }
}

/// The messages that a tool prints on standard error: errors, warnings, hints and notes.
///
/// Each line starts with the tool's name. Messages are lower case and have no full stop.
package struct Messages: Sendable {
    private let name: String
    /// Whether warnings and notes are suppressed.
    package let isQuiet: Bool

    package init(name: String, isQuiet: Bool) {
        self.name = name
        self.isQuiet = isQuiet
    }

    /// Prints an error and its hint, even when quiet, and then its notes.
    package func error(_ error: UsageError) {
        printLine(error.message)
        if let hint = error.hint { printLine("hint: \(hint)") }
        for text in error.notes { note(text) }
    }

    /// Prints a warning and its hint.
    package func warn(_ message: Escaped, hint: Escaped? = nil) {
        guard !isQuiet else { return }
        printLine("warning: \(message)")
        if let hint { printLine("hint: \(hint)") }
    }

    /// Prints a note, such as what the tool has done.
    package func note(_ message: Escaped) {
        guard !isQuiet else { return }
        printLine(message)
    }

    /// Prints a result that a flag asks for and that has no place on standard output, even when quiet.
    package func result(_ text: Escaped) { printLine(text) }

    private func printLine(_ text: Escaped) {
        // If standard error cannot be written to, there is no other place to report that.
        try? SystemCalls.write([UInt8]("\(name): \(text)\n".utf8), to: 2)
    }
}
