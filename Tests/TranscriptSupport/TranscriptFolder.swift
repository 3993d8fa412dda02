import Foundation

/// A folder with the transcripts of one tool.
///
/// With UPDATE_TRANSCRIPTS=1 in the environment, the transcripts are replaced with the actual outcomes. Review the
/// changes before committing them.
package struct TranscriptFolder: Sendable {
    /// A command whose outcome differs from its transcript.
    package struct Difference: Sendable {
        /// The file, its title and the command.
        package let place: String
        package let expected: Transcript.Outcome
        package let actual: Transcript.Outcome
    }

    private let folder: URL
    private let tool: BuiltTool
    private let samples: String
    /// The names of the transcript files.
    package let names: [String]

    /// - Parameters:
    ///   - path: The folder, relative to the package.
    ///   - samples: The folder that commands find as `samples`, relative to the package.
    package init(_ path: String, of tool: BuiltTool, samples: String) {
        self.samples = samples
        folder = PackageFolder.url.appendingPathComponent(path)
        self.tool = tool
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        names = files.filter { $0.hasSuffix(".txt") }.sorted()
    }

    /// Runs the commands of a transcript and returns the differences.
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
