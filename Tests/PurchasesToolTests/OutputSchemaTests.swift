import CommandLineInterface
import Foundation
import Testing
import TranscriptSupport

@testable import purchases

/// The JSON objects that the tool prints: programs read them, so members and their types stay.
@Suite("Schemas of purchases", .timeLimit(.minutes(15)))
struct OutputSchemaTests {
    /// The type of a JSON value.
    private enum Kind: String, Decodable {
        case null, boolean, integer, string, strings, objects

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if (try? container.decode(Bool.self)) != nil {
                self = .boolean
            } else if (try? container.decode(Int64.self)) != nil {
                self = .integer
            } else if (try? container.decode(String.self)) != nil {
                self = .string
            } else if (try? container.decode([String].self)) != nil {
                self = .strings
            } else {
                self = .objects
            }
        }
    }

    /// The members of each schema with their types; a question mark stands for null, and a star for a member that only
    /// some objects have.
    private static let schemas: [OutputSchema: String] = [
        .purchase: """
        schema:string type:string transactionId:string store:string environment:string? user:string? productId:string \
        productType:string purchaseDate:string quantity:integer remainingQuantity:integer price:string? \
        currency:string? ownership:string verified:boolean verificationKey:string? code:string? revoked:boolean \
        revocationDate:string? synchronized:boolean recordedAt:string changedAt:string \
        receipts*:objects events*:objects
        """,
        .receipt: """
        schema:string kind:string transactionId:string? productId:string? account:string? receipt*:string \
        data*:string signature*:string appReceipt*:string \
        stage:string? source:string? quarantine:string? observedAt:string? \
        productType:string?
        """,
        .tombstone: """
        schema:string kind:string key:string digest:string fulfilment:string? productId*:string quantity*:integer
        """,
        .result: """
        schema:string type:string verdict:string code:string? message:string? expected:string? actual:string? \
        kind:string transactionId:string? productId:string? places:strings recordedAsVerified:boolean?
        """,
        .summary: "schema:string type:string total:integer verified:integer unverified:integer undecided:integer",
        .refusal: """
        schema:string type:string line:integer code:string message:string expected:string? actual:string? \
        transactionId:string? productId:string?
        """,
        .imported: "schema:string type:string imported:integer known:integer refused:integer",
        .check: "schema:string type:string sound:boolean finding:string? detail:string?",
        .recovery: """
        schema:string type:string finding:string? detail:string? damagedFile:string? rejectedRows:integer \
        salvagedRows:objects
        """,
        .erasure: "schema:string type:string purchases:integer events:integer ledgerEntries:integer",
    ]

    /// Commands that together print an object of every schema.
    private static let commands = [
        "purchases list -d data/app --json",
        "purchases show $(purchases list -d data/app | awk 'NR == 2 { print $1 }') -d data/app --json",
        "purchases verify -q -d data/app --json --root data/store/root.der; purchases verify -q -d data/app --json",
        "purchases export -d data/app | tee receipts",
        "echo none | cat receipts - | purchases import -q -d data/app --json --root data/store/root.der -",
        """
        echo '{"kind":"tombstone","key":"'$(printf %064d 1)'","digest":"'$(printf %064d 2)'","fulfilment":"granted",\
        "productId":"coins","quantity":1}' | purchases import -q -d data/app --json -
        """,
        "purchases export -d data/app --tombstones",
        "purchases check -d data/app --json",
        "purchases erase unknown -q -d data/app --json",
        "purchases repair -d data/app --json",
        "printf damage | dd of=data/app/purchases.sqlite conv=notrunc 2> errors; purchases check -q -d data/app --json",
        "purchases repair -q -d data/app --json",
    ]

    @Test("every object has the members of its schema, with the types that they have always had")
    func membersAndTypes() throws {
        let runner = try TranscriptRunner(.purchases, samples: "Tests/PurchasesToolTests/Transcripts")
        #expect(try runner.run("mkdir data && example-app data 0").code == 0)
        var seen: Set<OutputSchema> = []
        for command in Self.commands {
            for line in try runner.run(command).output {
                let object = try JSONDecoder().decode([String: Kind].self, from: Data(line.utf8))
                let names = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                let schema = try #require((names["schema"] as? String).flatMap(OutputSchema.init(rawValue:)), "\(line)")
                seen.insert(schema)
                check(object, try #require(Self.schemas[schema]), "\(command): \(line)")
            }
        }
        #expect(seen == Set(OutputSchema.allCases))
    }

    private func check(_ object: [String: Kind], _ schema: String, _ place: String) {
        var members = object
        for part in schema.split(separator: " ") {
            let pieces = part.split(separator: ":").map(String.init)
            let (mark, type) = (pieces[0], pieces[1])
            let (isOptional, isNullable) = (mark.hasSuffix("*"), type.hasSuffix("?"))
            let name = isOptional ? String(mark.dropLast()) : mark
            guard let kind = members.removeValue(forKey: name) else {
                #expect(isOptional, "\(name) is missing in \(place)")
                continue
            }
            let expected = isNullable ? String(type.dropLast()) : type
            // An array without elements has no type of elements.
            let isEmptyArray = kind == .strings && expected == "objects"
            #expect(kind.rawValue == expected || isEmptyArray || (isNullable && kind == .null), "\(name) in \(place)")
        }
        #expect(members.isEmpty, "not in the schema: \(members.keys.sorted()) in \(place)")
    }
}
