import ReceiptTypes
import ReceiptVerification

/// Runs of a batch over lines in memory, whose results are looked at only as far as that they are right.
struct BatchRun {
    let lines: [UInt8]
    let count: Int
    var verdict = Verdict.verified

    /// As much as the command-line tool reads at a time.
    private static let pieceSize = 524_288

    /// Verifies all lines into JSON Lines, and times that.
    func measure(by verifier: ReceiptVerifier, jobs: Int = 1) throws -> Elapsed {
        try Elapsed.measure {
            var lineCount = 0
            let batch = BatchVerifier(verifier: verifier, jobs: jobs)
            let summary = try batch.run([source]) { results, progress in
                guard results.last == UInt8(ascii: "\n") else { throw Failure("a batch gave a part of a line") }
                lineCount = progress.summary.total
            }
            guard summary.verdicts == [verdict: count], lineCount == count else {
                throw Failure("a batch of \(count) receipts ended with \(summary.verdicts)")
            }
        }
    }

    /// The lines piece by piece, as from a file.
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

    /// How far a source has been read.
    ///
    /// Unchecked: a batch calls its source by one thread at a time, and hands it from the thread that made it to the one
    /// that reads by starting that thread.
    private final class Position: @unchecked Sendable {
        var value = 0
    }
}
