import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing
import TranscriptSupport

/// The receipts of `mint --all-flaws`, each verified with the command line that its folder lists.
@Suite("Bad specimens of verify-receipt [CARD-6]")
struct SpecimenTests {
    /// A line of the list, as far as the test needs it.
    private struct Line: Decodable {
        let file: String
        let flaw: String?
        let verdict: String
        let code: String?
        let arguments: [String]
    }

    /// A result of `verify`.
    private struct Row: Decodable {
        let source: String
        let verdict: String
        let code: String?
    }

    private static func decode<Value: Decodable>(_ lines: [String]) throws -> [Value] {
        try lines.map { try JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
    }

    private static func quoted(_ words: [String]) -> String { words.map { "'\($0)'" }.joined(separator: " ") }

    /// Writes specimens, and returns the lines of their list and the results of `verify`.
    private func results(_ options: String) throws -> (lines: [Line], rows: [Row]) {
        let runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
        let outcome = try runner.run("verify-receipt mint --all-flaws specimens -q \(options)")
        #expect(outcome.code == 0, "\(outcome.errorOutput)")
        let lines: [Line] = try Self.decode(try runner.run("cat specimens/specimens.jsonl").output)
        let commands = lines.map { "verify-receipt verify --json --quiet \(Self.quoted($0.arguments))" }
        let verified = try runner.run("cd specimens; \(commands.joined(separator: "; "))")
        #expect(verified.errorOutput == [])
        return (lines, try Self.decode(verified.output))
    }

    @Test(
        "each failure code has a specimen that verify rejects with exactly that code, or a reason for having none",
        arguments: ["", "--environment Production --bundle-id com.example.notes=7 --product-id pro --seed 1"])
    func everyCode(options: String) throws {
        let (lines, rows) = try results(options)
        #expect(rows.map(\.source) == lines.map(\.file), "one result for each specimen")
        for (line, row) in zip(lines, rows) {
            #expect(row.code == line.code, "\(line.file)")
            #expect(row.verdict == line.verdict, "\(line.file)")
            #expect((line.flaw == nil) == (row.verdict == "verified"), "\(line.file)")
        }
        #expect(lines.compactMap(\.flaw) == ReceiptFlaw.all.map(\.name))
        #expect(lines.count { $0.flaw == nil } == ReceiptKind.allCases.count)
        let found = Set(rows.compactMap(\.code))
        let others = ReceiptFlaw.codesWithoutFlaw.map(\.key.rawValue)
        #expect(found.isDisjoint(with: others))
        #expect(found.union(others) == Set(VerificationFailure.Code.all.map(\.rawValue)))
    }

    @Test("a flaw has its code also in a receipt of another kind than the usual one")
    func otherKinds() throws {
        let runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
        let mint = "verify-receipt mint -q -a authority --bundle-id com.example.app=1234567890"
        var commands: [String] = []
        var expected: [String] = []
        for flaw in ReceiptFlaw.all where flaw.requirement == nil && flaw.kinds.count > 1 {
            guard let kind = flaw.kinds.last else { continue }
            commands.append("\(mint) --kind \(kind.rawValue) --flaw \(flaw.name) > \(flaw.name)")
            expected.append("\(flaw.name) \(flaw.code.rawValue)")
        }
        // A payload of the caller, whose value the flaw must not repeat.
        commands.append(
            "\(mint) --kind notification --flaw nested-mismatch --set 'transaction.originalTransactionId=\"1\"' > own")
        expected.append("own nested-mismatch")
        let files = commands.indices.map { expected[$0].prefix { $0 != " " } }.joined(separator: " ")
        commands.append(
            "verify-receipt verify --json -q \(files) --root authority/root.der --only-given-roots"
                + " -b com.example.app=1234567890 -e Sandbox -p com.example.app.premium.monthly")
        let rows: [Row] = try Self.decode(try runner.run(commands.joined(separator: "; ")).output)
        #expect(rows.map { "\($0.source) \($0.code ?? $0.verdict)" } == expected)
    }

    @Test("each flaw has a name of its own in kebab case and a meaning that fits into a sentence")
    func names() {
        let names = ReceiptFlaw.all.map(\.name)
        #expect(Set(names).count == names.count)
        for flaw in ReceiptFlaw.all {
            #expect(flaw.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(flaw.name)")
            #expect(flaw.meaning.first?.isUppercase != true && !flaw.meaning.hasSuffix("."), "\(flaw.meaning)")
            #expect(!flaw.kinds.isEmpty && ReceiptFlaw(named: flaw.name) == flaw)
        }
        #expect(ReceiptFlaw(named: "no-such-flaw") == nil)
    }

    @Test("with --seed and --at, the payloads are the same in each run, and other seeds have others")
    func seeds() throws {
        let runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
        let mint = "verify-receipt mint -q -a authority --at 2026-03-01T00:00:00Z"
        let lines = try runner.run(
            """
            for seed in 7 7 8; do \(mint) --seed $seed -k transaction -n 2 | cut -d. -f 1-2; done
            for seed in 7 7 8; do \(mint) --seed $seed -k play-purchase; done
            """
        ).output
        try #require(lines.count == 9)
        #expect(lines[0...1] == lines[2...3])
        #expect(Set(lines[0...5]).count == 4)
        #expect(lines[6] == lines[7])
        #expect(lines[7] != lines[8])
    }
}
