import ReceiptTypes
import ReceiptVerification

/// Runs of a batch over lines in memory; the results are only checked for their number and verdicts.
struct BatchRun {
    let lines: [UInt8]
    let count: Int
    var verdict = Verdict.verified

    /// The number of bytes that the command-line tool reads at a time.
    private static let pieceSize = 524_288

    /// Returns the time to verify all lines and write JSON Lines.
    func measure(by verifier: ReceiptVerifier, jobs: Int = 1) throws -> Elapsed {
        try Elapsed.measure {
            var lineCount = 0
            let batch = BatchVerifier(verifier: verifier, jobs: jobs)
            let summary = try batch.run([source]) { results, progress in
                guard results.last == UInt8(ascii: "\n") else { throw Failure("a batch wrote an incomplete line") }
                lineCount = progress.summary.total
            }
            guard summary.verdicts == [verdict: count], lineCount == count else {
                throw Failure("a batch of \(count) receipts had the verdicts \(summary.verdicts), not only \(verdict)")
            }
        }
    }

    /// The lines in pieces, as read from a file.
    private var source: BatchSource {
        let (lines, position) = (lines, Position())
        return BatchSource(name: "bench") { buffer in
            let start = position.value
            guard start < lines.count else { return false }
            position.value = min(start + Self.pieceSize, lines.count)
            buffer += lines[start..<position.value]
            return true
        }
    }

    /// The number of bytes that a source has returned so far.
    ///
    /// Unchecked: a batch calls its source on one thread at a time, and starts that thread after the source was
    /// created.
    private final class Position: @unchecked Sendable {
        var value = 0
    }
}
