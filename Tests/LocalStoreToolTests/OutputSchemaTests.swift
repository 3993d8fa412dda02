import Foundation
import Testing
import TranscriptSupport

@testable import local_store

/// Each JSON object that the tool prints names a schema of ``OutputSchema``.
@Suite("Schemas of local-store")
struct OutputSchemaTests {
    private struct Object: Decodable {
        let schema: String?
    }

    /// The arguments of each command, in an order in which they succeed or are rejected.
    private static let commands = [
        "init samples/Demo.storekit --seed 7 --start 2025-01-15T12:00:00Z", "", "status", "settings", "products",
        "accounts", "buy com.example.app.coins", "buy com.example.app.pro.monthly",
        "change-plan com.example.app.pro.monthly com.example.app.basic.weekly", "list", "list unfinished",
        "finish com.example.app.coins", "cancel", "resume", "renew", "advance P1M", "list subscriptions",
        "list notifications", "refund com.example.app.coins", "delete com.example.app.season",
        "raise-price com.example.app.basic.weekly 9.99", "expire", "fail", "settings ask-to-buy=on",
        "buy com.example.app.lifetime", "list pending", "approve", "buy com.example.app.lifetime", "decline",
        "entitlements", "accounts add friend", "simulate --customers 1 --for P1D", "lint samples/Broken.storekit",
    ]

    @Test("every command prints only objects with a schema, and the list has no other schema")
    func everyObjectHasSchema() throws {
        let runner = try TranscriptRunner(.localStore, samples: "Tests/LocalStoreToolTests/Samples")
        var seen: Set<OutputSchema> = []
        func check(_ line: String) throws {
            for text in try runner.run(line).output {
                let name = try JSONDecoder().decode(Object.self, from: Data(text.utf8)).schema
                let schema = name.flatMap(OutputSchema.init(rawValue:))
                #expect(schema != nil, "\(line): \(text)")
                if let schema { seen.insert(schema) }
            }
        }
        for arguments in Self.commands { try check("local-store \(arguments) --json -q") }
        try check("local-store export -q")
        #expect(Set(OutputSchema.allCases).subtracting(seen) == [])
    }
}
