internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The progress of a batch, stored in a file so that a later run can continue an interrupted one.
struct BatchCheckpoint {
    private static let version: Int64 = 1

    /// The digest of everything that determines the results; see ``run(of:_:)``.
    let run: String
    /// The size of the results up to the position, in bytes.
    let byteCount: Int
    let position: BatchPosition
    let summary: BatchSummary

    init(run: String, byteCount: Int, position: BatchPosition, summary: BatchSummary) {
        self.run = run
        self.byteCount = byteCount
        self.position = position
        self.summary = summary
    }

    // MARK: File

    /// Reads a checkpoint; returns nil if there is no usable one.
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

    /// Replaces the checkpoint at a path; a reader finds either the old one or the new one, complete.
    func save(to path: String) throws(UsageError) {
        let object: JSONObject = [
            "version": .integer(Self.version), "run": .string(run), "bytes": .integer(Int64(byteCount)),
            "source": .integer(Int64(position.source)), "offset": .integer(Int64(position.offset)),
            "lines": .integer(Int64(position.lines)), "summary": .object(summary.json),
        ]
        let temporary = path + ".new"
        do throws(SystemCalls.Failure) {
            let descriptor = try SystemCalls.openForWriting(temporary, .truncating)
            defer { try? SystemCalls.close(descriptor) }
            try SystemCalls.write([UInt8]((object.description + "\n").utf8), to: descriptor)
            try SystemCalls.synchronize(descriptor)
            try SystemCalls.rename(temporary, to: path)
        } catch {
            throw .cannotWrite(path, error)
        }
    }

    // MARK: Run

    /// The flags that do not affect the results.
    private static let flagsWithoutEffect: Set<Flag> = [
        .jobs, .lineBuffered, .resume, .output, .color, .quiet, .verbose, .keyCache, .sealingKey, .stateDirectory,
    ]

    /// Returns the digest of what determines the results.
    ///
    /// These are the tool's version, the flags, and the inputs with their sizes and modification times.
    static func run(of arguments: Arguments, _ inputs: [BatchInput]) throws -> String {
        var text = VerifyReceipt.version
        for flag in Flag.allCases where arguments.mentions(flag) && !flagsWithoutEffect.contains(flag) {
            text += "\n\(flag.spelling)=\(arguments.has(flag)) \(arguments.values(of: flag))"
        }
        for input in inputs {
            let state = SystemCalls.fingerprint(ofFileAt: input.path)
            text += "\n\(input.path.debugDescription) \(state?.size ?? -1) \(state?.changed ?? -1)"
        }
        return try SHA256Digest.of(bytes: [UInt8](text.utf8)).description
    }
}
