@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Verifies a JWS along several paths and reports a finding unless all of them have the same verdict.
struct VerdictChecker {
    /// The result of a verification.
    struct Outcome {
        var report: ReceiptReport

        var isVerified: Bool { report.verdict == .verified }
        var code: String { report.failure?.code.rawValue ?? "verified" }
    }

    let verifier: ReceiptVerifier
    private let anchors: TrustAnchors
    private let policy: VerificationPolicy

    init(policy: VerificationPolicy = .init(), anchors: TrustAnchors? = nil) throws {
        self.policy = policy
        self.anchors = anchors ?? FixedAuthority.anchors
        verifier = ReceiptVerifier(policy: policy, trustAnchors: self.anchors, clock: { Self.clock })
    }

    static let clock = must(Timestamp(milliseconds: SamplePayload.now), "the clock")

    /// A verifier with an empty key cache.
    var fresh: ReceiptVerifier {
        ReceiptVerifier(policy: policy, trustAnchors: anchors, clock: { Self.clock })
    }

    /// The additional paths to a verdict. Each decodes and validates the certificates again, which takes most of the
    /// time, so the fuzzer chooses them.
    struct Paths: OptionSet {
        let rawValue: UInt8

        /// The path that records every check.
        static let explained = Paths(rawValue: 1)
        /// The path with an empty key cache.
        static let cold = Paths(rawValue: 2)
    }

    /// Returns the result of the shared verifier, whose cache earlier receipts have filled, compared with other paths.
    func verdict(on jws: [UInt8], _ paths: Paths = [.explained]) -> Outcome {
        let outcome = Outcome(report: verifier.verify(.jws(jws)))
        require(
            outcome.code != "internal-error",
            "an internal error of the verifier: \(outcome.report.failure?.explanation ?? "")")
        checkShape(of: outcome.report)
        if paths.contains(.explained) {
            let explained = Outcome(report: verifier.explain(.jws(jws)))
            requireEqual(outcome.code, explained.code, "the code of an explanation")
            requireEqual(outcome.report.payload, explained.report.payload, "the payload of an explanation")
            checkShape(of: explained.report)
        }
        if paths.contains(.cold) {
            let cold = Outcome(report: fresh.verify(.jws(jws)))
            requireEqual(outcome.code, cold.code, "the code with an empty key cache")
        }
        return outcome
    }

    /// Checks the properties of a report with any verdict.
    private func checkShape(of report: ReceiptReport) {
        let isVerified = report.verdict == .verified
        require(isVerified == (report.failure == nil), "the verdict \(report.verdict) does not fit the failure")
        require(isVerified == (report.payload != nil), "the verdict \(report.verdict) does not fit the payload")
        require(isVerified == (report.kind != nil), "the verdict \(report.verdict) does not fit the kind")
        require(isVerified || report.signingTime == nil, "a rejected receipt has a signing time")
        for nested in report.nested { checkShape(of: nested.report) }
        if let failure = report.failure {
            requireHarmless(failure.explanation, "an explanation contains a control character")
        }
    }
}

/// Reports a finding if a text contains a character that a terminal interprets or hides.
func requireHarmless(_ text: String, _ what: @autoclosure () -> String) {
    require(
        !text.unicodeScalars.contains { HiddenCharacters.contains($0.value) }, "\(what()): \(text.debugDescription)")
}
