@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// A run of a batch with its output.
struct BatchRun {
    /// The settings of a run.
    struct Settings {
        var format = BatchFormat.lines
        var output = BatchOutputFormat.jsonLines
        var jobs = 1
        /// Whether each result is written before more input is read.
        var isImmediate = false
        /// The sizes of the pieces in which sources return their bytes, repeated as needed; all at once if empty.
        var pieces: [Int] = []
        var start = BatchPosition()
    }

    private(set) var lines: [UInt8] = []
    private(set) var summary: BatchSummary?
    /// The error that ended the batch; the lines written before it are kept.
    private(set) var failure: String?
    /// The positions from which the run can resume, each with the number of bytes written before it.
    private(set) var positions: [(position: BatchPosition, byteCount: Int)] = []
    private let output: BatchOutputFormat

    init(_ sources: [[UInt8]], _ settings: Settings, _ verifier: ReceiptVerifier) throws {
        output = settings.output
        let batch = BatchVerifier(
            verifier: verifier, output: settings.output, jobs: settings.jobs, isImmediate: settings.isImmediate
        )
        let all = sources.enumerated().map { index, bytes in
            let feeder = Feeder(bytes, settings.pieces)
            return BatchSource(name: "source \(index)", format: settings.format) { feeder.next() }
        }
        do {
            summary = try batch.run(all, from: settings.start) { lines, progress in
                self.lines += lines
                positions.append((progress.position, self.lines.count))
            }
        } catch let error as BatchError {
            failure = error.message
        }
    }

    /// Prepends the output of an earlier run.
    mutating func prepend(_ earlier: some Sequence<UInt8>) {
        lines.insert(contentsOf: [UInt8](earlier), at: 0)
    }

    /// Returns bytes in pieces.
    private final class Feeder: @unchecked Sendable {
        // Safe: a batch reads a source from one thread at a time, and from no other while it runs.
        private var rest: ArraySlice<UInt8>
        private var turn = 0
        private let sizes: [Int]

        init(_ bytes: [UInt8], _ sizes: [Int]) {
            rest = bytes[...]
            // A long source in tiny pieces would take too long and find nothing new.
            self.sizes = sizes.map { max($0, bytes.count / 200, 1) }
        }

        func next() -> [UInt8]? {
            guard !rest.isEmpty else { return nil }
            let size = sizes.isEmpty ? rest.count : sizes[turn % sizes.count]
            turn += 1
            defer { rest = rest.dropFirst(size) }
            return [UInt8](rest.prefix(size))
        }
    }

    // MARK: Properties

    /// Checks that each result is one record and that their number is the one in the summary.
    func check() {
        let text = String(decoding: lines, as: UTF8.self)
        requireHarmless(
            text.filter { $0 != "\n" && $0 != "\r\n" }, "the output contains a control character")
        require(lines.isEmpty || lines.last == 0x0A, "the output does not end with a line break")
        // CSV begins with a header line.
        let count = output == .jsonLines ? results.count : countCheckedCSVRecords() - 1
        if let summary { requireEqual(count, summary.total, "the number of results") }
    }

    /// The parsed results of JSON Lines.
    private var results: [JSONObject] {
        lines.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().map { line in
            let object = (try? JSONDocument.value(of: [UInt8](line)))?.object
            let result = must(object, "a line that is no JSON object: \(String(decoding: line, as: UTF8.self))")
            requireEqual(result["type"]?.text, "result", "the type of a line")
            return result
        }
    }

    private func countCheckedCSVRecords() -> Int {
        var count = 0
        var rest = lines[...]
        while !rest.isEmpty {
            // A line break inside quotation marks belongs to a field.
            var isQuoted = false
            let end = rest.indices.first { index in
                if rest[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
                return rest[index] == 0x0A && !isQuoted
            }
            let record = [UInt8](rest[..<(end ?? rest.endIndex)])
            let fields = record.withRawSpan { CSV.fields(of: $0) }
            requireEqual(fields.count, ResultFields.commonNames.count, "the fields of a CSV record")
            for field in fields {
                require(
                    field.first.map { !"=+-@".utf8.contains($0) } ?? true,
                    "a field that a spreadsheet would evaluate as a formula")
            }
            rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
            count += 1
        }
        return count
    }

    /// Checks that a batch of lines has the same results as verifying the receipts of each line one at a time.
    func compareWithSingles(_ sources: [[UInt8]], _ verifier: ReceiptVerifier) {
        // A batch rejects lines above a limit without looking for receipts in them, and ends if the lines look like CSV.
        guard failure == nil, sources.allSatisfy({ $0.count < 12_000 }) else { return }
        var expected: [String] = []
        for (index, bytes) in sources.enumerated() {
            // A batch reads a byte order mark as no part of the first record, so a source that is only one has none.
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            let source = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
            for (number, line) in source.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
                guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
                for input in ReceiptInput.detect([UInt8](line)) {
                    let report = verifier.verify(input)
                    expected.append("source \(index) \(number + 1) \(report.failure?.code.rawValue ?? "verified")")
                }
            }
        }
        let found = results.map { result in
            "\(result["source"]?.text ?? "") \(result["line"]?.integer ?? 0) \(result["code"]?.text ?? "verified")"
        }
        requireEqual(found, expected, "a batch and single verification")
    }
}
