import Foundation
import Testing
import TranscriptSupport

/// Compares the transcripts with the behavior of the built tool.
@Suite("Transcripts of verify-receipt [CARD-6]")
struct TranscriptTests {
    static let folder = TranscriptFolder(
        "Tests/VerifyReceiptTests/Transcripts", of: .verifyReceipt, samples: "TestVectors/samples"
    )

    @Test("the folder contains transcripts [CARD-6]")
    func folderIsNotEmpty() {
        #expect(!Self.folder.names.isEmpty)
    }

    @Test("every command has the outcome of its transcript [CARD-6]", arguments: folder.names)
    func outcomes(name: String) throws {
        for difference in try Self.folder.differences(in: name) {
            #expect(difference.actual == difference.expected, Comment(rawValue: difference.place))
        }
    }
}
