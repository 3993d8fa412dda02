import CommandLineInterface
import Testing
import TranscriptSupport

@testable import paywall_preview

/// Runs the commands of each transcript and compares their output.
@Suite("Transcripts of paywall-preview", .timeLimit(.minutes(15)))
struct TranscriptTests {
    static let folder = TranscriptFolder(
        "Tests/PaywallPreviewToolTests/Transcripts", of: .paywallPreview,
        samples: "Tests/PaywallPreviewToolTests/Transcripts")

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
        #expect(TableCheck<PaywallPreviewTool>.problems == [])
    }

    @Test("text of a .storekit file cannot become markup")
    func escaping() {
        let name = "<a b=\"c\">&'</a>"
        #expect(("<p title=\"\(name)\">" as HTML).text == "<p title=\"&lt;a b=&quot;c&quot;&gt;&amp;&#39;&lt;/a&gt;\">")
        #expect(("\("<b>" as HTML)\(["<i>"] as [HTML])" as HTML).text == "<b><i>")
    }

    @Test("the shop has every text in every language, with the same placeholders")
    func texts() {
        for message in ShopMessage.allCases {
            #expect(message.texts.count == 3 && !message.texts.contains(""))
            let placeholders = message.texts.map { text in Set(text.matches(of: /\{[a-z]+\}/).map { String($0.0) }) }
            #expect(Set(placeholders).count == 1, "\(message)")
        }
        #expect(ShopTexts(languages: ["ja-JP"]).tag == "ja")
        #expect(ShopTexts(languages: ["fr"]).tag == "en")
    }
}
