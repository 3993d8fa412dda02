internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// What a batch has to remember so that another run can go on where this one was stopped.
struct BatchCheckpoint {
    private static let version: Int64 = 1

    /// What decides the results: inputs, options and the version of the tool, as a digest.
    let run: String
    /// The bytes of results that belong to what has been judged.
    let byteCount: Int
    let position: BatchPosition
    let summary: BatchSummary

    init(run: String, byteCount: Int, position: BatchPosition, summary: BatchSummary) {
        self.run = run
        self.byteCount = byteCount
        self.position = position
        self.summary = summary
    }

    // MARK: The file

    /// Reads a checkpoint; nil when there is none, or none that can be used.
    static func load(from path: String) throws(UsageError) -> BatchCheckpoint? {
        guard let bytes = try FileAccess.readIfPresent(path), let object = (try? JSONDocument.value(of: bytes))?.object,
            object["version"]?.integer == version, let run = object["run"]?.text,
            let byteCount = object["bytes"]?.integer, byteCount >= 0,
            let source = object["source"]?.integer, let offset = object["offset"]?.integer,
            let lines = object["lines"]?.integer, source >= 0, offset >= 0, lines >= 0,
            let summary = object["summary"]?.object.flatMap(BatchSummary.init(json:))
        else { return nil }
        return BatchCheckpoint(
            run: run, byteCount: Int(byteCount),
            position: BatchPosition(source: Int(source), offset: Int(offset), lines: Int(lines)), summary: summary
        )
    }

    /// Writes the checkpoint in place of an older one; whoever reads finds one of them, whole.
    func save(to path: String) throws(UsageError) {
        let object: JSONObject = [
            "version": .integer(Self.version), "run": .string(run), "bytes": .integer(Int64(byteCount)),
            "source": .integer(Int64(position.source)), "offset": .integer(Int64(position.offset)),
            "lines": .integer(Int64(position.lines)), "summary": .object(summary.json),
        ]
        let beside = path + ".new"
        do throws(SystemCalls.Failure) {
            let descriptor = try SystemCalls.openForWriting(beside, .existing)
            defer { try? SystemCalls.close(descriptor) }
            try SystemCalls.write([UInt8]((object.description + "\n").utf8), to: descriptor)
            try SystemCalls.synchronize(descriptor)
            try SystemCalls.rename(beside, to: path)
        } catch {
            throw UsageError("cannot write \(Escaped(path)): \(error.reason)")
        }
    }

    // MARK: The run

    /// Flags that change nothing in the results.
    private static let idleFlags: Set<Flag> = [
        .jobs, .lineBuffered, .resume, .output, .color, .quiet, .verbose, .keyCache, .sealingKey,
    ]

    /// The digest of what decides the results of a command line.
    static func run(of arguments: Arguments, _ inputs: [BatchInput]) throws -> String {
        var text = VerifyReceipt.version
        for flag in Flag.allCases where arguments.mentions(flag) && !idleFlags.contains(flag) {
            text += "\n\(flag.spelling)=\(arguments.has(flag)) \(arguments.values(of: flag))"
        }
        for input in inputs {
            let state = SystemCalls.fingerprint(ofFileAt: input.path)
            text += "\n\(input.path.debugDescription) \(state?.size ?? -1) \(state?.changed ?? -1)"
        }
        return try SHA256Digest.of(bytes: [UInt8](text.utf8)).description
    }
}
