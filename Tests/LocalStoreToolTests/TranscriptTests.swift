import Testing
import TranscriptSupport

/// Runs every transcript against the real binary.
@Suite("Transcripts of the local store's command line [CARD-5]")
struct TranscriptTests {
    static let folder = TranscriptFolder(
        "Tests/LocalStoreToolTests/Transcripts", of: .localStore, samples: "Tests/LocalStoreToolTests/Samples"
    )

    @Test("there are transcripts [CARD-5]")
    func transcriptsAreThere() {
        #expect(!Self.folder.names.isEmpty)
    }

    @Test("the tool behaves as written down [CARD-5]", arguments: folder.names)
    func toolBehavesAsWritten(name: String) throws {
        for difference in try Self.folder.differences(in: name) {
            #expect(difference.actual == difference.expected, Comment(rawValue: difference.place))
        }
    }
}
