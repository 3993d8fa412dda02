internal import CommandLineInterface
internal import PurchaseCore
internal import PurchaseStorage
internal import ReceiptTypes
internal import ReceiptVerification

/// `verify`: verifies every stored receipt again.
struct VerifyCommand {
    let session: Session

    func run() async throws -> ExitCode {
        try session.arguments.requireNoOperands()
        let verifier = try session.arguments.verifier(session.messages)
        let inspection = try await OpenedData(session).inspection()
        let progress = Progress(session, counting: "receipts")
        var counts: [Verdict: Int] = [:]
        do {
            defer { progress.clear() }
            try inspection.forEachReceipt { receipt in
                let (verdict, failure) = Self.verdict(on: receipt, verifier)
                counts[verdict, default: 0] += 1
                session.output.record(ExitCode(verdict))
                try write(receipt, verdict, failure)
                progress.show(counts.values.reduce(0, +))
            }
        }
        try writeSummary(counts)
        session.messages.warnOfMissingRequirements(in: verifier.policy, hasVerified: counts[.verified] != nil)
        let code = session.reportOmissions(of: inspection)
        guard !counts.isEmpty else {
            session.messages.error(UsageError("the database has no receipt"))
            return code.combined(with: .undecided)
        }
        return code
    }

    /// Returns the verdict on a receipt; nil stands for a failure that is the database's.
    private static func verdict(
        on receipt: DatabaseInspection.StoredReceipt, _ verifier: ReceiptVerifier
    ) -> (Verdict, VerificationFailure?) {
        guard let content = receipt.content else { return (.unverified, nil) }
        let input: ReceiptInput =
            switch content {
            case .jws(let jws): .jws([UInt8](jws.utf8))
            case .play(let purchase):
                .play(data: [UInt8](purchase.data.utf8), signature: [UInt8](purchase.signature.utf8))
            case .appReceipt(let receipt) where receipt.isAppTransaction: .jws([UInt8](receipt.base64.utf8))
            case .appReceipt(let receipt): .appReceipt([UInt8](receipt.base64.utf8))
            }
        let report = verifier.verify(input)
        return (report.verdict, report.failure)
    }

    private func write(
        _ receipt: DatabaseInspection.StoredReceipt, _ verdict: Verdict, _ failure: VerificationFailure?
    ) throws {
        let code = failure?.code.rawValue ?? (receipt.content == nil ? "payload-unreadable" : nil)
        let message =
            failure?.code.meaning
            ?? (receipt.content == nil ? "The stored payload is missing or was changed" : nil)
        guard session.writesJSON else {
            let word =
                switch verdict {
                case .verified: session.style.success("\(verdict.rawValue)")
                case .unverified: session.style.failure("\(verdict.rawValue)")
                case .undecided: session.style.warning("\(verdict.rawValue)")
                }
            let facts = [receipt.kind, receipt.transactionID, receipt.productID].compactMap { $0 }
            let place = receipt.places.isEmpty ? "" : " (\(receipt.places.joined(separator: ", ")))"
            try session.output.writeLine("\(word): \(Escaped(facts.joined(separator: " ") + place))")
            if let code, let message { try session.output.writeLine("  \(code): \(Escaped(message))") }
            if let expected = failure?.expected { try session.output.writeLine("  expected: \(Escaped(expected))") }
            if let actual = failure?.actual { try session.output.writeLine("  found: \(Escaped(actual))") }
            if let hint = failure?.hint { try session.output.writeLine("  what to try: \(Escaped(hint))") }
            return
        }
        let object: JSONObject = [
            "type": .string("result"), "verdict": .string(verdict.rawValue), "code": .optionalString(code),
            "message": .optionalString(message), "expected": .optionalString(failure?.expected),
            "actual": .optionalString(failure?.actual), "kind": .string(receipt.kind),
            "transactionId": .optionalString(receipt.transactionID), "productId": .optionalString(receipt.productID),
            "places": .array(receipt.places.map(JSONValue.string)),
            "recordedAsVerified": receipt.purchase.map { .boolean($0.isVerified) } ?? .null,
        ]
        try session.writeLine(object, as: .result)
    }

    private func writeSummary(_ counts: [Verdict: Int]) throws {
        let total = counts.values.reduce(0, +)
        guard session.writesJSON else {
            let parts = Verdict.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }
            return try session.output.writeLine("\(total) receipts: \(parts.joined(separator: ", "))")
        }
        var object: JSONObject = ["type": .string("summary"), "total": .integer(Int64(total))]
        for verdict in Verdict.allCases { object[verdict.rawValue] = .integer(Int64(counts[verdict] ?? 0)) }
        try session.writeLine(object, as: .summary)
    }
}
