@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Verifies one JWS in every way there is and states that all ways agree.
struct Judge {
    /// What came out.
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

    static let clock = must(Timestamp(milliseconds: SampleText.now), "the clock")

    /// A verifier that has seen nothing yet.
    var fresh: ReceiptVerifier {
        ReceiptVerifier(policy: policy, trustAnchors: anchors, clock: { Self.clock })
    }

    /// The ways to a verdict beside the usual one. Each reads and validates the certificates anew, which takes most of
    /// the time, so the fuzzer chooses them.
    struct Ways: OptionSet {
        let rawValue: UInt8

        /// With every step recorded.
        static let explained = Ways(rawValue: 1)
        /// With a key cache that has seen nothing yet.
        static let cold = Ways(rawValue: 2)
    }

    /// The verdict by a verifier whose cache other receipts have filled, compared with other ways.
    func verdict(on jws: [UInt8], _ ways: Ways = [.explained]) -> Outcome {
        let outcome = Outcome(report: verifier.verify(.jws(jws)))
        require(outcome.code != "internal-error", "the verifier gave up: \(outcome.report.failure?.explanation ?? "")")
        checkShape(of: outcome.report)
        if ways.contains(.explained) {
            let explained = Outcome(report: verifier.explain(.jws(jws)))
            requireEqual(outcome.code, explained.code, "an explanation says something else than the verdict")
            requireEqual(outcome.report.payload, explained.report.payload, "an explanation reads another payload")
            checkShape(of: explained.report)
        }
        if ways.contains(.cold) {
            let cold = Outcome(report: fresh.verify(.jws(jws)))
            requireEqual(outcome.code, cold.code, "a filled key cache changes the verdict")
        }
        return outcome
    }

    /// What a report of any verdict fulfils.
    private func checkShape(of report: ReceiptReport) {
        let isVerified = report.verdict == .verified
        require(isVerified == (report.failure == nil), "the verdict \(report.verdict) with another failure")
        require(isVerified == (report.payload != nil), "the verdict \(report.verdict) with another payload")
        require(isVerified == (report.kind != nil), "the verdict \(report.verdict) with another kind")
        require(isVerified || report.signingTime == nil, "a refused receipt with a signing time")
        for nested in report.nested { checkShape(of: nested.report) }
        if let failure = report.failure {
            requireHarmless(failure.explanation, "an explanation holds a character that a terminal obeys")
        }
    }
}

/// States that a text has nothing in it that a terminal obeys or hides.
func requireHarmless(_ text: String, _ what: @autoclosure () -> String) {
    require(
        !text.unicodeScalars.contains { HiddenCharacters.contains($0.value) }, "\(what()): \(text.debugDescription)")
}
