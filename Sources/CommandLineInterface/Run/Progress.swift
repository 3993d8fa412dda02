/// The progress of a long run, as a line on the terminal that is erased at the end.
package final class Progress {
    /// The width of a terminal that does not tell it.
    private static let usualWidth = 80

    private let name: String
    private let noun: String
    private let isEnabled: Bool
    private let start = SystemCalls.monotonicMilliseconds
    private var lastUpdate: Int
    private var isVisible = false
    /// The number of items, and the share of the input, at the start of a run that continues another one.
    private let startCount: Int
    private let startShare: Double

    /// - Parameters:
    ///   - noun: The counted items, in the plural.
    ///   - startCount: The number of items before the run.
    ///   - startShare: The share of the input before the run, from 0 to 1.
    package init<Program>(
        _ session: ToolSession<Program>,
        counting noun: String,
        from startCount: Int = 0,
        share startShare: Double = 0
    ) {
        self.noun = noun
        self.startCount = startCount
        self.startShare = startShare
        name = Program.name
        // Results on the same terminal show the progress themselves.
        isEnabled = !session.messages.isQuiet && SystemCalls.isTerminal(2) && !session.output.isTerminal
        lastUpdate = start
    }

    /// Shows a count, at most five times a second and not in the first second.
    ///
    /// - Parameters:
    ///   - share: The share of the input that is done, from 0 to 1; nil if it is not known.
    ///   - remark: What else to say.
    package func show(_ count: Int, share: Double? = nil, remark: String? = nil) {
        guard isEnabled else { return }
        let now = SystemCalls.monotonicMilliseconds
        guard now - start > 1000, now - lastUpdate > 200 else { return }
        lastUpdate = now
        isVisible = true
        var line = ProgressLine(name: name, count: count, noun: noun)
        line.share = share
        line.rate = (count - startCount) * 1000 / (now - start)
        line.remark = remark
        if let share, share > startShare {
            let rest = Double(now - start) / 1000 * (1 - share) / (share - startShare)
            line.secondsLeft = Int(exactly: max(rest, 0).rounded())
        }
        // A line of the full width would wrap on some terminals.
        let width = (SystemCalls.terminalWidth(2) ?? Self.usualWidth) - 1
        write("\r\(line.text(width: width))\u{1b}[K")
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
