internal import ReceiptTypes

/// The place of a receipt in the input.
struct ResultPlace {
    let source: String
    let line: Int
    /// The number of the record in its source, and of the receipt in the record, both from 1.
    let record: Int
    let item: Int
}

/// Writes a result as one line of JSON or CSV.
struct ResultRow {
    /// The columns of CSV, which are also members of the JSON object.
    static let columns = [
        "source", "line", "record", "item", "verdict", "code", "kind", "bundleId", "productId", "transactionId",
        "originalTransactionId",
        "environment", "signedDate", "step", "expected", "actual", "revocationDate", "revoked", "anchorSubject",
        "anchorSha256", "anchorBuiltIn", "leafSerialNumber", "leafSha256",
    ]

    let format: BatchOutputFormat

    /// Returns the header line; empty for JSON lines.
    ///
    /// - Parameter kept: The names of kept columns, which come first. One with the name of another column gets a prefix.
    func header(_ kept: [[UInt8]]) -> [UInt8] {
        guard format == .csv else { return [] }
        var line: [UInt8] = []
        for name in kept {
            let isTaken = Self.columns.contains { name.elementsEqual($0.utf8) }
            CSV.append(utf8: isTaken ? [UInt8]("input.".utf8) + name : name, to: &line)
            line.append(CSV.comma)
        }
        return line + [UInt8]((Self.columns.joined(separator: ",") + "\r\n").utf8)
    }

    /// - Parameter kept: What the result repeats of its record, as ``RecordCopier`` writes it.
    func append(
        _ receipt: CheckedReceipt,
        _ claims: ReceiptClaims?,
        _ revocation: Revocation?,
        at place: ResultPlace,
        kept: ArraySlice<UInt8>,
        to output: inout [UInt8]
    ) {
        switch format {
        case .jsonLines:
            JSONText.append(
                literal: "{\"schema\":\"verify-receipt/batch-result-1\",\"type\":\"result\",\"source\":", to: &output)
            JSONText.append(place.source, to: &output)
            JSONText.append(literal: ",\"line\":", to: &output)
            JSONText.append(Int64(place.line), to: &output)
            JSONText.append(literal: ",\"record\":", to: &output)
            JSONText.append(Int64(place.record), to: &output)
            JSONText.append(literal: ",\"item\":", to: &output)
            JSONText.append(Int64(place.item), to: &output)
            output += kept
            appendMembers(of: receipt, claims, revocation, to: &output)
            JSONText.append(literal: "}\n", to: &output)
        case .csv:
            output += kept
            appendRecord(of: receipt, claims, revocation, at: place, to: &output)
        }
    }

    // MARK: JSON

    private func appendMembers(
        of receipt: CheckedReceipt,
        _ claims: ReceiptClaims?,
        _ revocation: Revocation?,
        to output: inout [UInt8]
    ) {
        let failure = receipt.examination.failure
        append("verdict", receipt.verdict.rawValue, to: &output)
        append("code", failure?.code.rawValue, to: &output)
        append("kind", receipt.isVerified ? receipt.kind?.rawValue : nil, to: &output)
        append("bundleId", claims?.bundleID, to: &output)
        append("productId", claims?.productIDs.first, to: &output)
        append("transactionId", claims?.transactionID, to: &output)
        append("originalTransactionId", claims?.originalTransactionID, to: &output)
        append("environment", claims?.environment, to: &output)
        if !receipt.missing.isEmpty { append(receipt.missing, to: &output) }
        append("signedDate", receipt.isVerified ? receipt.signingTime : nil, to: &output)
        append("revocationDate", revocation?.date, to: &output)
        if revocation != nil { JSONText.append(literal: ",\"revoked\":true", to: &output) }
        output += receipt.signer?.jsonMembers ?? SignerFacts.absentMembers
        if let failure { append(failure, to: &output) }
        if receipt.kind == .notification, receipt.isVerified || !receipt.nested.isEmpty {
            append(receipt.nested, to: &output)
        }
    }

    private func append(_ failure: VerificationFailure, to output: inout [UInt8]) {
        append("step", failure.step.rawValue, to: &output)
        append("message", failure.code.meaning, to: &output)
        append("expected", failure.expected, to: &output)
        append("actual", failure.actual, to: &output)
        if let index = failure.certificateIndex {
            JSONText.append(literal: ",\"certificate\":", to: &output)
            JSONText.append(Int64(index), to: &output)
        }
    }

    private func append(_ nested: [NestedReceipt], to output: inout [UInt8]) {
        JSONText.append(literal: ",\"nested\":[", to: &output)
        for (index, item) in nested.enumerated() {
            JSONText.append(literal: index > 0 ? ",{\"name\":" : "{\"name\":", to: &output)
            JSONText.append(item.name, to: &output)
            let claims = item.receipt.verifiedClaims
            appendMembers(of: item.receipt, claims, item.receipt.revocation(claims), to: &output)
            output.append(UInt8(ascii: "}"))
        }
        output.append(UInt8(ascii: "]"))
    }

    private func append(_ missing: UncheckedClaims, to output: inout [UInt8]) {
        JSONText.append(literal: ",\"missing\":", to: &output)
        JSONText.append(.array(missing.names.map(JSONValue.string)), to: &output)
    }

    private func append(_ name: StaticString, _ text: String?, to output: inout [UInt8]) {
        JSONText.append(literal: ",\"", to: &output)
        JSONText.append(literal: name, to: &output)
        JSONText.append(literal: "\":", to: &output)
        if let text { JSONText.append(text, to: &output) } else { JSONText.append(literal: "null", to: &output) }
    }

    private func append(_ name: StaticString, _ time: Timestamp?, to output: inout [UInt8]) {
        JSONText.append(literal: ",\"", to: &output)
        JSONText.append(literal: name, to: &output)
        JSONText.append(literal: "\":", to: &output)
        if let time {
            output.append(UInt8(ascii: "\""))
            time.append(to: &output)
            output.append(UInt8(ascii: "\""))
        } else {
            JSONText.append(literal: "null", to: &output)
        }
    }

    // MARK: CSV

    private func appendRecord(
        of receipt: CheckedReceipt,
        _ claims: ReceiptClaims?,
        _ revocation: Revocation?,
        at place: ResultPlace,
        to output: inout [UInt8]
    ) {
        let failure = receipt.examination.failure
        let fields: [String?] = [
            place.source, String(place.line), String(place.record), String(place.item), receipt.verdict.rawValue,
            failure?.code.rawValue,
            receipt.isVerified ? receipt.kind?.rawValue : nil, claims?.bundleID, claims?.productIDs.first,
            claims?.transactionID, claims?.originalTransactionID, claims?.environment,
            receipt.isVerified ? receipt.signingTime?.description : nil, failure?.step.rawValue, failure?.expected,
            failure?.actual, revocation?.date?.description, revocation == nil ? nil : "true",
            receipt.signer?.anchor.subject, receipt.signer?.anchor.fingerprint.description,
            receipt.signer?.anchor.isBuiltIn.description, receipt.signer?.leaf.serialNumber,
            receipt.signer?.leaf.fingerprint.description,
        ]
        for (index, field) in fields.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            CSV.append(HiddenCharacters.escaped(field ?? ""), to: &output)
        }
        output += [0x0D, 0x0A]
    }
}
