/// The progress of a long run, as a line on the terminal that is erased at the end.
package final class Progress {
    private let name: String
    private let noun: String
    private let isEnabled: Bool
    private let start = SystemCalls.monotonicMilliseconds
    private var lastUpdate: Int
    private var isVisible = false

    /// - Parameter noun: The counted items, in the plural.
    package init<Program>(_ session: ToolSession<Program>, counting noun: String) {
        self.noun = noun
        name = Program.name
        // Results on the same terminal show the progress themselves.
        isEnabled = !session.messages.isQuiet && SystemCalls.isTerminal(2) && !session.output.isTerminal
        lastUpdate = start
    }

    /// Shows a count, at most five times a second and not in the first second.
    package func show(_ count: Int) {
        guard isEnabled else { return }
        let now = SystemCalls.monotonicMilliseconds
        guard now - start > 1000, now - lastUpdate > 200 else { return }
        lastUpdate = now
        isVisible = true
        write("\r\(name): \(count) \(noun), \(count * 1000 / (now - start)) per second\u{1b}[K")
    }

    /// Erases the line.
    package func clear() {
        if isVisible { write("\r\u{1b}[K") }
        isVisible = false
    }

    private func write(_ text: String) {
        try? SystemCalls.write([UInt8](text.utf8), to: 2)
    }
}
