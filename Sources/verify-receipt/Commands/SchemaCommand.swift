internal import CommandLineInterface
internal import ReceiptTypes

/// `--json-schema`: prints the JSON Schemas of what the tool prints, and of policy files.
struct SchemaCommand {
    private static let documents: [(name: String, document: JSONObject)] =
        OutputSchema.allCases.map { schema in
            (schema.rawValue, schema.objectSchema.document(named: schema.rawValue, meaning: schema.meaning))
        } + [
            (
                LegacyResponseSchemas.name,
                LegacyResponseSchemas.response.document(
                    named: LegacyResponseSchemas.name, meaning: LegacyResponseSchemas.meaning)
            ),
            (
                PolicyFileSchema.name,
                PolicyFileSchema.schema.document(named: PolicyFileSchema.name, meaning: PolicyFileSchema.meaning)
            ),
        ]

    let session: Session

    func run() throws -> ExitCode {
        let names = session.arguments.operands
        let chosen = try names.isEmpty ? Self.documents : names.map { try Self.document(named: $0) }
        for (_, document) in chosen { try session.output.writeLine(ofData: document.description) }
        return .success
    }

    /// Returns the schema with a name, with or without `verify-receipt/` in front.
    private static func document(named name: String) throws(UsageError) -> (name: String, document: JSONObject) {
        let prefix = "\(VerifyReceipt.name)/"
        if let found = documents.first(where: { $0.name == name || $0.name == prefix + name }) { return found }
        let names = documents.map { String($0.name.dropFirst(prefix.count)) }
        throw UsageError(
            "there is no schema \(Escaped(name).quoted)",
            hint: WordSearch.nearest(to: name, in: names).map { "did you mean \($0)" }
                ?? "there are \(names.joined(separator: ", "))")
    }
}
