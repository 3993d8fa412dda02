internal import ReceiptTypes

/// Writes a result as one line of JSON or CSV.
struct ResultRow: Sendable {
    let format: BatchOutputFormat
    /// The chosen fields; nil for the standard ones.
    let fields: ResultFields?
    private let hasPayload: Bool
    /// The pseudonyms that stand in place of identifiers, which the row takes redacted except those in payloads.
    let redaction: Redaction?
    private let writer: ValueWriter
    /// As ``ResultContents/utcOffset``.
    let utcOffset: @Sendable (Timestamp) -> Int64
    /// The dates of the fields `day` and `month`.
    private let dates: ResultDates

    /// - Parameter isOfPurchases: Whether prices are added up, as in ``ResultPeriod/dates(ofPurchases:)``.
    init(
        format: BatchOutputFormat, contents: ResultContents = .standard, ofPurchases isOfPurchases: Bool = false
    ) {
        self.format = format
        // The members of standard JSON differ from the columns of CSV.
        fields = format == .csv ? contents.fields ?? .standard : contents.fields
        hasPayload = contents.hasPayload && format == .jsonLines
        redaction = contents.redaction
        utcOffset = contents.utcOffset
        dates = (contents.period ?? .always).dates(ofPurchases: isOfPurchases)
        writer = ValueWriter(format: format, keepsDigits: contents.keepsDigits)
    }

    /// Returns the header line; empty for JSON lines.
    ///
    /// - Parameter kept: The names of kept columns, which come first. One with the name of a field gets the prefix
    ///   `input.`, as often as it takes to be the only column of its name.
    func header(_ kept: [[UInt8]]) -> [UInt8] {
        guard format == .csv, let fields else { return [] }
        var line: [UInt8] = []
        let names = Set(fields.names.map { [UInt8]($0.utf8) })
        var taken = names.union(kept)
        for name in kept {
            var own = name
            if names.contains(name) {
                repeat { own = [UInt8]("input.".utf8) + own } while !taken.insert(own).inserted
            }
            CSV.append(utf8: own, to: &line)
            line.append(CSV.comma)
        }
        return line + [UInt8]((fields.names.joined(separator: ",") + "\r\n").utf8)
    }

    /// - Parameter kept: What the result repeats of its record, as ``RecordCopier`` writes it.
    func append(_ result: BatchResult, at place: ResultPlace, kept: ArraySlice<UInt8>, to output: inout [UInt8]) {
        guard format == .jsonLines else {
            output += kept
            for (index, field) in (fields?.fields ?? []).enumerated() {
                if index > 0 { output.append(CSV.comma) }
                append(field, of: result, at: place, to: &output)
            }
            output += [0x0D, 0x0A]
            return
        }
        if let fields {
            JSONText.append(literal: "{\"schema\":\"verify-receipt/batch-fields-1\"", to: &output)
            output += kept
            append(fields, of: result, at: place, to: &output)
            appendPayload(of: result, to: &output)
        } else {
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
            appendMembers(of: result, to: &output)
        }
        JSONText.append(literal: "}\n", to: &output)
    }

    // MARK: Fields

    /// Appends fields as members of a JSON object, with a comma before each.
    private func append(
        _ fields: ResultFields, of result: BatchResult, at place: ResultPlace, to output: inout [UInt8]
    ) {
        for field in fields.fields {
            output += field.key
            append(field, of: result, at: place, to: &output)
        }
    }

    /// Appends the value of a field.
    func append(_ field: ResultField, of result: BatchResult, at place: ResultPlace, to output: inout [UInt8]) {
        switch field.place {
        case .column(let column): append(column, of: result, at: place, to: &output)
        case .payload(.receipt, let path, let form):
            guard !append(path, form, in: result.payload, to: &output) else { return }
            writer.appendAbsent(to: &output)
        case .payload(.part(let kind), let path, let form):
            guard !append(path, form, in: result.payload(of: kind), to: &output) else { return }
            writer.appendAbsent(to: &output)
        case .payload(.purchase, let path, let form):
            guard !append(path, form, in: result.payload, to: &output),
                !append(path, form, in: result.payload(of: .transaction), to: &output)
            else { return }
            writer.appendAbsent(to: &output)
        }
    }

    /// Returns false if the payload has no value at the path.
    private func append(
        _ path: FieldPath, _ form: PayloadForm, in payload: JSONDocument?, to output: inout [UInt8]
    ) -> Bool {
        guard let payload, let value = path.value(inside: payload.root), !value.isNull else { return false }
        append(value, form, of: payload, named: path.lastName, to: &output)
        return true
    }

