internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// `legacy-response`: answers as the retired `verifyReceipt` endpoint did, from app receipts alone.
struct LegacyResponseCommand {
    let session: Session

    private var arguments: Arguments { session.arguments }

    func run() throws -> ExitCode {
        try requireOneForm()
        let setup = try VerificationSetup(arguments, messages: session.messages)
        let keyCache = try KeyCacheFile(arguments, messages: session.messages)
        let verifier = setup.verifier(keyCache: keyCache.cache)
        var warnings = PolicyWarning.Collection(setup.policy)
        var absent = AbsentMembers()
        try FoundReceipt.forEach(in: session) { _, receipt in
            switch Self.verify(receipt, with: verifier) {
            case .verified(let report):
                warnings.add(report)
                if isResponse {
                    absent.add(try writeResponse(to: receipt, report, verifier))
                } else {
                    try writePart(of: receipt, report, now: verifier.clock())
                }
            case .unverified(let failure):
                session.output.record(ExitCode(failure.verdict))
                if isResponse { try session.output.writeLine(ofData: VerifyReceiptResponse(failure).description) }
                let title = receipt.title.map { "\(Escaped($0)): " } ?? ""
                session.messages.error(
                    UsageError(
                        "\(title)\(failure.code): \(failure.explanation)", hint: "\(failure.hintWithRemedy)"))
            }
        }
        keyCache.saveIfChanged(messages: session.messages)
        try session.output.flush()
        absent.print(session.messages)
        warnings.print(session.messages)
        return session.output.code
    }

    /// Whether complete responses are printed, not only parts of them.
    private var isResponse: Bool { !arguments.has(.transactionIDs) && !arguments.has(.subscriptions) }

    private func requireOneForm() throws(UsageError) {
        let flags = [Flag.transactionIDs, .subscriptions, .excludeOldTransactions].filter(arguments.has)
        guard flags.count < 2 else {
            throw UsageError(
                "\(flags[0].spelling) cannot be used with \(flags[1].spelling)", hint: "leave one of them out")
        }
    }

    // MARK: Verification

    private static func verify(
        _ receipt: FoundReceipt, with verifier: ReceiptVerifier
    ) -> VerificationResult<ReceiptReport> {
        switch receipt.input {
        case .jws: return .unverified(other("a JWS"))
        case .play: return .unverified(other("a Google Play purchase"))
        case .appReceipt, .unrecognized, .unsearched:
            let report = verifier.verify(receipt.input)
            guard let failure = report.failure else { return .verified(report) }
            return .unverified(failure)
        }
    }

    private static func other(_ form: String) -> VerificationFailure {
        VerificationFailure(
            code: .kindMismatch, expected: "an app receipt", actual: form,
            hint: "verify-receipt verify reads all kinds of receipts")
    }

    // MARK: Output

    /// Writes the response to a verified receipt, and returns the members that it leaves out.
    private func writeResponse(
        to receipt: FoundReceipt, _ report: ReceiptReport, _ verifier: ReceiptVerifier
    ) throws -> [String] {
        guard case .appReceipt(let data) = receipt.input else { return [] }
        let isExcluding =
            arguments.has(.excludeOldTransactions)
            || receipt.content.flatMap(VerifyReceiptRequest.init(body:))?.excludesOldTransactions ?? false
        let request = VerifyReceiptRequest(receiptData: data, excludesOldTransactions: isExcluding)
        let response = verifier.response(to: request, report: report)
        try session.output.writeLine(ofData: response.description)
        return response.absentMembers
    }

    /// Writes the transaction IDs of a verified receipt, or its subscriptions.
    private func writePart(of receipt: FoundReceipt, _ report: ReceiptReport, now: Timestamp) throws {
        guard let payload = report.payload else { return }
        let appReceipt = AppReceipt(members: payload)
        if arguments.has(.transactionIDs) {
            for id in appReceipt.transactionIDs { try session.output.writeLine("\(id)") }
        } else {
            for subscription in appReceipt.subscriptions {
                let object = Self.object(subscription, of: appReceipt, report, receipt, now: now)
                try session.writeLine(object, as: .subscription)
            }
        }
    }

    private static func object(
        _ subscription: AppReceiptSubscription, of appReceipt: AppReceipt, _ report: ReceiptReport,
        _ receipt: FoundReceipt, now: Timestamp
    ) -> JSONObject {
        let latest = subscription.latestPurchase
        return [
            "type": .string("subscription"), "source": .string(receipt.source), "item": .integer(Int64(receipt.item)),
            "bundleId": .optionalString(appReceipt.bundleId), "environment": .optionalString(appReceipt.environment),
            "originalTransactionId": .string(subscription.originalTransactionID),
            "productId": .optionalString(latest.productId), "transactionId": .optionalString(latest.transactionId),
            "state": .optionalString(subscription.state(at: now)?.rawValue),
            "purchaseDate": .optionalString(latest.purchaseDate), "expiresDate": .optionalString(latest.expiresDate),
            "cancellationDate": .optionalString(latest.cancellationDate),
            "isTrialPeriod": flag(latest.isTrialPeriod), "isInIntroOfferPeriod": flag(latest.isInIntroOfferPeriod),
            "promotionalOfferId": .optionalString(latest.promotionalOfferId),
            "transactions": .integer(Int64(subscription.transactionCount)),
            "signedDate": .optionalString(report.signingTime),
        ]
    }

    private static func flag(_ value: Int64?) -> JSONValue {
        switch value {
        case 0?: .boolean(false)
        case 1?: .boolean(true)
        default: .null
        }
    }
}

/// The members that responses leave out, each of which is named once.
private struct AbsentMembers {
    private var paths: [String] = []

    mutating func add(_ added: [String]) {
        paths += added.filter { !paths.contains($0) }
    }

    /// Prints a line for each object that lacks members.
    func print(_ messages: Messages) {
        var lines: [(place: Substring, names: [Substring])] = []
        for path in paths {
            guard let dot = path.lastIndex(of: ".") else { continue }
            let (place, name) = (path[..<dot], path[path.index(after: dot)...])
            if let index = lines.firstIndex(where: { $0.place == place }) {
                lines[index].names.append(name)
            } else {
                lines.append((place, [name]))
            }
        }
        for line in lines {
            messages.note(
                "the app receipt has no value for these members of \(line.place): \(line.names.joined(separator: ", "))"
            )
        }
    }
}
