import Foundation
import ReceiptVectors
import Testing

/// The folder of vectors beside the package's sources.
private let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "TestVectors")

private let allFiles =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path()))?
    .filter { $0.hasSuffix(".json") }.sorted() ?? []
private let appReceiptFiles = allFiles.filter { $0.hasPrefix("app-receipt-") }
private let files = allFiles.filter { !$0.hasPrefix("app-receipt-") }

/// The declared number of tests in a file.
private struct Head: Decodable {
    let numberOfTests: Int
}

@Suite("Vectors")
struct VectorTests {
    @Test("[CARD-8] there are at least 300 vectors, as many of app receipts, and every part of verification has a file")
    func everyPartHasVectors() throws {
        let expected = [
            "app-receipt-attributes", "app-receipt-chain", "app-receipt-claims", "app-receipt-container",
            "app-receipt-regions", "base64url", "certificate-der", "es256", "input", "jws-chain", "jws-claims",
            "jws-dates", "jws-encoding", "jws-header", "jws-notifications", "jws-payload", "jws-signature",
            "jws-structure", "key-cache", "play",
        ]
        #expect(expected.filter { !allFiles.contains("\($0).json") } == [])
        // The tests below check that each file has the declared number.
        for files in [files, appReceiptFiles] {
            let counts = try files.map { try JSONDecoder().decode(Head.self, from: Data(bytes(of: $0))).numberOfTests }
            #expect(counts.reduce(0, +) >= 300)
        }
    }

    @Test("[CARD-8] [OTP-7.4] [OTP-9.2] each vector has the expected verdict and code", arguments: files)
    func vectorsAgree(file: String) throws {
        try requireAgreement(file)
    }

    @Test(
        "[OTP-7.4] each vector of app receipts has the expected verdict, code and contents", arguments: appReceiptFiles)
    func appReceiptVectorsAgree(file: String) throws {
        try requireAgreement(file)
    }

    private func requireAgreement(_ file: String) throws {
        var runner = VectorRunner()
        runner.run(file: file, text: try bytes(of: file))
        #expect(runner.report.count > 0)
        for difference in runner.report.differences { Issue.record("\(difference)") }
    }

    @Test("[CARD-8] the runner reports a wrong expectation, an unknown type of group and a wrong number of tests")
    func runnerReportsDifferences() {
        let text = """
            {"schema":"receipt-vectors-1","numberOfTests":3,"groups":[
              {"type":"base64url","tests":[{"id":1,"comment":"wrong","text":"AA","bytes":null}]},
              {"type":"of another time","tests":[{"id":2}]}]}
            """
        var runner = VectorRunner()
        runner.run(file: "made up", text: [UInt8](text.utf8))
        #expect(runner.report.differences.map(\.id).sorted() == [0, 0, 1])
    }

    private func bytes(of file: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: file)))
    }
}
