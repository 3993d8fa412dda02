import CommandLineInterface
import Foundation
import Testing
import TranscriptSupport

@testable import verify_receipt

/// Each JSON object that the tool prints names a schema of ``OutputSchema``.
@Suite("Schemas of verify-receipt [CARD-6]")
struct OutputSchemaTests {
    private struct Object: Decodable {
        let schema: String?
    }

    private static let trust = "--only-given-roots --root samples/root.der --quiet"
    private static let wrongVectors = """
        {"schema":"receipt-vectors-1","numberOfTests":2,"groups":[{"type":"base64url","tests":[{"id":1,"text":"AA"}]}]}
        """

    /// Commands that together print an object of every schema, and the schemas of each.
    private static let commands: [(line: String, schemas: Set<OutputSchema>)] = [
        ("verify-receipt --json samples/notification.json samples/tampered.jws \(trust)", [.result]),
        ("verify-receipt explain --json samples/transaction.jws \(trust)", [.explanation]),
        ("verify-receipt inspect --json samples/transaction.jws samples/play-purchase.json -q", [.inspection]),
        ("verify-receipt batch --json samples/receipts.jsonl -f receipt -s \(trust)", [.batchResult, .batchSummary]),
        ("verify-receipt batch samples/receipts.csv -c receipt \(trust)", [.batchResult]),
        ("verify-receipt codes --json", [.code]),
        ("verify-receipt batch samples/receipts.csv -c receipt \(trust) --fields verdict", [.batchFields]),
        ("verify-receipt batch samples/receipts.csv -c receipt \(trust) --count-by kind", [.batchCount]),
        ("verify-receipt batch samples/receipts.csv -c receipt \(trust) --count-by month --sum price", [.batchSum]),
        (
            "verify-receipt batch samples/receipts.csv samples/receipts.csv -c receipt \(trust) --duplicates",
            [.batchDuplicate]
        ),
        (
            "verify-receipt samples/transaction.jws --key-cache c \(trust) >all; verify-receipt keys --json --key-cache c",
            [.key]
        ),
        ("verify-receipt keys export --json --key-cache c", [.key]),
        ("verify-receipt roots --json --root samples/root.der", [.root]),
        ("verify-receipt roots check samples/root.der --json", [.root]),
        ("verify-receipt mint --all-flaws d -q; cat d/specimens.jsonl", [.specimen]),
        (
            "verify-receipt mint -a a -k app-receipt -q > r; verify-receipt legacy-response r -q --subscriptions "
                + "-r a/app-receipt-root.der",
            [.subscription]
        ),
        ("echo '\(wrongVectors)' > v.json; verify-receipt vectors v.json --json", [.vectorDifference, .vectorSummary]),
    ]

    @Test("every command prints only objects with a schema, and the list has no other schema")
    func everyObjectHasSchema() throws {
        let runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
        var seen: Set<OutputSchema> = []
        for command in Self.commands {
            let output = try runner.run(command.line).output
            let names = try output.map { try JSONDecoder().decode(Object.self, from: Data($0.utf8)).schema }
            let schemas = names.map { $0.flatMap(OutputSchema.init(rawValue:)) }
            #expect(!schemas.contains(nil), "\(command.line): \(names)")
            #expect(Set(schemas.compactMap(\.self)) == command.schemas, "\(command.line)")
            seen.formUnion(schemas.compactMap(\.self))
        }
        #expect(seen == Set(OutputSchema.allCases))
        let withJSON = Set(Command.allCases.filter { Flag.json.definition.commands.contains($0) }.map(\.name))
        #expect(withJSON == ["verify", "explain", "inspect", "batch", "codes", "keys", "roots", "vectors"])
    }
}
