import Testing
import TranscriptSupport

/// Runs the commands of each transcript and compares their output.
@Suite("Transcripts of local-store")
struct TranscriptTests {
    static let folder = TranscriptFolder(
        "Tests/LocalStoreToolTests/Transcripts", of: .localStore, samples: "Tests/LocalStoreToolTests/Samples"
    )

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
}
