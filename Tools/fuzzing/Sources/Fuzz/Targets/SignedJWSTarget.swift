@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// JWS that are signed after the fuzzer has chosen their content, to reach payload, dates, claims and nested receipts.
///
/// Sections of an input: the choices; the payload; the payloads of a transaction, a renewal info and an app
/// transaction, whose JWS replace `%T`, `%R` and `%A` in the payload; the header.
final class SignedJWSTarget: FuzzTarget {
    static let name = "signed-jws"
    static let summary = "JWS that are signed after the fuzzer has chosen header, payload and the JWS inside"
    static let maximumLength = 4096

    private let checkers: [VerdictChecker]

    init() throws {
        checkers = try VerificationPolicy.samples.map { try VerdictChecker(policy: $0) }
        let genuine = FixedAuthority.signers[0].sign(payload: [UInt8](SamplePayload.transaction.utf8))
        require(checkers[1].verdict(on: genuine).isVerified, "the fuzz target is broken: a genuine JWS is rejected")
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        let notification = [SamplePayload.notification, SamplePayload.transaction, SamplePayload.renewalInfo]
        // Signer, header, flaw and its position in two bytes; policy; paths to the verdict; kind.
        return [
            ("transaction", Sections.join([0, 0, 0, 0, 0, 1, 3], SamplePayload.transaction)),
            ("subscription", Sections.join([0, 0, 1, 0, 0, 3], SamplePayload.subscription)),
            ("renewal-info", Sections.join([0, 0, 0, 0, 0, 1], SamplePayload.renewalInfo)),
            ("app-transaction", Sections.join([0, 0, 0, 0, 0, 2], SamplePayload.appTransaction)),
            ("realtime-request", Sections.join([0, 0, 0, 0, 0, 2], SamplePayload.realtimeRequest)),
            ("notification", Sections.join([[0, 0, 0, 0, 0, 1, 1, 2]] + notification.map { [UInt8]($0.utf8) })),
            (
                "app-data",
                Sections.join([0, 0, 0, 0, 0, 2], SamplePayload.appData, "", "", SamplePayload.appTransaction)
            ),
            ("summary", Sections.join([0, 0, 0, 0, 0, 2], SamplePayload.summary)),
            ("purchase-token", Sections.join([0, 0, 0, 0, 0, 2], SamplePayload.purchaseToken)),
            ("old-leaf", Sections.join([2, 0, 0, 0, 0, 0, 2], #"{"transactionId":"1","signedDate":1620000000000}"#)),
            ("null-inside", Sections.join([], SamplePayload.notification, SamplePayload.transaction, "null")),
            ("header", Sections.join([1, 2], "{}", "", "", "", #"{"typ":"JWT","alg":"ES256","x5c":%X}"#)),
            ("more-header", Sections.join([0, 1], "{}", "", "", "", #","kid":"k","b64":true,"crit":["b64"]"#)),
        ]
    }

    func run(_ input: [UInt8]) throws {
        let sections = Sections(input)
        var choices = Choices(sections[0])
        var outer = Choices(choices.bytes(5))
        let policy = choices.number(below: checkers.count)
        let paths = VerdictChecker.Paths(rawValue: choices.byte())
        let kind = choices.element(of: Self.kinds)
        var payload = sections[1]
        for (index, placeholder) in Placeholder.receipts.enumerated() {
            payload = payload.replacing(placeholder) {
                SignedJWS(payload: sections[2 + index], headerText: sections[5], &choices).bytes
            }
        }
        let jws = SignedJWS(payload: payload, headerText: sections[5], &outer)
        let checker = checkers[policy]
        let outcome = checker.verdict(on: jws.bytes, paths)
        check(outcome, jws, VerificationPolicy.samples[policy])
        checkTyped(outcome, jws, as: kind, checker.verifier)
    }

    // MARK: Properties

    private func check(_ outcome: VerdictChecker.Outcome, _ jws: SignedJWS, _ policy: VerificationPolicy) {
        require(
            outcome.isVerified || !jws.isSound || Self.isAboutContent(outcome.code),
            "a genuine signature is rejected: \(outcome.code)"
        )
        guard outcome.isVerified, let payload = outcome.report.payload, let kind = outcome.report.kind else { return }
        require(jws.flaw.isGenuine, "verified, though the signature is \(jws.flaw)")
        requireEqual(try? JSONDocument.value(of: jws.payload), .object(payload), "another payload than the one signed")
        let expectation = ClaimsExpectation(policy: policy, validity: FixedAuthority.validities[jws.signer])
        if let objection = expectation.objection(to: payload, kind) { stop("verified, though \(objection)") }
        for nested in outcome.report.nested {
            let code = nested.report.failure?.code ?? .payloadNotAnObject
            require(code == .payloadNotAnObject, "verified, although \(nested.name) is rejected: \(code)")
        }
    }

    /// Returns whether a code is about the content or the size of a payload.
    private static func isAboutContent(_ code: String) -> Bool {
        let failure = VerificationFailure.Code(rawValue: code)
        return [.payload, .effectiveDate, .claims, .nested].contains(failure.step) || failure == .tooLarge
    }

    /// Checks that the typed functions accept payloads of their own kind only.
    private func checkTyped(
        _ outcome: VerdictChecker.Outcome,
        _ jws: SignedJWS,
        as kind: ReceiptKind,
        _ verifier: ReceiptVerifier
    ) {
        let verdict = jws.bytes.withRawSpan { jws in
            switch kind {
            case .transaction: verifier.verifyTransaction(jws).verdict
            case .renewalInfo: verifier.verifyRenewalInfo(jws).verdict
            case .notification: verifier.verifyNotification(jws).verdict
            case .appTransaction: verifier.verifyAppTransaction(jws).verdict
            case .realtimeRequest, .playPurchase, .appReceipt: verifier.verifyRealtimeRequest(jws).verdict
            }
        }
        if outcome.isVerified {
            requireEqual(
                verdict == .verified, kind == outcome.report.kind,
                "the kind of a payload that was verified as \(kind.title)")
        }
        require(verdict != .verified || jws.flaw.isGenuine, "verified, although the signature has the flaw \(jws.flaw)")
    }

    private static let kinds: [ReceiptKind] = [
        .transaction, .renewalInfo, .notification, .appTransaction, .realtimeRequest,
    ]
}
