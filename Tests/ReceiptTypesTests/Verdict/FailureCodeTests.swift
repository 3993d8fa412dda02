import ReceiptTypes
import Testing

/// Compares the failure codes with a list of their facts.
///
/// The list repeats the declarations on purpose: programs store codes, so a code never changes.
@Suite("Failure codes")
struct FailureCodeTests {
    /// One line of the list: the name, the step, the error code, and the words `retryable` and `undecided` where they
    /// apply.
    struct Row: CustomTestStringConvertible, Sendable {
        let code: VerificationFailure.Code
        let step: String
        let errorCode: String
        let isRetryable: Bool
        let isUndecided: Bool

        init(_ line: Substring) {
            let words = line.split(separator: " ")
            code = VerificationFailure.Code(rawValue: String(words[0]))
            step = String(words[1])
            errorCode = String(words[2])
            isRetryable = words.contains("retryable")
            isUndecided = words.contains("undecided")
        }

        var testDescription: String { code.rawValue }
    }

    static let rows = """
        format-unrecognized input DECODING_ERROR undecided
        not-a-receipt input DECODING_ERROR undecided
        search-incomplete input UNKNOWN_ERROR undecided
        legacy-receipt-unsupported input UNKNOWN_ERROR undecided
        too-large input DECODING_ERROR
        too-many-receipts input UNKNOWN_ERROR undecided
        empty input UNKNOWN_ERROR undecided
        receipt-missing input UNKNOWN_ERROR undecided
        record-malformed input DECODING_ERROR
        nothing-to-verify input UNKNOWN_ERROR undecided
        segment-count structure DECODING_ERROR
        encoding structure DECODING_ERROR
        container-malformed structure DECODING_ERROR
        container-unsupported structure DECODING_ERROR
        signer-mismatch structure DECODING_ERROR
        receipt-algorithm structure DECODING_ERROR
        header-malformed header DECODING_ERROR
        algorithm header DECODING_ERROR
        header-unsupported header DECODING_ERROR
        chain-length certificates INVALID_SIGNATURE
        certificate-malformed certificates DECODING_ERROR
        certificate-distrusted chain INVALID_SIGNATURE
        chain-invalid chain INVALID_SIGNATURE
        untrusted-root chain INVALID_SIGNATURE
        leaf-is-ca chain INVALID_SIGNATURE
        leaf-key-unsupported chain INVALID_SIGNATURE
        leaf-key-usage chain INVALID_SIGNATURE
        leaf-marker-missing chain INVALID_SIGNATURE
        unmarked-generation chain INVALID_SIGNATURE
        intermediate-not-ca chain INVALID_SIGNATURE
        root-cannot-issue chain INVALID_SIGNATURE
        intermediate-path-length chain INVALID_SIGNATURE
        intermediate-key-usage chain INVALID_SIGNATURE
        intermediate-marker-missing chain INVALID_SIGNATURE
        certificate-critical-extension chain INVALID_SIGNATURE
        certificate-algorithm chain INVALID_SIGNATURE
        no-trust-anchor chain KEY_NOT_FOUND retryable undecided
        key-not-found key KEY_NOT_FOUND retryable undecided
        key-invalid key KEY_NOT_FOUND undecided
        signature-malformed signature INVALID_SIGNATURE
        signature-invalid signature INVALID_SIGNATURE
        payload-malformed payload DECODING_ERROR
        payload-not-an-object payload DECODING_ERROR
        attributes-malformed payload DECODING_ERROR
        too-many-attributes payload DECODING_ERROR
        too-many-purchases payload DECODING_ERROR
        attribute-invalid payload DECODING_ERROR
        attribute-duplicate payload DECODING_ERROR
        attribute-missing payload DECODING_ERROR
        signing-time-invalid effective-date DECODING_ERROR
        signed-in-the-future effective-date INVALID_SIGNATURE retryable
        certificate-expired effective-date INVALID_SIGNATURE
        certificate-not-yet-valid effective-date INVALID_SIGNATURE retryable
        kind-unrecognized claims DECODING_ERROR
        kind-mismatch claims DECODING_ERROR
        claim-type claims DECODING_ERROR
        root-environment-mismatch claims INVALID_SIGNATURE
        given-root-for-production claims INVALID_SIGNATURE
        bundle-id-mismatch claims INVALID_SIGNATURE
        app-apple-id-mismatch claims INVALID_SIGNATURE
        environment-mismatch claims INVALID_SIGNATURE
        device-mismatch claims INVALID_SIGNATURE
        product-id-mismatch claims INVALID_SIGNATURE
        purchase-revoked claims UNKNOWN_ERROR
        purchase-cancelled claims UNKNOWN_ERROR
        purchase-pending claims UNKNOWN_ERROR retryable
        purchase-state-unknown claims UNKNOWN_ERROR
        unchecked-claim claims UNKNOWN_ERROR
        nested-mismatch nested INVALID_SIGNATURE
        nested-unverified nested INVALID_SIGNATURE
        hash-forbidden signature UNKNOWN_ERROR undecided
        internal-error input UNKNOWN_ERROR retryable undecided
        """.split(whereSeparator: \.isNewline).map(Row.init)

