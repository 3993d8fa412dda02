internal import CommandLineInterface
internal import PurchaseAssembly
internal import PurchaseCore
internal import PurchaseStorage
internal import PurchaseVerification
internal import ReceiptTypes
internal import ReceiptVerification

/// `import`: records the receipts of an export, after verifying each again.
struct ImportCommand {
    let session: Session

    /// What was done with the lines.
    private struct Counts {
        var imported = 0
        var known = 0
        var refused = 0
    }

    func run() async throws -> ExitCode {
        let path = try session.arguments.operand("a file, or - for standard input")
        let verifier = try session.arguments.verifier(session.messages)
        let data = try await OpenedData(session)
        try data.requireDatabase()
        let changed = ChangedRows(session.messages)
        try data.requireTables(changed)
        let limit = verifier.appReceiptRecordLimit
        var lines = try ExportedLines(path, limit: limit, protected: data.files)
        let database = try PurchaseDatabase(path: data.path, key: data.key) { changed.add($0) }
        let progress = Progress(session, counting: "lines")
        var counts = Counts()
        var number = 0
        do {
            defer { progress.clear() }
            while let line = try lines.next() {
                number += 1
                switch line {
                case .text(let text) where text.isEmpty: continue
                case .text(let text): try await record(text, number, in: database, verifier, &counts)
                case .tooLong:
                    let expected = "at most \(limit) bytes"
                    try refuse(nil, number, VerificationFailure(code: .tooLarge, expected: expected), &counts)
                }
                progress.show(number)
            }
        }
        try writeSummary(counts)
        session.messages.warnOfMissingRequirements(in: verifier.policy, hasVerified: counts.imported + counts.known > 0)
        let code = session.reportOmissions(of: changed)
        if counts.imported + counts.known + counts.refused == 0 {
            session.messages.error(UsageError("the input has no receipt"))
            return code.combined(with: .undecided)
        }
        return code
    }

    private func record(
        _ line: [UInt8], _ number: Int, in database: PurchaseDatabase, _ verifier: ReceiptVerifier,
        _ counts: inout Counts
    ) async throws {
        if let line = ExportedTombstone(line) {
            return try count(try await database.importTombstone(line.tombstone), of: nil, number, &counts)
        }
        guard let receipt = ExportedReceipt(line) else {
            return try refuse(nil, number, VerificationFailure(code: .formatUnrecognized), &counts)
        }
        if receipt.hasObjection {
            return try refuse(receipt, number, VerificationFailure(code: .storeObjection), &counts)
        }
        let now = PurchaseEnvironment.deviceTime()
        let products = receipt.productID.flatMap { id in receipt.productType.map { PlayProduct(id: id, type: $0) } }
        let play = PlayReceiptVerifier(verifier, products: [products].compactMap(\.self))
        let outcome: ImportOutcome
        if receipt.isRenewalInfo, case .jws(let jws) = receipt.content {
            switch await play.renewalInfo(of: jws, at: now) {
            case .unverified(let failure): return try refuse(receipt, number, failure, &counts)
            case .verified(let info): outcome = try await database.importRenewalInfo(info, jws: jws)
            }
        } else {
            switch await transaction(of: receipt, play, at: now) {
            case .unverified(let failure): return try refuse(receipt, number, failure, &counts)
            case .verified(let transaction):
                outcome = try await database.importPurchase(
                    transaction, receipt.delivery(of: transaction, at: now), at: now)
            }
        }
        try count(outcome, of: receipt, number, &counts)
    }

    /// Verifies a receipt. The device of an app receipt is not known here: the app checks it in each run.
    private func transaction(
        of receipt: ExportedReceipt, _ play: PlayReceiptVerifier, at now: Timestamp
    ) async -> VerificationResult<Transaction> {
        guard case .appReceipt(let signed) = receipt.content, !signed.isAppTransaction else {
            return await play.transaction(of: receipt.content, at: now)
        }
        switch play.verifier.verifyAppReceipt([UInt8](signed.base64.utf8)) {
        case .unverified(let failure): return .unverified(failure)
        case .verified(let payload):
            return Transaction(recording: payload, isAppTransaction: false).map { .verified($0) }
                ?? .unverified(VerificationFailure(code: .transactionIncomplete))
        }
    }

    private func count(
        _ outcome: ImportOutcome, of receipt: ExportedReceipt?, _ number: Int, _ counts: inout Counts
    ) throws {
        switch outcome {
        case .imported: counts.imported += 1
        case .known: counts.known += 1
        case .conflict(let conflict): try refuse(receipt, number, conflict.failure, &counts)
        }
    }

    private func refuse(
        _ receipt: ExportedReceipt?, _ number: Int, _ failure: VerificationFailure, _ counts: inout Counts
    ) throws {
        counts.refused += 1
        session.output.record(ExitCode(failure.verdict))
        let code = failure.code
        guard !session.writesJSON else {
            let object: JSONObject = [
                "type": .string("refusal"), "line": .integer(Int64(number)), "code": .string(code.rawValue),
                "message": .string(code.meaning), "expected": .optionalString(failure.expected),
                "actual": .optionalString(failure.actual), "transactionId": .optionalString(receipt?.transactionID),
                "productId": .optionalString(receipt?.productID),
            ]
            return try session.writeLine(object, as: .refusal)
        }
        let names = ["line \(number)", receipt?.transactionID, receipt?.productID].compactMap(\.self)
        try session.output.writeLine(
            "\(session.style.failure("refused")): \(Escaped(names.joined(separator: " ")))")
        try session.output.writeLine("  \(code.rawValue): \(Escaped(code.meaning))")
        if let expected = failure.expected { try session.output.writeLine("  expected: \(Escaped(expected))") }
        if let actual = failure.actual { try session.output.writeLine("  found: \(Escaped(actual))") }
    }

    private func writeSummary(_ counts: Counts) throws {
        guard session.writesJSON else {
            return try session.output.writeLine(
                "imported: \(counts.imported), known: \(counts.known), refused: \(counts.refused)")
        }
        let object: JSONObject = [
            "type": .string("import"), "imported": .integer(Int64(counts.imported)),
            "known": .integer(Int64(counts.known)), "refused": .integer(Int64(counts.refused)),
        ]
        try session.writeLine(object, as: .imported)
    }
}
