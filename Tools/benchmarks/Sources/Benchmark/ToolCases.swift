import CMeasurement
import Foundation
import ReceiptVerification

/// What the command-line tool does, measured as a process.
struct ToolCases {
    let stopwatch: Stopwatch
    let threads: Int
    let count: Int
    /// Where the tool is.
    let tool: String
    let folder: URL

    private func write(_ material: Material, _ lines: [UInt8]) throws -> (root: String, receipts: String) {
        let root = folder.appending(path: "root.der")
        let receipts = folder.appending(path: "receipts.txt")
        try Data(material.authority.rootCertificate).write(to: root)
        try Data(lines).write(to: receipts)
        return (root.path(), receipts.path())
    }

    func endToEnd() throws -> [Figure] {
        let material = try Material(signers: 1)
        let files = try write(material, material.transactions(count))
        return try [1, threads].map { jobs in
            let ratios = try stopwatch.ratios(signatures: count) {
                _ = try run(["batch", files.receipts, "--root", files.root, "--quiet", "--jobs", String(jobs)])
            }
            let name = jobs == 1 ? "tool-one-thread" : "tool-threads"
            return Figure(name, "verify-receipt batch FILE --jobs \(jobs), from the file to JSON Lines", ratios)
        }
    }

    /// Peak memory for lines that come through a pipe; the largest input would be a file of five gigabytes.
    func memory(_ sizes: [Int]) throws -> [Figure] {
        let material = try Material(signers: 1)
        let lines = try material.transactions(10_000)
        let files = try write(material, [])
        return try sizes.map { size in
            let figures = try run(
                ["batch", "-", "--root", files.root, "--quiet", "--jobs", String(threads)], lines, size / 10_000
            )
            return Figure(
                "memory-\(size)", "megabytes at the most for \(size) lines on \(threads) threads",
                [Double(figures.peak_kilobytes) / 1000], better: .lower
            )
        }
    }

    /// From the start of the process to the first verdict, against `openssl x509`, which reads one certificate.
    func start() throws -> [Figure] {
        let material = try Material(signers: 1)
        let files = try write(material, material.transactions(1))
        var ratios: [Double] = []
        for _ in 0..<max(stopwatch.rounds, 5) * 4 {
            let verdict = try run(["verify", files.receipts, "--root", files.root, "--quiet"])
            let reference = try run(
                ["openssl", "x509", "-noout", "-subject", "-inform", "DER", "-in", files.root], program: nil
            )
            ratios.append(verdict.first_byte_seconds / reference.first_byte_seconds)
        }
        return [
            Figure("start", "start of the process to the first verdict, against openssl x509", ratios, better: .lower)
        ]
    }

    // MARK: Running

    private func run(
        _ arguments: [String], _ repeated: [UInt8]? = nil, _ repetitions: Int = 1
    ) throws -> process_figures {
        try run([tool] + arguments, program: repeated, repetitions)
    }

    private func run(
        _ words: [String], program repeated: [UInt8]?, _ repetitions: Int = 1
    ) throws -> process_figures {
        let pointers = words.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        let null = open("/dev/null", O_RDONLY)
        defer { close(null) }
        var figures = process_figures()
        let arguments = pointers.map { UnsafePointer<CChar>($0) } + [nil]
        let status = (repeated ?? []).withUnsafeBufferPointer { bytes in
            measure_process(
                arguments, null, repeated == nil ? nil : bytes.baseAddress, bytes.count, repetitions, &figures)
        }
        guard status == 0, figures.exit_code == 0 else {
            throw Stopwatch.Failure(what: "\(words.joined(separator: " ")): exit \(figures.exit_code)")
        }
        return figures
    }
}
