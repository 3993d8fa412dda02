@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// JWS that are signed after the fuzzer has written them, so that payload, dates, claims and nested receipts are reached.
///
/// Sections of an input: the choices; the payload; the payloads of a transaction, a renewal info and an app transaction,
/// whose JWS take the places of `%T`, `%R` and `%A` in the payload; the header.
final class SignedJWSTarget: FuzzTarget {
    static let name = "signed-jws"
    static let summary = "JWS that are signed after the fuzzer has written header, payload and the JWS inside"
    static let maximumLength = 4096

    private let judges: [Judge]

    init() throws {
        judges = try VerificationPolicy.samples.map { try Judge(policy: $0) }
        let genuine = FixedAuthority.signers[0].sign(payload: [UInt8](SampleText.transaction.utf8))
        require(judges[1].verdict(on: genuine).isVerified, "the fuzz target is broken: a genuine JWS is refused")
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        let notification = [SampleText.notification, SampleText.transaction, SampleText.renewalInfo]
        // Signer, header, flaw and its place in two bytes; policy; ways to the verdict; kind.
        return [
            ("transaction", Sections.join([0, 0, 0, 0, 0, 1, 3], SampleText.transaction)),
            ("subscription", Sections.join([0, 0, 1, 0, 0, 3], SampleText.subscription)),
            ("renewal-info", Sections.join([0, 0, 0, 0, 0, 1], SampleText.renewalInfo)),
            ("app-transaction", Sections.join([0, 0, 0, 0, 0, 2], SampleText.appTransaction)),
            ("realtime-request", Sections.join([0, 0, 0, 0, 0, 2], SampleText.realtimeRequest)),
            ("notification", Sections.join([[0, 0, 0, 0, 0, 1, 1, 2]] + notification.map { [UInt8]($0.utf8) })),
            ("app-data", Sections.join([0, 0, 0, 0, 0, 2], SampleText.appData, "", "", SampleText.appTransaction)),
            ("summary", Sections.join([0, 0, 0, 0, 0, 2], SampleText.summary)),
            ("purchase-token", Sections.join([0, 0, 0, 0, 0, 2], SampleText.purchaseToken)),
            ("old-leaf", Sections.join([2, 0, 0, 0, 0, 0, 2], #"{"transactionId":"1","signedDate":1620000000000}"#)),
            ("null-inside", Sections.join([], SampleText.notification, SampleText.transaction, "null")),
            ("header", Sections.join([1, 2], "{}", "", "", "", #"{"typ":"JWT","alg":"ES256","x5c":%X}"#)),
            ("more-header", Sections.join([0, 1], "{}", "", "", "", #","kid":"k","b64":true,"crit":["b64"]"#)),
        ]
    }

    func run(_ input: [UInt8]) throws {
        let sections = Sections(input)
        var choices = Choices(sections[0])
        var outer = Choices(choices.bytes(5))
        let policy = choices.number(below: judges.count)
        let ways = Judge.Ways(rawValue: choices.byte())
        let kind = choices.element(of: Self.kinds)
        var payload = sections[1]
        for (index, placeholder) in Placeholder.receipts.enumerated() {
            payload = payload.replacing(placeholder) {
                SignedText(payload: sections[2 + index], headerText: sections[5], &choices).text
            }
        }
        let text = SignedText(payload: payload, headerText: sections[5], &outer)
        let judge = judges[policy]
        let outcome = judge.verdict(on: text.text, ways)
        check(outcome, text, VerificationPolicy.samples[policy])
        checkTyped(outcome, text, as: kind, judge.verifier)
    }

    // MARK: What must hold

    private func check(_ outcome: Judge.Outcome, _ text: SignedText, _ policy: VerificationPolicy) {
        require(
            outcome.isVerified || !text.isSound || Self.isAboutContent(outcome.code),
            "a genuine signature is refused: \(outcome.code)"
        )
        guard outcome.isVerified, let payload = outcome.report.payload, let kind = outcome.report.kind else { return }
        require(text.flaw.isGenuine, "verified, though the signature is \(text.flaw)")
        requireEqual(try? JSONDocument.value(of: text.payload), .object(payload), "another payload than the one signed")
        let expectation = ClaimsExpectation(policy: policy, validity: FixedAuthority.validities[text.signer])
        if let objection = expectation.objection(to: payload, kind) { stop("verified, though \(objection)") }
        for nested in outcome.report.nested {
            let code = nested.report.failure?.code ?? .payloadNotAnObject
            require(code == .payloadNotAnObject, "verified, though \(nested.name) is refused: \(code)")
        }
    }

    /// Whether a code speaks about what a payload says, or how large it is.
    private static func isAboutContent(_ code: String) -> Bool {
        let failure = VerificationFailure.Code(rawValue: code)
        return [.payload, .effectiveDate, .claims, .nested].contains(failure.step) || failure == .tooLarge
    }

    /// The functions with a type of their own accept a payload of their kind and no other.
    private func checkTyped(
        _ outcome: Judge.Outcome,
        _ text: SignedText,
        as kind: ReceiptKind,
        _ verifier: ReceiptVerifier
    ) {
        let verdict = text.text.withRawSpan { jws in
            switch kind {
            case .transaction: verifier.verifyTransaction(jws).verdict
            case .renewalInfo: verifier.verifyRenewalInfo(jws).verdict
            case .notification: verifier.verifyNotification(jws).verdict
            case .appTransaction: verifier.verifyAppTransaction(jws).verdict
            case .realtimeRequest, .playPurchase: verifier.verifyRealtimeRequest(jws).verdict
            }
        }
        if outcome.isVerified {
            requireEqual(verdict == .verified, kind == outcome.report.kind, "asked for \(kind.title)")
        }
        require(verdict != .verified || text.flaw.isGenuine, "verified, though the signature is \(text.flaw)")
    }

    private static let kinds: [ReceiptKind] = [
        .transaction, .renewalInfo, .notification, .appTransaction, .realtimeRequest,
    ]
}