    /// Appends a value of a payload, or the pseudonym of an identifier that is redacted.
    private func append(
        _ value: JSONNode, _ form: PayloadForm, of payload: JSONDocument, named name: String?,
        to output: inout [UInt8]
    ) {
        if let redaction, let name {
            let shown = redaction.redacted(value.value, named: name)
            guard shown == value.value else { return writer.append(shown, to: &output) }
        }
        writer.append(value, as: form, currency: currency(of: payload, form), to: &output)
    }

    private func currency(of payload: JSONDocument, _ form: PayloadForm) -> String? {
        form == .money ? payload.root.member("currency")?.text : nil
    }

    private func append(
        _ column: ResultColumn, of result: BatchResult, at place: ResultPlace, to output: inout [UInt8]
    ) {
        let receipt = result.receipt
        switch column {
        case .source: writer.append(place.source, to: &output)
        case .line: writer.append(place.line, to: &output)
        case .record: writer.append(place.record, to: &output)
        case .item: writer.append(place.item, to: &output)
        case .verdict: writer.append(receipt.verdict.rawValue, to: &output)
        case .code: writer.append(result.failure?.code.rawValue, to: &output)
        case .kind: writer.append(receipt.isVerified ? receipt.kind?.rawValue : nil, to: &output)
        case .bundleId: writer.append(result.claims?.bundleID, to: &output)
        case .productId: writer.append(result.purchase?.productIDs.first, to: &output)
        case .transactionId: writer.append(result.purchase?.transactionID, to: &output)
        case .originalTransactionId: writer.append(result.purchase?.originalTransactionID, to: &output)
        case .environment: writer.append(result.claims?.environment, to: &output)
        case .signedDate: writer.append(receipt.isVerified ? receipt.signingTime : nil, to: &output)
        case .step: writer.append(result.failure?.step.rawValue, to: &output)
        case .expected: writer.append(result.failure?.expected, to: &output)
        case .actual: writer.append(result.failure?.actual, to: &output)
        case .revocationDate: writer.append(result.refund?.date, to: &output)
        case .revoked: writer.append(result.isRevoked ? true : nil, to: &output)
        case .anchorSubject: writer.append(receipt.signer?.anchor.subject, to: &output)
        case .anchorSha256: writer.append(receipt.signer?.fingerprints.anchor, to: &output)
        case .anchorBuiltIn: writer.append(receipt.signer?.anchor.isBuiltIn, to: &output)
        case .leafSerialNumber: writer.append(receipt.signer?.leaf.serialNumber, to: &output)
        case .leafSha256: writer.append(receipt.signer?.fingerprints.leaf, to: &output)
        case .unverifiedBundleId: writer.append(result.refused?.bundleID, to: &output)
        case .unverifiedProductId: writer.append(result.refused?.productIDs.first, to: &output)
        case .unverifiedTransactionId: writer.append(result.refused?.transactionID, to: &output)
        case .unverifiedOriginalTransactionId: writer.append(result.refused?.originalTransactionID, to: &output)
        case .day: append(ValueWriter.dayLength, of: result, to: &output)
        case .month: append(ValueWriter.monthLength, of: result, to: &output)
        case .refundedInPart: writer.append(result.isRefundedInPart ? true : nil, to: &output)
        case .message: writer.append(result.failure?.code.meaning, to: &output)
        case .hint: writer.append(result.failure?.hint, to: &output)
        case .leafSubject: writer.append(receipt.signer?.leaf.subject, to: &output)
        case .signerNotBefore: writer.append(receipt.signer?.validity?.lowerBound, to: &output)
        case .signerNotAfter: writer.append(receipt.signer?.validity?.upperBound, to: &output)
        }
    }

    /// Appends the beginning of the result's date: its day or its month.
    private func append(_ length: Int, of result: BatchResult, to output: inout [UInt8]) {
        let time = dates.time(of: result).map { $0.adding(milliseconds: utcOffset($0) * 1000) }
        writer.append(time, prefix: length, to: &output)
    }

    // MARK: Standard members

