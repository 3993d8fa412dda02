import CommandLineInterface
import Testing
import TranscriptSupport

@testable import purchases

/// Runs the commands of each transcript and compares their output. The databases are those of the example app.
@Suite("Transcripts of purchases", .timeLimit(.minutes(15)))
struct TranscriptTests {
    static let folder = TranscriptFolder(
        "Tests/PurchasesToolTests/Transcripts", of: .purchases, samples: "Tests/PurchasesToolTests/Transcripts")

    @Test("the folder of transcripts is not empty")
    func transcriptsExist() {
        #expect(!Self.folder.names.isEmpty)
    }

    @Test("each command of a transcript prints and returns what the transcript records", arguments: folder.names)
    func commandsMatchTranscript(name: String) throws {
        for difference in try Self.folder.differences(in: name) {
            #expect(difference.actual == difference.expected, Comment(rawValue: difference.place))
        }
    }

    @Test("the tables of commands and flags have no duplicate names, and every example parses")
    func tables() {
        #expect(TableCheck<PurchasesTool>.problems == [])
    }
}
