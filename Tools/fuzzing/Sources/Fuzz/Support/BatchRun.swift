@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// One run of a batch, and what came out of it.
struct BatchRun {
    private(set) var lines: [UInt8] = []
    private(set) var summary: BatchSummary?
    /// Why the batch could not be read; the lines before it are there all the same.
    private(set) var failure: String?
    private let output: BatchOutputFormat

    private final class Written: @unchecked Sendable {
        // Safe: touched by the run while the caller waits, and by the caller after it.
        var bytes: [UInt8] = []
    }

    /// Runs sources that come in pieces of the given sizes, again and again; whole where there are none.
    init(
        _ sources: [[UInt8]],
        _ format: BatchFormat,
        _ output: BatchOutputFormat,
        _ verifier: ReceiptVerifier,
        jobs: Int,
        pieces sizes: [Int]
    ) throws {
        self.output = output
        let written = Written()
        do {
            summary = try waitFor {
                let batch = BatchVerifier(verifier: verifier, output: output, jobs: jobs)
                let all = sources.enumerated().map { index, bytes in
                    Self.source("source \(index)", format, bytes, sizes)
                }
                return try await batch.run(all, write: { written.bytes += $0 })
            }
        } catch let error as BatchError {
            failure = error.description
        }
        lines = written.bytes
    }

    private static func source(_ name: String, _ format: BatchFormat, _ bytes: [UInt8], _ sizes: [Int]) -> BatchSource {
        var offset = 0
        var turn = 0
        return BatchSource(name: name, format: format) {
            guard offset < bytes.count else { return nil }
            let size = sizes.isEmpty ? bytes.count : sizes[turn % sizes.count]
            turn += 1
            defer { offset = min(offset + size, bytes.count) }
            return [UInt8](bytes[offset..<min(offset + size, bytes.count)])
        }
    }

    // MARK: What must hold

    /// Each result is one record, and there are as many as the summary says.
    func check() {
        let text = String(decoding: lines, as: UTF8.self)
        requireHarmless(text.filter { $0 != "\n" && $0 != "\r\n" }, "the output holds a character that a terminal obeys")
        require(lines.isEmpty || lines.last == 0x0A, "the output does not end with a line break")
        let count = output == .jsonLines ? results.count : checkedCSVRecords()
        if let summary { requireEqual(count, summary.total, "the number of results") }
    }

    /// The results of JSON Lines.
    private var results: [JSONObject] {
        lines.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().map { line in
            let object = ReceiptVerifier.parseJSON([UInt8](line))?.object
            let result = must(object, "a line that is no JSON object: \(String(decoding: line, as: UTF8.self))")
            requireEqual(result["type"]?.text, "result", "the type of a line")
            return result
        }
    }

    private func checkedCSVRecords() -> Int {
        var count = 0
        var rest = lines[...]
        while !rest.isEmpty {
            // A line break inside quotation marks belongs to a field.
            var isQuoted = false
            let end = rest.indices.first { index in
                if rest[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
                return rest[index] == 0x0A && !isQuoted
            }
            let record = rest[..<(end ?? rest.endIndex)]
            requireEqual(CSV.fields(of: record).count, ResultRow.columns.count, "the fields of a CSV record")
            for field in CSV.fields(of: record) {
                require(field.first.map { !"=+-@".utf8.contains($0) } ?? true, "a field that a spreadsheet would compute")
            }
            rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
            count += 1
        }
        return count
    }

    /// A batch of lines says the same as verifying what is found in each line by itself.
    func compareWithSingles(_ sources: [[UInt8]], _ verifier: ReceiptVerifier) {
        // Longer lines are refused as a whole.
        guard sources.allSatisfy({ $0.count < 12_000 }) else { return }
        var expected: [String] = []
        for (index, source) in sources.enumerated() {
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
