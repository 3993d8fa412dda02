import Foundation
import ReceiptTypes
import Testing
import TranscriptSupport

@testable import ReceiptVerification

/// A folder beside the repository with inputs made after reports of users.
private let folder = PackageFolder.url.deletingLastPathComponent().appending(path: "shared/field-cases")

/// Payloads with newer members, partial refunds and derived environments, as `verify-receipt` answers them.
@Suite(
    "Payloads of reported cases",
    .enabled(
        if: FileManager.default.fileExists(atPath: folder.path),
        "the folder with reported cases is missing beside the repository"))
struct PayloadCaseTests {
    private let shell: TranscriptRunner
    static let flags =
        "--root root.der --root app-receipt-root.der --only-given-roots -b com.example.app "
        + "--play-key com.example.app=play-key.txt"

    init() throws {
        shell = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
    }

    private func run(_ command: String, _ rest: String) throws -> Transcript.Outcome {
        try shell.run("cd '\(folder.path)'; verify-receipt \(command) \(Self.flags) \(rest)")
    }

    /// Returns the result of a file as JSON; its verdict must be verified.
    private func result(_ file: String, _ flags: String = "") throws -> JSONObject {
        let outcome = try run("verify -q --json", "\(flags) \(file)")
        #expect(outcome.code == 0 && outcome.output.count == 1, "\(outcome)")
        let object = try #require(try JSONDocument.value(of: [UInt8](outcome.output.joined().utf8)).object)
        #expect(object["verdict"] == .string("verified"))
        return object
    }

    private func warnings(_ result: JSONObject) -> [String] {
        (result["warnings"]?.elements ?? []).compactMap { $0.object?["code"]?.text }
    }

    // MARK: Members

    @Test("an external purchase token has its type, its end, and the environment that its ID tells")
    func externalPurchaseToken() throws {
        let result = try result("01-external-purchase-token-created.jws")
        #expect(result["environment"] == .string("Sandbox"))
        let payload = ResponseBodyV2DecodedPayload(members: try #require(result["payload"]?.object))
        #expect(payload.subtype == .created)
        let token = try #require(payload.externalPurchaseToken)
        #expect(token.tokenType == .services && token.environment == .sandbox)
        #expect(token.tokenExpirationDate == Timestamp(milliseconds: 1_798_000_000_000))
        let rejected = try run("verify -q", "-e Production 01-external-purchase-token-created.jws")
        #expect(
            rejected.code == 1 && rejected.output.joined().contains("of Sandbox, and the policy accepts Production"))
    }

