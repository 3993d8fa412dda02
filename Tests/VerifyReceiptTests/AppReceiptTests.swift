import Foundation
import ReceiptTypes
import Testing
import TranscriptSupport

@testable import ReceiptVerification

private let files = ["sandbox-2015-sha1.der", "sandbox-2025-sha256.b64", "xcode-2023.b64"].map {
    PackageFolder.url.deletingLastPathComponent().appendingPathComponent("shared/realdata/receipts/\($0)").path
}
private let arePresent = files.allSatisfy { FileManager.default.fileExists(atPath: $0) }

/// Runs the commands on app receipts that Apple and Xcode signed, which lie beside the repository.
@Suite("App receipts in commands", .enabled(if: arePresent, "the folder with app receipts is missing"))
struct AppReceiptTests {
    private let runner: TranscriptRunner

    init() throws {
        runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
    }

    @Test("verify shows the app, the versions and the latest purchases of a receipt")
    func verify() throws {
        let run = try runner.run("verify-receipt verify \(files[0]) -q")
        #expect(run.code == 0)
        #expect(run.output.first == "verified: an app receipt, signed under Apple Root CA, which is built in")
        let text = run.output.joined(separator: "\n")
        for words in [
            "com.cocoanetics.EmmiView\n", "Sandbox (not a real purchase)", "in-app purchases  6",
            "1000000156578120  com.cocoanetics.EmmiView.OneMonth, purchased 2015-05-25T15:06:02Z, "
                + "expires 2015-05-26T03:06:02Z (in the past)",
        ] {
            #expect(text.contains(words), "\(words)")
        }
    }

    @Test("verify, explain, inspect and batch agree on the verdicts about all three receipts")
    func commands() throws {
        let all = files.joined(separator: " ")
        let rows = try json("verify-receipt verify --json -q \(all)", code: 1)
        #expect(rows.map { $0["verdict"]?.text } == ["verified", "verified", "unverified"])
        #expect(rows.map { $0["kind"]?.text } == ["appReceipt", "appReceipt", nil])
        #expect(rows[1]["bundleId"]?.text == "dev.bonzer.weeka.app")
        #expect(rows[1]["environment"]?.text == "Sandbox")
        #expect(rows[1]["payload"]?.object?["inApp"]?.elements?.count == 2)
        let explained = try json("verify-receipt explain --json -q \(all)", code: 1)
        #expect(explained.map { $0["verdict"]?.text } == rows.map { $0["verdict"]?.text })
        #expect(explained[2]["certificates"]?.elements?.count == 1)
        #expect(explained[2]["unverifiedPayload"]?.object?["receiptType"]?.text == "Xcode")
        let inspected = try json("verify-receipt inspect --json -q \(all)", code: 0)
        #expect(inspected.allSatisfy { $0["verified"] == .boolean(false) && $0["form"]?.text == "app-receipt" })
        #expect(inspected.map { $0["certificates"]?.elements?.count } == [3, 3, 1])
        #expect(inspected[2]["payload"]?.object?["bundleId"]?.text?.hasSuffix("backyardbirds.example") == true)
        let lines = "for f in \(all); do case $f in *.der) base64 -w0 $f;; *) tr -d '\\n' < $f;; esac; echo; done"
        let batch = try json("\(lines) | verify-receipt batch - -q", code: 1)
        #expect(batch.compactMap { $0["verdict"]?.text } == ["verified", "verified", "unverified"])
    }

    @Test("legacy-response answers both receipts of the sandbox, sends them away as production, and lists their IDs")
    func legacyResponses() throws {
        let all = files.joined(separator: " ")
        let rows = try json("verify-receipt legacy-response -q \(all)", code: 1)
        #expect(rows.map { $0["status"] } == [.integer(0), .integer(0), .integer(21003)])
        #expect(rows.map { $0["latest_receipt_info"]?.elements?.count } == [6, 2, nil])
        #expect(rows[0]["receipt"]?.object?["bundle_id"]?.text == "com.cocoanetics.EmmiView")
        let production = try json("verify-receipt legacy-response -q \(files[0]) -e Production", code: 1)
        #expect(production == [["status": .integer(21007)]])
        let body = "{ printf '{\"receipt-data\":\"'; tr -d '\\n' < \(files[1]); printf '\"}'; }"
        #expect(
            try runner.run("\(body) | verify-receipt legacy-response -q --transaction-ids").output
                == ["2000001092134138", "2000001092148094"])
        let subscriptions = try json("verify-receipt legacy-response -q \(files[1]) --subscriptions", code: 0)
        #expect(subscriptions.map { $0["transactionId"]?.text } == ["2000001092148094"])
        #expect(subscriptions.map { $0["transactions"] } == [.integer(2)])
    }

    @Test("a receipt of another device is rejected, and a device ID of another form is an error")
    func devices() throws {
        let rows = try json(
            "verify-receipt verify --json -q \(files[1]) --device-id 3c:22:fb:0a:91:5e", code: 1)
        #expect(rows.map { $0["code"]?.text } == ["device-mismatch"])
        let run = try runner.run("verify-receipt verify \(files[1]) --device-id 3c22fb0a915e")
        #expect(run.code == 2)
        #expect(run.errorOutput.first == "verify-receipt: --device-id does not take \"3c22fb0a915e\"")
    }

    @Test("the receipt of one transaction from before iOS 7 is named, and not verified")
    func transactionReceipt() throws {
        let text = #"{"signature" = "AAAA"; "purchase-info" = "AAAA"; "signing-status" = "0";}"#
        for command in ["printf '%s' '\(text)'", "printf '%s' '\(text)' | base64 -w0"] {
            let rows = try json("\(command) | verify-receipt verify - --json -q", code: 3)
            #expect(rows.map { $0["code"]?.text } == ["legacy-receipt-unsupported"])
        }
    }

    private func json(_ command: String, code: Int32) throws -> [JSONObject] {
        let run = try runner.run(command)
        #expect(run.code == code, "\(run.errorOutput)")
        return try run.output.compactMap { try JSONDocument.value(of: [UInt8]($0.utf8)).object }
    }
}
