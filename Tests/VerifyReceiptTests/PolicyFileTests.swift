import Foundation
import ReceiptTypes
import ReceiptVerification
import Testing
import TranscriptSupport

/// Random policy files mean the same to the library and to `verify-receipt`. `Tools/schemas` compares the JSON Schema.
@Suite("Policy files of verify-receipt and of the library")
struct PolicyFileTests {
    private static let environments = ["Production", "Sandbox", "Xcode", "LocalTesting"]

    /// Changes each of which makes a policy file invalid, if the file has the text.
    private static let mistakes = [
        ("\"Production\"", "\"production\""), ("\"strict\":true", "\"strict\":1"), ("\"bundleId\"", "\"bundelId\""),
        ("\"environments\":[", "\"environments\":[\"Xbox\","), ("root.der", "no.der"), ("config-1", "config-2"),
        ("\"apps\":[", "\"apps\":[{},"), ("}]", "},]"), ("\"kinds\":[", "\"kinds\":[null,"), ("play-key", "no-key"),
        ("\"schema\"", "\"strict\":true,\"schema\":1,\"schema\""), ("{\"file\"", "{\"pem\":\"x\",\"file\""),
        ("\"products\":[", "\"products\":[\"a b\","), ("6400000001", "\"6400000001\""),
    ]

    private let runner: TranscriptRunner

    init() throws {
        runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
    }

    private struct Row: Decodable {
        let verdict: String
        let code: String?
    }

    private func some(_ words: [String], _ generator: inout SplitMix64) -> JSONValue {
        let chosen = words.shuffled(using: &generator).prefix(Int.random(in: 1...words.count, using: &generator))
        return .array(chosen.map(JSONValue.string))
    }

    private func policy(_ generator: inout SplitMix64) -> JSONObject {
        let limit = some(Self.environments, &generator)
        let roots = JSONValue.array([.object(["file": .string("samples/root.der"), "environments": limit])])
        var policy: JSONObject = ["schema": .string("verify-receipt/config-1")]
        var hasRoots = false
        let apps = ["com.example.app", "com.example.other"].map { id in
            var app: JSONObject = [
                "bundleId": .string(id), "environments": some(Self.environments, &generator),
            ]
            if Bool.random(using: &generator) { app["appAppleId"] = .integer(6_400_000_001) }
            if Bool.random(using: &generator) { app["strict"] = .boolean(Bool.random(using: &generator)) }
            if Bool.random(using: &generator) {
                app["products"] = some(["com.example.app.premium.monthly", "other"], &generator)
            }
            if Bool.random(using: &generator) {
                app["roots"] = roots
                hasRoots = true
            }
            if Bool.random(using: &generator) {
                app["playPackage"] = .string(id)
                app["playKeyFile"] = .string("samples/play-key.txt")
            }
            return JSONValue.object(app)
        }
        policy["apps"] = .array(apps)
        if !hasRoots || Bool.random(using: &generator) { policy["roots"] = roots }
        if Bool.random(using: &generator) { policy["onlyGivenRoots"] = .boolean(Bool.random(using: &generator)) }
        if Bool.random(using: &generator) { policy["strict"] = .boolean(Bool.random(using: &generator)) }
        if Bool.random(using: &generator) { policy["refuseRevoked"] = .boolean(Bool.random(using: &generator)) }
        if Bool.random(using: &generator) { policy["kinds"] = some(ReceiptKind.allCases.map(\.rawValue), &generator) }
        return policy
    }

    private func read(_ text: String) throws -> VerificationConfiguration {
        try VerificationConfiguration(json: [UInt8](text.utf8)) { name in
            [UInt8](try Data(contentsOf: runner.folder.appendingPathComponent(name)))
        }
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: runner.folder.appendingPathComponent(name))
    }

    @Test("each receipt has the same verdict and code in the library and in a batch with --config")
    func verdicts() throws {
        let samples = PackageFolder.url.appendingPathComponent("TestVectors/samples")
        var texts = try String(contentsOf: samples.appendingPathComponent("receipts.jsonl"), encoding: .utf8)
            .split(separator: "\n").map { line in
                try JSONDocument.value(of: [UInt8](line.utf8)).object?["receipt"]?.text ?? ""
            }
        for name in [
            "transaction.jws", "renewal-info.jws", "app-transaction.jws", "notification.json", "play-purchase.json",
        ] {
            let text = try String(contentsOf: samples.appendingPathComponent(name), encoding: .utf8)
            texts.append(text.split(separator: "\n").joined())
        }
        texts.removeAll(where: \.isEmpty)
        try write(texts.map { $0 + "\n" }.joined(), "receipts.txt")
        var generator = SplitMix64(seed: 20)
        var seen: Set<String> = []
        for _ in 0..<25 {
            let text = policy(&generator).description
            try write(text, "policy.json")
            let verifier = ReceiptVerifier(configuration: try read(text))
            let expected = texts.map { verifier.verifyInput([UInt8]($0.utf8)).reports }.map { reports in
                reports.map { "\($0.verdict.rawValue) \($0.failure?.code.rawValue ?? "-")" }
            }
            let outcome = try runner.run("verify-receipt batch receipts.txt --config policy.json -q")
            let rows = try outcome.output.map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
            #expect(rows.map { ["\($0.verdict) \($0.code ?? "-")"] } == expected, "\(text)")
            seen.formUnion(rows.compactMap(\.code))
        }
        // The policies differ enough to mean something.
        #expect(
            seen.isSuperset(of: ["environment-mismatch", "product-id-mismatch", "untrusted-root", "kind-mismatch"]))
        #expect(seen.isSuperset(of: ["root-environment-mismatch", "unchecked-claim", "key-not-found"]), "\(seen)")
    }

    @Test("a policy file with a mistake ends with exit code 2, is an error of the library, and verifies nothing")
    func mistakes() throws {
        var generator = SplitMix64(seed: 21)
        var tried: Set<String> = []
        while tried.count < Self.mistakes.count {
            let valid = policy(&generator).description
            #expect(throws: Never.self) { try read(valid) }
            for (text, replacement) in Self.mistakes where valid.contains(text) && !tried.contains(replacement) {
                tried.insert(replacement)
                let range = try #require(valid.range(of: text))
                let invalid = valid.replacingCharacters(in: range, with: replacement)
                #expect(throws: VerificationConfigurationError.self, "\(replacement)") { try read(invalid) }
                try write(invalid, "policy.json")
                #expect(try runner.run("verify-receipt config check policy.json").code == 2, "\(replacement)")
                let outcome = try runner.run("verify-receipt --json samples/transaction.jws --config policy.json")
                #expect(outcome.code == 2 && outcome.output == [], "\(replacement)")
            }
        }
    }
}
