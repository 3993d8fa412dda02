import Foundation

/// Measures the toolkit against what OpenSSL does by itself, in one process, round by round.
@main
struct Main {
    static func main() {
        do {
            exit(try run(Options(Array(CommandLine.arguments.dropFirst()))))
        } catch let failure as Options.Failure {
            say("\(failure.message)\nhint: Tools/bench --help")
        } catch {
            say("\(error)")
        }
        exit(2)
    }

    private static func run(_ options: Options) throws -> Int32 {
        let cases = try Self.cases(options)
        if options.isListing {
            for (name, _) in cases { print(name) }
            return 0
        }
        if let unknown = options.only.first(where: { name in !cases.contains { $0.name == name } }) {
            throw Options.Failure(message: "there is no case \(unknown)")
        }
        let earlier = try options.compare.map {
            try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: $0)))
        }
        var report = Report(figures: [])
        for (name, measure) in cases where options.only.isEmpty || options.only.contains(name) {
            say("measuring \(name)")
            report.figures += try measure()
        }
        if options.json != "-" { print(report.table(comparedWith: earlier)) }
        if let path = options.json {
            let data = try Report.json(report)
            if path == "-" { FileHandle.standardOutput.write(data) } else { try data.write(to: URL(filePath: path)) }
        }
        if let path = options.save { try save(report, to: URL(filePath: path)) }
        guard let path = options.check else { return 0 }
        let shortfalls = report.shortfalls(against: try stored(at: URL(filePath: path)))
        for shortfall in shortfalls { say(shortfall) }
        return shortfalls.isEmpty ? 0 : 1
    }

    private static func cases(_ options: Options) throws -> [(name: String, measure: () throws -> [Figure])] {
        let stopwatch = Stopwatch(rounds: options.rounds)
        let count = options.isQuick ? 10_000 : 100_000
        let library = LibraryCases(stopwatch: stopwatch, threads: options.threads, count: count)
        let folder = FileManager.default.temporaryDirectory.appending(path: "receipt-bench-\(getpid())")
        let tool = ToolCases(
            stopwatch: stopwatch, threads: options.threads, count: count, tool: options.tool, folder: folder
        )
        func inFolder(_ body: @escaping () throws -> [Figure]) -> () throws -> [Figure] {
            {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                return try body()
            }
        }
        let sizes = [10_000, 100_000, 1_000_000].filter { !options.isQuick || $0 < 1_000_000 }
        return [
            ("single", library.single), ("batch", library.oneSigner), ("signers-3", { try library.manySigners(3) }),
            ("signers-50", { try library.manySigners(50) }), ("chains", library.manyChains),
            ("notifications", library.notifications), ("play", library.play), ("tool", inFolder(tool.endToEnd)),
            ("memory", inFolder { try tool.memory(sizes) }), ("start", inFolder(tool.start)),
        ]
    }

    // MARK: Stored ratios

    private static func stored(at url: URL) throws -> [String: StoredFigure] {
        try JSONDecoder().decode([String: StoredFigure].self, from: Data(contentsOf: url))
    }

    /// Takes the figures of this run over; tolerances that somebody has set stay.
    private static func save(_ report: Report, to url: URL) throws {
        var all = FileManager.default.fileExists(atPath: url.path()) ? try stored(at: url) : [:]
        for figure in report.figures {
            let rounded = (figure.median * 100).rounded() / 100
            all[figure.name] = StoredFigure(
                median: rounded, direction: figure.direction, tolerance: all[figure.name]?.tolerance ?? 0.15
            )
        }
        try Report.json(all).write(to: url)
    }

    private static func say(_ text: String) {
        FileHandle.standardError.write(Data("bench: \(text)\n".utf8))
    }
}
