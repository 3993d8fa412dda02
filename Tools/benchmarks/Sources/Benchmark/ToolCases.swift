import Foundation
import ReceiptVerification

/// The command-line tool, measured as a process.
struct ToolCases {
    let stopwatch: Stopwatch
    let threads: Int
    let count: Int
    /// The path of the tool.
    let tool: String
    /// The path of `paywall-preview`.
    let previewTool: String
    /// A folder for temporary files, which is removed after each case.
    let folder: URL

    /// Measures a batch from a file of receipts to JSON Lines.
    func endToEnd() throws -> [Figure] {
        try withFiles(Material(signers: 1), receipts: { try $0.transactions(count) }) { root, receipts in
            func program(_ jobs: Int) -> Program { batch(receipts, root: root, jobs: jobs) }
            var (one, many, gains): ([Ratio], [Ratio], [Ratio]) = ([], [], [])
            for _ in 0..<stopwatch.rounds {
                let before = try stopwatch.raw()
                let alone = try program(1).time()
                let between = try stopwatch.raw()
                let together = try program(threads).time()
                let after = try stopwatch.raw()
                one.append(Ratio(of: Elapsed.mean(before, between) * Double(count), to: alone))
                many.append(Ratio(of: Elapsed.mean(between, after) * Double(count), to: together))
                gains.append(Ratio(alone.seconds / together.seconds))
            }
            return [
                Figure("tool-one-thread", "verify-receipt batch FILE --jobs 1, \(count) transactions", one),
                Figure("tool-threads", "the same with --jobs \(threads)", many),
                Figure("tool-gain", "--jobs \(threads) against --jobs 1", gains),
            ]
        }
    }

    /// Measures the page of a report against the counts by one field, over the same file.
    func report() throws -> [Figure] {
        try withFiles(Material(signers: 1), receipts: { try $0.transactions(count) }) { root, receipts in
            let counts = batch(receipts, root: root, jobs: 1, ["--count-by", "productId"])
            let page = batch(
                receipts, root: root, jobs: 1, ["--report", folder.appending(path: "page.html").path()])
            let ratios = try (0..<stopwatch.rounds).map { _ in
                let before = try counts.time()
                let time = try page.time()
                return Ratio(processorOf: time, to: Elapsed.mean(before, try counts.time()))
            }
            return [
                Figure(
                    "report", "processor time of verify-receipt batch --report against --count-by", ratios,
                    better: .lower)
            ]
        }
    }

    /// Measures the time from the start of the process to the first verdict, and that of paywall-preview to its first page.
    func start() throws -> [Figure] {
        try withFiles(Material(signers: 1), receipts: { try $0.transactions(1) }) { root, receipts in
            let verify = Program(words: [tool, "verify", receipts, "--root", root, "--quiet"])
            let openssl = Program(words: ["openssl", "x509", "-noout", "-inform", "DER", "-in", root])
            let nothing = Program(words: ["true"])
            var (toOpenSSL, toNothing, toFirstPage): ([Ratio], [Ratio], [Ratio]) = ([], [], [])
            // Each run takes milliseconds, so more rounds are needed.
            for _ in 0..<stopwatch.rounds * 10 {
                let before = try (openssl.time().seconds, nothing.time().seconds)
                let first = try verify.observe().first_byte_seconds
                let after = try (openssl.time().seconds, nothing.time().seconds)
                toOpenSSL.append(Ratio(first / ((before.0 + after.0) / 2)))
                toNothing.append(Ratio(first / ((before.1 + after.1) / 2)))
                toFirstPage.append(Ratio(try FirstPage.seconds(of: previewTool) / first))
            }
            return [
                Figure(
                    "start", "from the start of verify-receipt to its first verdict, against a run of openssl x509",
                    toOpenSSL,
                    better: .lower),
                Figure("start-to-nothing", "the same against a run of true", toNothing, better: .lower),
                Figure(
                    "start-to-first-page",
                    "from the start of paywall-preview to its first page, against the start of verify-receipt",
                    toFirstPage, better: .lower),
            ]
        }
    }

    // MARK: Memory

    /// Measures peak memory for lines from a pipe; the largest input has five gigabytes.
    func memory(_ sizes: [Int]) throws -> [Figure] {
        let lineCount = 10_000
        let material = try Material(signers: 1)
        let lines = try material.transactions(lineCount)
        return try withFiles(material, receipts: { _ in [] }) { root, _ in
            try sizes.map { size in
                // A long run reaches its peak without repetition.
                let rounds = size > 100_000 ? 1 : stopwatch.rounds
                return try memory("memory-\(size)", "\(size) lines", root, rounds, lines, lineCount, size / lineCount)
            }
        }
    }

    /// Measures peak memory for lines with a chain each, so that caching does not help.
    func memoryOfChains(_ chains: Int) throws -> [Figure] {
        let material = try Material(signers: chains)
        let lines = try material.transactions(chains)
        return try withFiles(material, receipts: { _ in [] }) { root, _ in
            [try memory("memory-chains", "\(chains) chains", root, 1, lines, chains, 1)]
        }
    }

    /// Measures peak memory for app receipts from a pipe: ten thousand, and ten times as many.
    func memoryOfAppReceipts() throws -> [Figure] {
        let lineCount = 1000
        let material = try AppReceiptMaterial()
        let lines = try material.lines(lineCount)
        return try withFiles(root: material.root, receipts: []) { root, _ in
            try [10_000, 100_000].map { size in
                try memory(
                    "memory-app-receipts-\(size)", "\(size) app receipts", root, stopwatch.rounds, lines, lineCount,
                    size / lineCount)
            }
        }
    }

    private func memory(
        _ name: String, _ what: String, _ root: String, _ rounds: Int, _ lines: [UInt8], _ count: Int,
        _ repetitions: Int
    ) throws -> Figure {
        let program = batch("-", root: root, jobs: threads)
        let peaks = try (0..<rounds).map { _ in
            let figures = try program.observe(input: lines, repetitions: repetitions)
            guard figures.line_count == count * repetitions else {
                throw Failure("\(count * repetitions) lines led to \(figures.line_count) results")
            }
            return Ratio(Double(figures.peak_kilobytes) * 1024 / 1e6)
        }
        return Figure(
            name, "peak megabytes, verify-receipt batch with \(what), \(threads) threads", peaks, better: .lower)
    }

    // MARK: Running

    private func batch(_ input: String, root: String, jobs: Int, _ flags: [String] = []) -> Program {
        Program(words: [tool, "batch", input, "--root", root, "--quiet", "--jobs", String(jobs)] + flags)
    }

    private func withFiles(
        _ material: Material, receipts: (Material) throws -> [UInt8], _ body: (String, String) throws -> [Figure]
    ) throws -> [Figure] {
        try withFiles(root: material.authority.rootCertificate, receipts: receipts(material), body)
    }

    private func withFiles(
        root certificate: [UInt8], receipts: [UInt8], _ body: (String, String) throws -> [Figure]
    ) throws -> [Figure] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (root, file) = (folder.appending(path: "root.der"), folder.appending(path: "receipts.txt"))
        try Data(certificate).write(to: root)
        try Data(receipts).write(to: file)
        return try body(root.path(), file.path())
    }
}
