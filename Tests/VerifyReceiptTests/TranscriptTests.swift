import Foundation
import Testing
import TranscriptSupport

/// Runs every transcript against the real binary.
@Suite("Transcripts of the command line [CARD-6]")
struct TranscriptTests {
    static let folder = TranscriptFolder(
        "Tests/VerifyReceiptTests/Transcripts", of: .verifyReceipt, samples: "TestVectors/samples"
    )

    @Test("there are transcripts [CARD-6]")
    func transcriptsAreThere() {
        #expect(!Self.folder.names.isEmpty)
    }

    @Test("the tool behaves as written down [CARD-6]", arguments: folder.names)
    func toolBehavesAsWritten(name: String) throws {
        for difference in try Self.folder.differences(in: name) {
            #expect(difference.actual == difference.expected, Comment(rawValue: difference.place))
        }
    }
}
