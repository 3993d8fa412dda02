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
        var code = ExitCode.success
        var warnings = PolicyWarning.Collection(setup.policy)
        var absent = AbsentMembers()
        let inputs = try FoundReceipt.forEach(in: session) { _, receipt in
            let (response, report) = Self.response(to: receipt, verifier, arguments)
            if let report { warnings.add(report) }
            try write(response, report, receipt, now: verifier.clock())
            guard let failure = response.failure else { return absent.add(response.absentMembers) }
            code = code.combined(with: ExitCode(failure.verdict))
            let title = receipt.title.map { "\(Escaped($0)): " } ?? ""
            session.messages.error(
                UsageError(
                    "\(title)\(failure.code): \(failure.explanation)", hint: "\(Escaped(failure.hintWithRemedy))"))
        }
        keyCache.saveIfChanged(messages: session.messages)
        try session.output.flush()
        if !arguments.has(.transactionIDs), !arguments.has(.subscriptions) { absent.print(session.messages) }
        warnings.print(session.messages)
        return code.combined(with: inputs)
    }

    private func requireOneForm() throws(UsageError) {
        let flags = [Flag.transactionIDs, .subscriptions, .excludeOldTransactions].filter(arguments.has)
        guard flags.count < 2 else {
            throw UsageError(
                "\(flags[0].spelling) cannot be used with \(flags[1].spelling)", hint: "leave one of them out")
        }
    }

    // MARK: Response

    /// Returns the response for a receipt, and the report on an app receipt.
    private static func response(
        to receipt: FoundReceipt, _ verifier: ReceiptVerifier, _ arguments: Arguments
    ) -> (VerifyReceiptResponse, ReceiptReport?) {
        switch receipt.input {
        case .appReceipt(let data):
            let isExcluding =
                arguments.has(.excludeOldTransactions)
                || receipt.content.flatMap(VerifyReceiptRequest.init(body:))?.excludesOldTransactions ?? false
            let report = verifier.verify(receipt.input)
            let request = VerifyReceiptRequest(receiptData: data, excludesOldTransactions: isExcluding)
            return (verifier.response(to: request, report: report), report)
        case .jws: return (VerifyReceiptResponse(other("a JWS")), nil)
        case .play: return (VerifyReceiptResponse(other("a Google Play purchase")), nil)
        case .unrecognized:
            let failure = verifier.verify(receipt.input).failure
            return (VerifyReceiptResponse(failure ?? VerificationFailure(code: .formatUnrecognized)), nil)
        }
    }

    private static func other(_ form: String) -> VerificationFailure {
        VerificationFailure(
            code: .kindMismatch, expected: "an app receipt", actual: form,
            hint: "verify-receipt verify reads all kinds of receipts")
    }

    // MARK: Output

    private func write(
        _ response: VerifyReceiptResponse, _ report: ReceiptReport?, _ receipt: FoundReceipt, now: Timestamp
    ) throws {
        let appReceipt = report?.payload.map { AppReceipt(members: $0) }
        if arguments.has(.transactionIDs) {
            for id in appReceipt?.transactionIDs ?? [] { try session.output.writeLine("\(Escaped(id))") }
        } else if arguments.has(.subscriptions) {
            guard let appReceipt, let report else { return }
            for subscription in appReceipt.subscriptions {
                let object = Self.object(subscription, of: appReceipt, report, receipt, now: now)
                try session.writeLine(object, as: .subscription)
            }
        } else {
            try session.output.writeLine(response.description)
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
