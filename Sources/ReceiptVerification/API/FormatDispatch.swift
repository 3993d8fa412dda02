internal import ReceiptTypes

// Chooses the checks for the format of a receipt. A new format needs a case of `ReceiptInput`, a folder with its checks
// beside AppStore/, AppReceipt/ and GooglePlay/, and a case below.
extension ReceiptVerifier {
    /// Checks one receipt of any format.
    func check(
        _ input: ReceiptInput,
        isTracing: Bool,
        _ session: inout VerificationSession
    ) -> CheckedReceipt {
        var round = [begin(input, isTracing: isTracing, &session)]
        session.verifySignatures(of: &round)
        return finish(round[0], &session)
    }

    /// Runs the checks before the signature, or all checks if signatures of the format are not verified in batches.
    func begin(
        _ input: ReceiptInput,
        isTracing: Bool = false,
        _ session: inout VerificationSession
    ) -> PendingReceipt {
        switch input {
        case .jws(let jws):
            if AppReceiptForm.isEncodedTransactionReceipt(jws) { return rejectTransactionReceipt(isTracing: isTracing) }
            if let foreign = ForeignInput(encodedIn: jws) {
                return reject(foreign, in: jws, isTracing: isTracing)
            }
            return jws.withRawSpan { AppStoreJWS.begin($0, isTracing: isTracing, &session) }
        case .play(let data, let signature):
            if let foreign = ForeignInput(emptyPartOf: data, signature) {
                return reject(foreign, in: data, isTracing: isTracing)
            }
            let receipt = data.withRawSpan { data in
                signature.withRawSpan { signature in
                    GooglePlayPurchase.check(data, signature, by: playKeys, isTracing: isTracing, session)
                }
            }
            var pending = PendingReceipt(receipt: receipt)
            if !receipt.isVerified, data.count <= session.rules.maximumSize {
                pending.payload = data.withRawSpan { session.workspace.payloads.append($0) }
            }
            return pending
        case .appReceipt(let receipt):
            return PendingReceipt(receipt: AppStoreAppReceipt.check(receipt, isTracing: isTracing, &session))
        case .unsearched(let text):
            return reject(
                .searchIncomplete, actual: "\(Self.size(of: text)) that were not searched to their end",
                isTracing: isTracing)
        case .unrecognized(let text):
            if AppReceiptForm.isTransactionReceipt(text) { return rejectTransactionReceipt(isTracing: isTracing) }
            if let foreign = ForeignInput(recognizing: text) {
                return reject(foreign, in: text, isTracing: isTracing)
            }
            guard !InputDetector.trimmed(text).isEmpty else {
                return reject(
                    .empty, actual: "nothing", hint: "pass the receipt: the input has no character but white space",
                    isTracing: isTracing)
            }
            return reject(
                .formatUnrecognized, actual: "\(Self.size(of: text)) in an unknown format",
                identifiers: IdentifierScan.identifiers(in: text), isTracing: isTracing)
        }
    }

    private static func size(of text: [UInt8]) -> String { text.count == 1 ? "1 byte" : "\(text.count) bytes" }

    /// Runs the checks after the signature.
    func finish(_ pending: PendingReceipt, _ session: inout VerificationSession) -> CheckedReceipt {
        AppStoreJWS.finish(pending, &session)
    }

    private func rejectTransactionReceipt(isTracing: Bool) -> PendingReceipt {
        reject(
            .legacyReceiptUnsupported, actual: "the receipt of one transaction, from before iOS 7", isTracing: isTracing
        )
    }

    private func reject(_ foreign: ForeignInput, in text: [UInt8], isTracing: Bool) -> PendingReceipt {
        reject(
            .notAReceipt, actual: foreign.name, hint: foreign.hint,
            identifiers: foreign.isSecret ? [] : IdentifierScan.identifiers(in: text), isTracing: isTracing)
    }

    private func reject(
        _ code: VerificationFailure.Code,
        actual: String,
        hint: String? = nil,
        identifiers: [FoundIdentifier] = [],
        isTracing: Bool
    ) -> PendingReceipt {
        var receipt = CheckedReceipt(isTracing: isTracing)
        receipt.examination.refuse(
            code, "format", expected: "a JWS, an app receipt, or a Google Play purchase", actual: actual, hint: hint,
            identifiers: identifiers
        )
        return PendingReceipt(receipt: receipt)
    }
}