    private func appendMembers(of result: BatchResult, to output: inout [UInt8]) {
        let receipt = result.receipt
        let failure = result.failure
        append("verdict", receipt.verdict.rawValue, to: &output)
        append("code", failure?.code.rawValue, to: &output)
        append("kind", receipt.isVerified ? receipt.kind?.rawValue : nil, to: &output)
        append("bundleId", result.claims?.bundleID, to: &output)
        append("productId", result.purchase?.productIDs.first, to: &output)
        append("transactionId", result.purchase?.transactionID, to: &output)
        append("originalTransactionId", result.purchase?.originalTransactionID, to: &output)
        append("environment", result.claims?.environment, to: &output)
        if !receipt.missing.isEmpty { append(receipt.missing, to: &output) }
        append("signedDate", receipt.isVerified ? receipt.signingTime : nil, to: &output)
        append("revocationDate", result.refund?.date, to: &output)
        if result.isRevoked { JSONText.append(literal: ",\"revoked\":true", to: &output) }
        if result.isRefundedInPart { JSONText.append(literal: ",\"refundedInPart\":true", to: &output) }
        appendPurchase(of: result, to: &output)
        output += receipt.signer?.jsonMembers ?? SignerFacts.absentMembers
        if let failure { append(failure, to: &output) }
        if let refused = result.refused { append(refused, to: &output) }
        appendPayload(of: result, to: &output)
        if receipt.kind == .notification, receipt.isVerified || !receipt.nested.isEmpty {
            append(receipt.nested, to: &output)
        }
    }

    /// Appends what the purchase of a verified receipt has of ``ResultField/purchaseFields``.
    private func appendPurchase(of result: BatchResult, to output: inout [UInt8]) {
        guard let payload = result.payload else { return }
        let inner = result.receipt.kind == .notification ? result.payload(of: .transaction) : nil
        for (name, form) in ResultField.purchaseFields {
            if append(name, form, of: payload, to: &output) { continue }
            if let inner { _ = append(name, form, of: inner, to: &output) }
        }
    }

    private func append(
        _ name: StaticString, _ form: PayloadForm, of payload: JSONDocument, to output: inout [UInt8]
    ) -> Bool {
        guard let value = payload.root.member(name), !value.isNull else { return false }
        appendKey(name, to: &output)
        append(value, form, of: payload, named: redaction == nil ? nil : name.description, to: &output)
        return true
    }

    private func appendPayload(of result: BatchResult, to output: inout [UInt8]) {
        guard hasPayload, let payload = result.payload else { return }
        appendKey("payload", to: &output)
        guard let redaction else { return JSONText.append(payload.root, to: &output) }
        JSONText.append(.object(redaction.redacted(payload.root.object)), to: &output)
    }

    /// Appends the identifiers of a receipt that is not verified, under a name that says so.
    private func append(_ refused: ReceiptClaims, to output: inout [UInt8]) {
        let identifiers: [(name: StaticString, text: String?)] = [
            ("bundleId", refused.bundleID), ("productId", refused.productIDs.first),
            ("transactionId", refused.transactionID), ("originalTransactionId", refused.originalTransactionID),
        ]
        var isFirst = true
        for case (let name, let text?) in identifiers {
            JSONText.append(literal: isFirst ? ",\"unverifiedIds\":{\"" : ",\"", to: &output)
            isFirst = false
            JSONText.append(literal: name, to: &output)
            JSONText.append(literal: "\":", to: &output)
            JSONText.append(text, to: &output)
        }
        if !isFirst { output.append(UInt8(ascii: "}")) }
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
        guard !failure.identifiers.isEmpty else { return }
        appendKey("identifiers", to: &output)
        JSONText.append(.array(failure.identifiers.map(\.json)), to: &output)
    }

    private func append(_ nested: [NestedReceipt], to output: inout [UInt8]) {
        JSONText.append(literal: ",\"nested\":[", to: &output)
        for (index, item) in nested.enumerated() {
            JSONText.append(literal: index > 0 ? ",{\"name\":" : "{\"name\":", to: &output)
            JSONText.append(item.name, to: &output)
            let result = BatchResult(item.receipt, refused: item.receipt.claims, redaction: redaction)
            appendMembers(of: result, to: &output)
            output.append(UInt8(ascii: "}"))
        }
        output.append(UInt8(ascii: "]"))
    }

    private func append(_ missing: UncheckedClaims, to output: inout [UInt8]) {
        JSONText.append(literal: ",\"missing\":", to: &output)
        JSONText.append(.array(missing.names.map(JSONValue.string)), to: &output)
    }

    private func append(_ name: StaticString, _ text: String?, to output: inout [UInt8]) {
        appendKey(name, to: &output)
        writer.append(text, to: &output)
    }

    private func append(_ name: StaticString, _ time: Timestamp?, to output: inout [UInt8]) {
        appendKey(name, to: &output)
        writer.append(time, to: &output)
    }

    private func appendKey(_ name: StaticString, to output: inout [UInt8]) {
        JSONText.append(literal: ",\"", to: &output)
        JSONText.append(literal: name, to: &output)
        JSONText.append(literal: "\":", to: &output)
    }
}
