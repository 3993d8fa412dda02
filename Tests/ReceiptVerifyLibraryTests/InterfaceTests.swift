import CReceiptVerify
import Foundation
import Testing
import TranscriptSupport

/// Compares what the C interface returns with what `verify-receipt` prints.
@Suite("C interface")
struct InterfaceTests {
    static let policy = #"""
        {"schema": "verify-receipt/config-1", "onlyGivenRoots": true,
         "roots": [{"file": "samples/root.der", "environments": ["Production", "Sandbox"]}],
         "apps": [{"bundleId": "com.example.app", "environments": ["Production", "Sandbox"],
                   "playPackage": "com.example.app", "playKeyFile": "samples/play-key.txt"}]}
        """#
    private static let samples = [
        "app-transaction.jws", "notification.json", "play-purchase.json", "renewal-info.jws", "root.der",
        "tampered.jws", "transaction.jws",
    ]

    private let runner: TranscriptRunner

    init() throws {
        runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
        try Data(Self.policy.utf8).write(to: runner.folder.appendingPathComponent("policy.json"))
    }

    private func sample(_ name: String) throws -> Data {
        try Data(contentsOf: PackageFolder.url.appendingPathComponent("TestVectors/samples/\(name)"))
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try sample(name), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func interface() throws -> Interface {
        try Interface(policy: Self.policy, folder: runner.folder.path)
    }

    /// Reads an object, without what depends on the front end.
    private func members(_ text: String) throws -> NSDictionary {
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(Self.shared(object) as? NSDictionary)
    }

    private static func shared(_ value: Any) -> Any {
        if let list = value as? [Any] { return list.map(shared) as NSArray }
        guard let object = value as? [String: Any] else { return value }
        // The message of a warning names a flag too.
        let own = object.count == 2 ? ["message"] : ["source", "line", "hint"]
        return object.filter { !own.contains($0.key) }.mapValues(shared) as NSDictionary
    }

    @Test("the result for a receipt is the object that verify-receipt prints for it", arguments: samples)
    func sameResult(_ name: String) throws {
        let printed = try runner.run("verify-receipt --json --quiet --config policy.json samples/\(name)")
        let expected = try members(try #require(printed.output.first))
        let interface = try interface()
        // The second result comes from the key cache.
        for _ in 0..<2 { #expect(try members(try interface.verify([UInt8](try sample(name)))) == expected) }
    }

    @Test("the results for lines are those of verify-receipt batch, with any number of jobs")
    func sameLines() throws {
        let names = Self.samples.filter { $0.hasSuffix(".jws") }
        var lines = try names.map { try text($0) }
        lines += ["", "no receipt", "\(lines[0])\u{0}"]
        // Several MiB, which the library reads one MiB at a time, and a line that is longer.
        let many = Array(Array(repeating: lines, count: 100).joined())
        let records = many + [String(repeating: "e", count: 3_000_000)] + many
        let input = records.joined(separator: "\n") + "\r\n" + records.joined(separator: "\r\n")
        try Data(input.utf8).write(to: runner.folder.appendingPathComponent("lines"))
        let printed = try runner.run(
            "verify-receipt batch lines --quiet --config policy.json --every-record --payload")
        let expected = try printed.output.map(members)
        #expect(expected.count == records.count * 2)
        let interface = try interface()
        for jobs: UInt32 in [0, 1, 4] {
            let results = try interface.verify(lines: input, jobs: jobs, flags: RECEIPTVERIFY_PAYLOADS)
            #expect(try results.map(members) == expected)
        }
        let short = try interface.verify(lines: input)
        #expect(short.allSatisfy { !$0.contains(#""payload""#) && $0.contains(#""source":"lines""#) })
    }

    @Test("an input with more than one receipt verifies none of them, and one that is too large is not read")
    func oneReceipt() throws {
        let interface = try interface()
        let jws = try text("transaction.jws")
        let many = try interface.verify("[\"\(jws)\", \"\(jws)\"]")
        #expect(try members(many)["code"] as? String == "too-many-receipts")
        #expect(many.contains(#""hint":"pass the receipts one at a time, or as a batch""#))
        #expect(try members(interface.verify(""))["code"] as? String == "empty")
        let limit = Int(RECEIPTVERIFY_RECEIPT_LIMIT)
        for size in [2_000_000, limit] {
            let large = try members(interface.verify([UInt8](repeating: 0x65, count: size)))
            #expect(large["code"] as? String == "too-large")
        }
        let failure = #expect(throws: Interface.Failure.self) {
            try interface.verify([UInt8](repeating: 0x65, count: limit + 1))
        }
        #expect(failure?.status == RECEIPTVERIFY_MISUSE)
    }

    @Test("a receipt in a member of JSON is found by the name of the member")
    func field() throws {
        let interface = try interface()
        let jws = try text("transaction.jws")
        let results = try interface.verify(lines: "{\"a\":{\"b\":\"\(jws)\"}}\n{}\n[", field: "a.b", jobs: 2)
        let codes = try results.map { try members($0)["code"] as? String }
        #expect(codes == [nil, "receipt-missing", "record-malformed"])
    }

    @Test("a receipt of another kind than the required one is unverified")
    func kind() throws {
        let interface = try interface()
        let receipt = [UInt8](try sample("transaction.jws"))
        #expect(try members(interface.verify(receipt, kind: "transaction"))["verdict"] as? String == "verified")
        let refused = try members(interface.verify(receipt, kind: "renewalInfo"))
        #expect(refused["verdict"] as? String == "unverified")
        #expect(refused["code"] as? String == "kind-mismatch")
        #expect(refused["payload"] is NSNull)
        let narrow = try Interface(
            policy: Self.policy.replacingOccurrences(
                of: "\"onlyGivenRoots\"", with: "\"kinds\": [\"renewalInfo\"], \"onlyGivenRoots\""),
            folder: runner.folder.path)
        let failure = #expect(throws: Interface.Failure.self) { try narrow.verify(receipt, kind: "transaction") }
        #expect(failure?.status == RECEIPTVERIFY_MISUSE)
        #expect(failure?.message == "the policy does not accept the kind transaction")
    }

    @Test("hints name no flags of verify-receipt")
    func hints() throws {
        let interface = try Interface(
            policy: #"""
                {"schema": "verify-receipt/config-1", "apps": [{"bundleId": "com.example.app",
                 "environments": ["Production"]}]}
                """#)
        let text = try interface.verify([UInt8](try sample("transaction.jws")))
        #expect(try members(text)["code"] as? String == "untrusted-root")
        #expect(!text.contains("--"))
    }

    @Test("a policy that cannot be used is named with its place, and files are read only with a folder")
    func policies() throws {
        let failure = #expect(throws: Interface.Failure.self) {
            _ = try Interface(policy: #"{"schema": "verify-receipt/config-1", "apps": [{"bundleID": "a"}]}"#)
        }
        #expect(failure?.status == RECEIPTVERIFY_POLICY)
        #expect(failure?.message.contains("apps[0]") == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("bundleId") == true, "\(failure?.message ?? "")")
        let unread = #expect(throws: Interface.Failure.self) { _ = try Interface(policy: Self.policy) }
        #expect(unread?.status == RECEIPTVERIFY_POLICY)
        #expect(unread?.message.contains("folder of the policy was not given") == true, "\(unread?.message ?? "")")
    }

    @Test("statistics count each result by verdict and code")
    func statistics() throws {
        let interface = try interface()
        let jws = try text("transaction.jws")
        for _ in 0..<3 { _ = try interface.verify(jws) }
        _ = try interface.verify("no receipt")
        _ = try interface.verify(lines: "\(jws)\n\(jws)\n\n")
        let statistics = try members(interface.statistics())
        #expect(statistics["schema"] as? String == "receiptverify/statistics-1")
        #expect(statistics["total"] as? Int == 7)
        #expect(statistics["verdicts"] as? [String: Int] == ["verified": 5, "unverified": 0, "undecided": 2])
        #expect((statistics["codes"] as? [String: Int])?["empty"] == 1)
        #expect((statistics["keyCache"] as? [String: Int])?["chainValidations"] == 1)
    }
}
