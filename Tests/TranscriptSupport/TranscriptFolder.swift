import Foundation

/// A folder of transcripts of one tool.
///
/// With UPDATE_TRANSCRIPTS=1 in the environment the files are written anew from what comes out; read the difference before
/// you keep it.
package struct TranscriptFolder: Sendable {
    /// A command that does something else than what is written down.
    package struct Difference: Sendable {
        package let place: String
        package let expected: Transcript.Outcome
        package let actual: Transcript.Outcome
    }

    private let folder: URL
    private let tool: BuiltTool
    private let samples: String
    /// The files of the folder.
    package let names: [String]

    /// - Parameters:
    ///   - path: The folder, from the package's own.
    ///   - samples: What commands find as `samples`.
    package init(_ path: String, of tool: BuiltTool, samples: String) {
        self.samples = samples
        folder = PackageFolder.url.appendingPathComponent(path)
        self.tool = tool
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        names = files.filter { $0.hasSuffix(".txt") }.sorted()
    }

    /// Runs a transcript and tells what comes out differently.
    package func differences(in name: String) throws -> [Difference] {
        let file = folder.appendingPathComponent(name)
        var transcript = Transcript(name: name, text: try String(contentsOf: file, encoding: .utf8))
        let isUpdating = ProcessInfo.processInfo.environment["UPDATE_TRANSCRIPTS"] == "1"
        let runner = try TranscriptRunner(tool, samples: samples)
        var differences: [Difference] = []
        for (index, element) in transcript.elements.enumerated() {
            guard case .step(var step) = element else { continue }
            let outcome = try runner.run(step.command)
            if isUpdating {
                step.outcome = outcome
                transcript.elements[index] = .step(step)
            } else if outcome != step.outcome {
                let place = "\(name), \(transcript.title): $ \(step.command)"
                differences.append(Difference(place: place, expected: step.outcome, actual: outcome))
            }
        }
        if isUpdating { try transcript.text.write(to: file, atomically: true, encoding: .utf8) }
        return differences
    }
}
