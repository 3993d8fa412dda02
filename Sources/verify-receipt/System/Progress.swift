internal import ReceiptTypes
internal import ReceiptVerification

/// A line on a terminal that says how far a long run is.
final class Progress {
    private let isShown: Bool
    private let start = SystemClock.now()
    private var last: Timestamp
    private var isVisible = false

    init(_ session: Session) {
        // Where results go to the same terminal, they are progress enough.
        isShown = !session.arguments.has(.quiet) && SystemCalls.isTerminal(2) && !session.output.isTerminal
        last = start
    }

    /// Shows a count, after the first second and then a few times a second.
    func show(_ count: Int) {
        guard isShown else { return }
        let now = SystemClock.now()
        let sinceStart = now.millisecondsSince1970 - start.millisecondsSince1970
        guard sinceStart > 1000, now.millisecondsSince1970 - last.millisecondsSince1970 > 200 else { return }
        last = now
        isVisible = true
        write("\rverify-receipt: \(count) receipts, \(count * 1000 / Int(sinceStart)) a second\u{1b}[K")
    }

    /// Erases the line.
    func clear() {
        if isVisible { write("\r\u{1b}[K") }
        isVisible = false
    }

    private func write(_ text: String) {
        try? SystemCalls.write([UInt8](text.utf8), to: 2)
    }
}
