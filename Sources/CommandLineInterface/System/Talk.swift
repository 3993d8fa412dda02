/// What the tool says beside its result, on standard error.
///
/// Lines are led by the tool's name; they begin in lower case and have no full stop.
package struct Talk: Sendable {
    private let name: String
    /// Whether only errors are said.
    package let isQuiet: Bool

    package init(name: String, isQuiet: Bool) {
        self.name = name
        self.isQuiet = isQuiet
    }

    /// Says why the tool cannot go on, and what to put right.
    package func error(_ error: UsageError) {
        say(error.message)
        if let hint = error.hint { say("hint: \(hint)") }
    }

    /// Says that something is not as it may seem.
    package func warn(_ message: String, hint: String? = nil) {
        guard !isQuiet else { return }
        say("warning: \(message)")
        if let hint { say("hint: \(hint)") }
    }

    /// Says what was done.
    package func note(_ message: String) {
        guard !isQuiet else { return }
        say(message)
    }

    private func say(_ text: String) {
        // Nothing can be done about a standard error that cannot be written to.
        try? SystemCalls.write([UInt8]("\(name): \(text)\n".utf8), to: 2)
    }
}
