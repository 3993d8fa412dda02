@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// The checkpoint of a batch: any bytes as its file, and a run that continues at any position that a file can name.
///
/// The first byte of an input selects whether the rest is a file, or replaces bytes of a genuine one; the second whether
/// the run has two jobs.
final class CheckpointTarget: FuzzTarget {
    static let name = "checkpoint"
    static let summary = "checkpoints of batches: any file, and runs that continue at any position"
    static let maximumLength = 1024

    private let verifier = ReceiptVerifier(trustAnchors: FixedAuthority.anchors, clock: { VerdictChecker.clock })
    private let sources: [SourceContent]
    private let genuine: BatchCheckpoint
    private let whole: [UInt8]

    init() throws {
        let jws = FixedAuthority.signers[0].sign(payload: [UInt8](SamplePayload.transaction.utf8))
        sources = [
            .init(format: .lines, bytes: jws + [UInt8]("\nnothing\n\nx".utf8)),
            .init(format: .csv(column: "a"), bytes: [UInt8]("a,b\r\n\"x\ny\",z\r\n1,2\r\n".utf8)),
            .init(format: .whole, bytes: jws),
        ]
        var lines: [UInt8] = []
        var positions: [(BatchVerifier.Progress, Int)] = []
        _ = try BatchVerifier(verifier: verifier).run(sources.map(\.source)) { part, progress in
            lines += part
            positions.append((progress, lines.count))
        }
        whole = lines
        let (progress, byteCount) = must(positions.first, "a result")
        genuine = BatchCheckpoint(
            run: try SHA256Digest.of(bytes: jws), byteCount: byteCount, results: try SHA256Digest.of(bytes: lines),
            position: progress.position, summary: progress.summary)
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        let text = String(decoding: genuine.text, as: UTF8.self)
        let earlier =
            #"{"version":1,"run":"x","bytes":0,"source":0,"offset":0,"lines":9223372036854775807,"summary":{}}"#
        return [
            ("genuine", [0, 0] + genuine.text), ("earlier", [0, 0] + [UInt8](earlier.utf8)), ("empty", [0, 1]),
            ("huge", [0, 1] + [UInt8](text.replacing(/"lines":\d+/, with: "\"lines\":9223372036854775807").utf8)),
            ("past", [0, 0] + [UInt8](text.replacing(/"offset":\d+/, with: "\"offset\":99999").utf8)),
            ("next-source", [0, 1] + [UInt8](text.replacing(/"source":\d+/, with: "\"source\":2").utf8)),
            ("changed", [1, 1, 0, 12, 0x39]),
        ]
    }

    func run(_ input: [UInt8]) throws {
        var choices = Choices(input)
        let isChanged = choices.flag()
        let jobs = choices.flag() ? 2 : 1
        var file = genuine.text
        if isChanged {
            while !choices.isAtEnd {
                file[(Int(choices.byte()) << 8 | Int(choices.byte())) % file.count] = choices.byte()
            }
        } else {
            file = choices.remainder()
        }
        guard let checkpoint = try? BatchCheckpoint(file) else {
            require(file != genuine.text, "a genuine checkpoint is rejected")
            return
        }
        let again = must(try? BatchCheckpoint(checkpoint.text), "a checkpoint that was written cannot be read")
        requireEqual(again, checkpoint, "a checkpoint, written and read back")
        try resume(checkpoint, jobs: jobs)
    }

    /// Continues a run; it ends with an error, or with the results of the input after the position.
    private func resume(_ checkpoint: BatchCheckpoint, jobs: Int) throws {
        var rest: [UInt8] = []
        do {
            let summary = try BatchVerifier(verifier: verifier, jobs: jobs)
                .run(sources.map(\.source), from: checkpoint.position) { lines, _ in rest += lines }
            var sum = checkpoint.summary
            sum.add(summary)
            requireEqual(sum.total, checkpoint.summary.total + summary.total, "the sum of two runs")
            require(whole.suffix(rest.count).elementsEqual(rest), "a run that continues has other results")
        } catch let error as BatchError {
            require(
                [.invalidPosition, .sourceChanged].contains(error.code), "an unexpected error: \(error.message)")
        }
    }
}

/// The bytes of a source that is read many times.
private struct SourceContent {
    let format: BatchFormat
    let bytes: [UInt8]

    var source: BatchSource { BatchSource(name: "a", format: format, bytes: bytes) }
}
