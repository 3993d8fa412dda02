internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVectors

/// `vectors`: runs test vectors and prints the differences.
struct VectorsCommand {
    let session: Session

    func run() throws -> ExitCode {
        guard !session.arguments.operands.isEmpty else {
            throw UsageError("vectors needs a folder", hint: "name one, such as TestVectors")
        }
        var runner = VectorRunner()
        var fileCount = 0
        for (name, path) in try session.arguments.operands.flatMap(Self.files) {
            guard let bytes = try FileAccess.readIfPresent(path) else { throw UsageError.noSuchInput(path) }
            runner.run(file: name, text: bytes)
            fileCount += 1
            if !session.writesJSON {
                try session.output.writeLine("\(name): \(runner.report.countsByFile[name] ?? 0) vectors")
            }
        }
        guard fileCount > 0 else {
            throw UsageError("the folder has no vector files", hint: "vector files are named *.json")
        }
        let report = runner.report
        if !report.differences.isEmpty { session.output.record(.negative) }
        if session.writesJSON { try writeJSON(report, fileCount) } else { try writeText(report, fileCount) }
        return session.output.code
    }

    private func writeText(_ report: VectorReport, _ fileCount: Int) throws {
        for difference in report.differences {
            try session.output.writeLine("\(session.style.failure("differs")): \(difference.description)")
        }
        let verdict =
            report.differences.isEmpty
            ? session.style.success("all as expected") : session.style.failure("\(report.differences.count) different")
        try session.output.writeLine(
            "\(report.count) vectors in \(fileCount) \(fileCount == 1 ? "file" : "files"): \(verdict)")
    }

    private func writeJSON(_ report: VectorReport, _ fileCount: Int) throws {
        for difference in report.differences {
            let object: JSONObject = [
                "type": .string("difference"), "file": .string(difference.file), "id": .integer(difference.id),
                "comment": .string(difference.comment), "expected": .string(difference.expected),
                "actual": .string(difference.actual),
            ]
            try session.writeLine(object, as: .vectorDifference)
        }
        let object: JSONObject = [
            "type": .string("summary"), "vectors": .integer(Int64(report.count)), "files": .integer(Int64(fileCount)),
            "differences": .integer(Int64(report.differences.count)),
        ]
        try session.writeLine(object, as: .vectorSummary)
    }

    /// Returns the vector files of a folder in the order of their names, or the file itself if the path is a file.
    private static func files(in path: String) throws(UsageError) -> [(name: String, path: String)] {
        let names: [String]
        do throws(SystemCalls.Failure) {
            guard try SystemCalls.kind(ofFileAt: path) == .directory else { return [(path, path)] }
            names = try SystemCalls.names(inDirectory: path)
        } catch {
            if error.isAbsent { throw UsageError("no such folder: \(path)") }
            throw .cannotRead(path, error)
        }
        return names.filter { $0.hasSuffix(".json") }.sorted().map { ($0, "\(path)/\($0)") }
    }
}
