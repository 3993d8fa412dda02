import ReceiptTypes

@testable import ReceiptVerification

/// Runs a batch over texts and reads its results.
struct BatchRunner {
    var format = BatchFormat.lines
    var output = BatchOutputFormat.jsonLines
    var jobs = 1
    var keeping = KeptInput.nothing
    var isEveryRecordAnswered = false
    var isImmediate = false
    var maximumReceipts = BatchVerifier.defaultMaximumReceiptsPerRecord
    var policy = VerificationPolicy()
    var contents = ResultContents.standard
    var playKeys = PlayKeyring()
    /// The verifier; nil for one that trusts the authority of the fixture.
    var verifier: ReceiptVerifier?
    /// The number of bytes that arrive at once.
    var pieceSize = 300_000

    struct Run {
        var bytes: [UInt8] = []
        var summary = BatchSummary()
        var positions: [(position: BatchPosition, byteCount: Int)] = []

        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// The results in JSON Lines.
        var rows: [JSONObject] {
            text.split(separator: "\n").compactMap { (try? JSONDocument.value(of: [UInt8]($0.utf8)))?.object }
        }

        /// The cells of results in CSV, without the header line.
        var cells: [[String]] { [[String]](table.dropFirst()) }
        /// The cells of the header line.
        var header: [String] { table.first ?? [] }

        private var table: [[String]] {
            var scanner = RecordScanner(.csv(column: ""))
            var table: [[String]] = []
            var start = 0
            bytes.withRawSpan { span in
                while let end = scanner.nextEnd(in: span) {
                    let fields = CSV.fields(of: span.extracting(start..<end - 1))
                    table.append(fields.map { String(decoding: $0, as: UTF8.self) })
                    start = end
                }
            }
            return table
        }
    }

    func callAsFunction(_ texts: String..., from start: BatchPosition = BatchPosition()) throws -> Run {
        try run(texts, from: start)
    }

    func run(_ texts: [String], from start: BatchPosition = BatchPosition()) throws -> Run {
        let batch = BatchVerifier(
            verifier: try verifier ?? Fixture.verifier(policy: policy, playKeys: playKeys), output: output, jobs: jobs,
            isImmediate: isImmediate,
            maximumReceiptsPerRecord: maximumReceipts, keeping: keeping, contents: contents,
            isEveryRecordAnswered: isEveryRecordAnswered)
        let pieceSize = pieceSize
        let sources = texts.enumerated().map { index, text in
            let rest = Locked([UInt8](text.utf8)[...])
            return BatchSource(name: "source \(index)", format: format) {
                rest.withLock { rest -> [UInt8]? in
                    guard !rest.isEmpty else { return nil }
                    defer { rest = rest.dropFirst(pieceSize) }
                    return [UInt8](rest.prefix(pieceSize))
                }
            }
        }
        var run = Run()
        run.summary = try batch.run(sources, from: start) { lines, progress in
            run.bytes += lines
            run.positions.append((progress.position, run.bytes.count))
        }
        return run
    }
}