    @Test("the listed codes are exactly the expected ones, each once")
    func complete() {
        let all = VerificationFailure.Code.all
        #expect(Set(all) == Set(Self.rows.map(\.code)))
        #expect(all.count == Self.rows.count)
    }

    @Test("[OTP-8.2] every failure code maps to one of the four error codes", arguments: rows)
    func errorCode(row: Row) {
        #expect(row.code.errorCode.rawValue == row.errorCode)
        #expect(VerificationFailure(code: row.code).errorCode == row.code.errorCode)
    }

    @Test(
        "every code has the expected step, retryability and verdict", arguments: rows)
    func facts(row: Row) {
        #expect(row.code.step.rawValue == row.step)
        #expect(row.code.isRetryable == row.isRetryable)
        #expect(row.code.isUndecided == row.isUndecided)
        let failure = VerificationFailure(code: row.code)
        #expect(failure.step == row.code.step)
        #expect(failure.isRetryable == row.isRetryable)
        #expect(failure.verdict == (row.isUndecided ? .undecided : .unverified))
    }

    @Test("every code has a meaning and a hint without a final full stop", arguments: rows)
    func sentences(row: Row) {
        #expect(row.code.meaning.first?.isUppercase == true)
        #expect(row.code.meaning.count > 15)
        #expect(!row.code.meaning.hasSuffix("."))
        #expect(row.code.hint.count > 10)
        #expect(!row.code.hint.hasSuffix("."))
    }

    @Test("no two codes have the same meaning")
    func meanings() {
        let meanings = VerificationFailure.Code.all.map(\.meaning)
        #expect(Set(meanings).count == meanings.count)
    }

    @Test("the name of a code is in kebab case", arguments: rows)
    func names(row: Row) {
        #expect(row.code.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil)
        #expect(row.code.description == row.code.rawValue)
    }

    @Test("the hints for common failures name the remedy")
    func remedies() {
        #expect(VerificationFailure.Code.untrustedRoot.hint.contains("trusted root"))
        #expect(VerificationFailure.Code.chainLength.hint.contains("Xcode"))
        #expect(VerificationFailure.Code.keyNotFound.hint.contains("Play Console"))
        #expect(VerificationFailure.Code.environmentMismatch.hint.contains("sandbox"))
        #expect(VerificationFailure.Code.uncheckedClaim.hint.contains("strict"))
        #expect(VerificationFailure.Code.signedInTheFuture.hint.contains("clock"))
    }

    @Test("a code that is read by its name has the facts of its declaration", arguments: VerificationFailure.Code.all)
    func lookUp(code: VerificationFailure.Code) {
        let found = VerificationFailure.Code(rawValue: code.rawValue)
        #expect(found == code)
        #expect(found.isKnown)
        #expect(found.meaning == code.meaning)
        #expect(found.step == code.step)
    }

    @Test("a code of another module has its facts if the lookup includes its list")
    func otherModule() {
        let code = VerificationFailure.Code(
            "voucher-expired", step: .claims, errorCode: .decodingError, meaning: "The voucher has expired",
            hint: "ask for another voucher", isRetryable: true
        )
        let found = VerificationFailure.Code(rawValue: "voucher-expired", among: [code])
        #expect(found == code)
        #expect(found.meaning == "The voucher has expired")
        #expect(found.isRetryable && found.isKnown)
        #expect(VerificationFailure.Code(rawValue: "encoding", among: [code]).meaning == Self.encoding.meaning)
        #expect(VerificationFailure.Code(rawValue: "voucher-expired").isKnown == false)
    }

    private static let encoding = VerificationFailure.Code.encoding

    @Test("a list of another module cannot replace a code of this module")
    func noReplacement() {
        let code = VerificationFailure.Code(
            "encoding", step: .claims, errorCode: .unknownError, meaning: "Something else", hint: "do something else"
        )
        #expect(VerificationFailure.Code(rawValue: "encoding", among: [code]).meaning == Self.encoding.meaning)
        #expect(code == .encoding)
        #expect(Set([code, .encoding]).count == 1)
    }

    @Test("an unknown code is not known, not retryable and not undecided, and has the error code UNKNOWN_ERROR")
    func unknown() {
        let code = VerificationFailure.Code(rawValue: "of-a-later-version")
        #expect(code.rawValue == "of-a-later-version")
        #expect(!code.isKnown)
        #expect(code.errorCode == .unknownError)
        #expect(!code.isRetryable && !code.isUndecided)
        #expect(code.meaning.contains("does not know"))
        #expect(!VerificationFailure.Code.all.contains(code))
    }

    @Test("the codes are listed in the order of their steps, with internal-error last")
    func order() {
        let codes = VerificationFailure.Code.all
        let steps = codes.dropLast().compactMap { VerificationStep.allCases.firstIndex(of: $0.step) }
        #expect(steps == steps.sorted())
        #expect(codes.last == .internalError)
    }

    @Test("[OTP-8.2] the four error codes have the names of the source documents")
    func errorCodeNames() {
        #expect(
            VerificationErrorCode.allCases.map(\.rawValue)
                == ["INVALID_SIGNATURE", "KEY_NOT_FOUND", "DECODING_ERROR", "UNKNOWN_ERROR"]
        )
    }
}
