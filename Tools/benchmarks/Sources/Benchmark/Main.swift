import Foundation
import ReceiptTestAuthority
import ReceiptVerification

/// Runs the benchmarks in one process and reports the figures.
@main
struct Main {
    static func main() {
        do {
            exit(try run(Options(Array(CommandLine.arguments.dropFirst()))))
        } catch let failure as Failure {
            say(failure.message)
            if let hint = failure.hint { say("hint: \(hint)") }
        } catch {
            say("\(error)")
        }
        exit(2)
    }

    private static func run(_ options: Options) throws -> Int32 {
        let cases = try Case.all(options)
        if options.isListing {
            for item in cases { print(item.name) }
            return 0
        }
        if let unknown = options.only.first(where: { name in !cases.contains { $0.name == name } }) {
            throw Failure("unknown case \(unknown)", hint: "Tools/bench --list")
        }
        // Read first, so that an unreadable file is reported before minutes of measuring.
        let earlier = try options.compare.map { try Report.read(from: $0) }
        let expected = try options.check.map { try StoredRatios(readingFrom: $0) }

        var report = Report(options, sizes: try ReceiptSizes(of: Material(signers: 1), playKey: TestPlayKey()))
        var failures = 0
        for item in cases where options.only.isEmpty || options.only.contains(item.name) {
            say("measuring \(item.name)")
            do {
                report.figures += try item.measure()
            } catch let failure as Failure {
                // The figures of the other cases are useful all the same.
                say("\(item.name): \(failure.message)")
                failures += 1
            }
        }
        if options.json != "-" { print(report.table(comparedWith: earlier)) }
        if let path = options.json {
            let data = try Format.json(report)
            if path == "-" { FileHandle.standardOutput.write(data) } else { try data.write(to: URL(filePath: path)) }
        }
        guard failures == 0 else { throw Failure("\(failures) cases could not be measured") }
        if let path = options.save {
            let exists = FileManager.default.fileExists(atPath: path)
            var stored = exists ? try StoredRatios(readingFrom: path) : StoredRatios()
            stored.store(report.figures)
            try stored.write(to: path)
        }
        let shortfalls = expected?.shortfalls(of: report.figures) ?? []
        for shortfall in shortfalls { say(shortfall) }
        return shortfalls.isEmpty ? 0 : 1
    }

    private static func say(_ text: String) {
        FileHandle.standardError.write(Data("bench: \(text)\n".utf8))
    }
}

/// The reason why a run has no result: invalid arguments, a missing file, or a wrong result of the measured work.
struct Failure: Error {
    let message: String
    var hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