    @Test("members and values that are not in the models pass through")
    func newerMembers() throws {
        let payload = JWSTransactionDecodedPayload(
            members: try #require(try result("02-03-ios27-members.jws")["payload"]?.object))
        #expect(payload.previousOriginalTransactionId == StoreID("1652038855000009"))
        #expect(payload.members["bundleProductId"] == .string("com.example.bundle"))
        #expect(payload.inAppOwnershipType == .assigned)
        #expect(payload.revocationType?.rawValue == "ASSIGNMENT_REVOKE" && payload.isRevoked)
    }

    @Test("a Play purchase without a state is verified with a warning, and a strict policy rejects it")
    func playWithoutState() throws {
        let result = try result("17-play-without-state.json")
        #expect(warnings(result) == ["purchase-state-absent"])
        let strict = try run("verify -q", "--strict 17-play-without-state.json")
        #expect(strict.code == 1 && strict.output.first == "unverified: purchase-state-unknown")
    }

    // MARK: Refunds

    @Test("a refund of one of three items says what remains, and --refuse-revoked accepts it with a warning")
    func proratedRefund() throws {
        let words = "refunded in part: 33.333 %, 2 of 3 remain"
        let outcome = try run("verify -q", "04-prorated-refund.jws")
        #expect(outcome.code == 0 && outcome.output.contains { $0.contains(words) })
        #expect(!outcome.output.contains { $0.contains("do not grant access") })
        let accepted = try run("verify", "--refuse-revoked -e Production 04-prorated-refund.jws")
        #expect(accepted.code == 0)
        #expect(accepted.errorOutput.contains("verify-receipt: warning: \(words)"), "\(accepted.errorOutput)")
        #expect(warnings(try result("04-prorated-refund.jws", "--refuse-revoked")).contains("refunded-in-part"))
    }

    @Test("the row of a partly refunded purchase says so, and does not count it as revoked")
    func rowOfRefund() throws {
        let outcome = try run("batch -q", "--whole-files --summary 04-prorated-refund.jws")
        #expect(outcome.output.first?.contains(#","refundedInPart":true,"#) == true)
        #expect(outcome.output.first?.contains(#""revoked""#) == false)
        #expect(outcome.output.last?.contains(#""revoked":0,"#) == true)
        let fields = try run("batch -q", "--whole-files --fields refundedInPart,revoked 04-prorated-refund.jws")
        #expect(fields.output.first?.contains(#""refundedInPart":true,"revoked":null}"#) == true)
    }

    @Test("a refund of half an item of Advanced Commerce names the item, and --refuse-revoked accepts it")
    func itemRefund() throws {
        let words = "refunded in part: item a, 0.50 of 1.00"
        let outcome = try run("verify", "--refuse-revoked -e Production 31-advanced-commerce-item-refund.jws")
        #expect(outcome.code == 0 && outcome.errorOutput.contains("verify-receipt: warning: \(words)"))
    }

    // MARK: Environments

    @Test("a volume purchase is a real purchase of Production, whose receipt type stays")
    func volumePurchase() throws {
        let result = try result("06-volume-purchase.b64", "-e Production")
        #expect(result["environment"] == .string("Production"))
        #expect(result["payload"]?.object?["receiptType"] == .string("ProductionVPP"))
        let outcome = try run("verify -q", "06-volume-purchase.b64")
        #expect(!outcome.output.contains { $0.contains("not a real purchase") })
        let rejected = try run("verify -q", "-e Sandbox 06-volume-purchase.b64")
        let hint = "the receipt is of Production (receipt type ProductionVPP), and the policy accepts Sandbox"
        #expect(rejected.code == 1 && rejected.output.contains { $0.contains(hint) }, "\(rejected.output)")
    }

    // MARK: Summaries

    /// Returns the lines of the summary, with one blank between words.
    private func summary(_ file: String) throws -> [String] {
        let outcome = try run("verify -q", file)
        #expect(outcome.code == 0, "\(outcome)")
        return outcome.output.map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test(
        "the summary has what the kind has, and names the members that it leaves out",
        arguments: [
            (
                "01-external-purchase-token-created.jws",
                [
                    "environment Sandbox (not a real purchase)",
                    "token SANDBOX_b2158121-7af9-49d4-9561-1f588205523e", "token type SERVICES",
                    "token created 2026-09-01T10:00:00Z",
                ]
            ),
            (
                "02-03-ios27-members.jws",
                ["migrated from 1652038855000009", "ownership ASSIGNED", "revocation ASSIGNMENT_REVOKE"]
            ),
            ("06-volume-purchase.b64", ["receipt type ProductionVPP", "environment Production"]),
            ("17-play-without-state.json", ["token tok", "pending change to premium, not paid yet", "profile p-1"]),
            ("29-consumption-request.jws", ["customer's reason UNINTENDED_PURCHASE", "build 42"]),
            (
                "29-renewal-extension-summary.jws",
                ["extended 5", "not extended 0", "storefronts USA", "request bbff7c59-6e26-4e46-8861-db9e8abb128f"]
            ),
            (
                "30-commitment-transaction.jws",
                [
                    "billing plan MONTHLY", "commitment period 3 of 12, to 2027-06-26T08:53:20Z, 59.88 USD in all",
                    "offer type 3 (offer code)", "offer payment ONE_TIME", "offer period P1M",
                ]
            ),
            (
                "30-commitment-renewal.jws",
                [
                    "auto-renew 1 (on), within the commitment",
                    "commitment does not renew; monthly charges go on to its end, 2027-06-26T08:53:20Z",
                    "price increase 0 (not yet accepted)", "win-back offers wb1, wb2",
                ]
            ),
            ("31-advanced-commerce-item-refund.jws", ["items a, n, 1.00 USD, refunded: 0.50 of 1.00"]),
        ])
    func summaries(file: String, expected: [String]) throws {
        let lines = try summary(file)
        for line in expected { #expect(lines.contains(line), "\(file): \(line) in \(lines)") }
    }

    @Test("a member that no version knows is named in the summary")
    func otherMembers() throws {
        let lines = try summary("02-03-ios27-members.jws")
        #expect(lines.contains { $0.hasPrefix("also in --json") && $0.hasSuffix("bundleProductId") }, "\(lines)")
    }
}
