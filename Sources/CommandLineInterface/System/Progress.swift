/// A line on a terminal that says how far a long run is.
package final class Progress {
    private let lead: String
    private let noun: String
    private let isShown: Bool
    private let start = SystemCalls.monotonicMilliseconds
    private var last: Int
    private var isVisible = false

    /// - Parameter noun: What is counted, in the plural.
    package init<Program>(_ session: ToolSession<Program>, counting noun: String) {
        self.noun = noun
        lead = Program.name
        // Where results go to the same terminal, they are progress enough.
        isShown = !session.talk.isQuiet && SystemCalls.isTerminal(2) && !session.output.isTerminal
        last = start
    }

    /// Shows a count, after the first second and then a few times a second.
    package func show(_ count: Int) {
        guard isShown else { return }
        let now = SystemCalls.monotonicMilliseconds
        guard now - start > 1000, now - last > 200 else { return }
        last = now
        isVisible = true
        write("\r\(lead): \(count) \(noun), \(count * 1000 / (now - start)) a second\u{1b}[K")
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
