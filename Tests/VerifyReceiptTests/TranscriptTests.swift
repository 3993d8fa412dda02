import Foundation
import Testing

/// Runs every transcript against the real binary.
///
/// With VERIFY_RECEIPT_UPDATE_TRANSCRIPTS=1 in the environment the files are written anew from what comes out; read the
/// difference before you keep it.
@Suite("Transcripts of the command line [CARD-6]")
struct TranscriptTests {
    static let folder = PackageFolder.url.appendingPathComponent("Tests/VerifyReceiptTests/Transcripts")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".txt") }.sorted()
    }()

    @Test("there are transcripts [CARD-6]")
    func transcriptsAreThere() {
        #expect(!Self.names.isEmpty)
    }

    @Test("the tool behaves as written down [CARD-6]", arguments: names)
    func toolBehavesAsWritten(name: String) throws {
        let file = Self.folder.appendingPathComponent(name)
        var transcript = Transcript(name: name, text: try String(contentsOf: file, encoding: .utf8))
        let isUpdating = ProcessInfo.processInfo.environment["VERIFY_RECEIPT_UPDATE_TRANSCRIPTS"] == "1"
        let runner = try TranscriptRunner()
        for (index, element) in transcript.elements.enumerated() {
            guard case .step(var step) = element else { continue }
            let outcome = try runner.run(step.command)
            if isUpdating {
                step.outcome = outcome
                transcript.elements[index] = .step(step)
                continue
            }
            let place = Comment(rawValue: "\(name), \(transcript.title): $ \(step.command)")
            #expect(outcome.output == step.outcome.output, place)
            #expect(outcome.talk == step.outcome.talk, place)
            #expect(outcome.code == step.outcome.code, place)
        }
        if isUpdating { try transcript.text.write(to: file, atomically: true, encoding: .utf8) }
    }
}
