import ReceiptTypes
import Testing

/// Tests failures, results and traces.
@Suite("Failures and results")
struct VerificationFailureTests {
    let failure = VerificationFailure(
        code: .bundleIDMismatch,
        expected: "com.example.app",
        actual: "com.example.other",
        certificateIndex: 1,
        untrustedPayload: ["bundleId": .string("com.example.other")]
    )

    @Test("two failures are equal if their codes are")
    func equality() {
        #expect(failure == VerificationFailure(code: .bundleIDMismatch))
        #expect(failure.hashValue == VerificationFailure(code: .bundleIDMismatch).hashValue)
        #expect(failure != VerificationFailure(code: .environmentMismatch, expected: "com.example.app"))
    }

    @Test("an explanation contains the meaning, the certificate, the expected and the found value")
    func explanation() {
        for part in [failure.code.meaning, "certificate 1", "com.example.app", "com.example.other"] {
            #expect(failure.explanation.contains(part))
        }
        let bare = VerificationFailure(code: .signatureInvalid).explanation
        #expect(bare == VerificationFailure.Code.signatureInvalid.meaning)
        #expect(failure.description.hasPrefix("bundle-id-mismatch: "))
    }

    @Test("hidden characters are escaped in an explanation")
    func hidden() {
        let hostile = VerificationFailure(code: .productIDMismatch, actual: "\u{1b}[2J\u{202e}x\n")
        #expect(hostile.explanation.contains("\\u{1b}[2J\\u{202e}x\\u{a}"))
        #expect(!hostile.explanation.unicodeScalars.contains("\u{1b}"))
    }

    @Test("a failure has the hint of its code unless it is created with another")
    func hints() {
        #expect(failure.hint == VerificationFailure.Code.bundleIDMismatch.hint)
        #expect(VerificationFailure(code: .encoding, hint: "remove the line break").hint == "remove the line break")
    }

    @Test("a verified result has a payload and no failure")
    func verified() {
        let result = VerificationResult.verified(5)
        #expect(result.verifiedPayload == 5)
        #expect(result.failure == nil)
        #expect(result.untrustedPayload == nil)
        #expect(result.verdict == .verified)
        #expect(result.map { $0 * 2 } == .verified(10))
    }

    @Test("an unverified result has its payload only as the untrusted payload")
    func unverified() {
        let result = VerificationResult<Int>.unverified(failure)
        #expect(result.verifiedPayload == nil)
        #expect(result.failure == failure)
        #expect(result.untrustedPayload == ["bundleId": .string("com.example.other")])
        #expect(result.verdict == .unverified)
        #expect(result.map { "\($0)" } == .unverified(failure))
        #expect(result.map { "\($0)" }.untrustedPayload == result.untrustedPayload)
        #expect(result != .verified(5))
    }

    @Test("a result with an undecided code is undecided")
    func undecided() {
        #expect(VerificationResult<Int>.unverified(VerificationFailure(code: .keyNotFound)).verdict == .undecided)
    }

    @Test("the raw values of verdicts, outcomes and steps are stable")
    func names() {
        #expect(Verdict.allCases.map(\.rawValue) == ["verified", "unverified", "undecided"])
        let outcomes: [VerificationTrace.Outcome] = [.passed, .failed, .skipped]
        #expect(outcomes.map(\.rawValue) == ["passed", "failed", "skipped"])
        #expect(
            VerificationStep.allCases.map(\.rawValue) == [
                "input", "structure", "header", "certificates", "chain", "key", "signature", "payload",
                "effective-date",
                "claims", "nested",
            ]
        )
        #expect(Set(VerificationStep.allCases.map(\.title)).count == VerificationStep.allCases.count)
    }

    @Test("a trace keeps its events in order")
    func trace() {
        var trace = VerificationTrace()
        #expect(trace.events.isEmpty)
        let first = VerificationTrace.Event(step: .header, check: "algorithm", outcome: .passed, actual: "ES256")
        let second = VerificationTrace.Event(
            step: .chain, check: "issuer-name", outcome: .failed, certificateIndex: 1, code: .chainInvalid
        )
        trace.append(first)
        trace.append(second)
        #expect(trace.events == [first, second])
        #expect(trace.events.last?.certificateIndex == 1)
        #expect(trace.events.last?.code == .chainInvalid)
    }
}
