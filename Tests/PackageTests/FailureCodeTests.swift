import PurchaseCore
import ReceiptTypes
import Testing

/// Checks the failure codes of all modules against each other and against the sources that declare them.
@Suite("Failure codes of all modules")
struct FailureCodeTests {
    static let codes = VerificationFailure.Code.all + VerificationFailure.Code.purchaseCodes

    /// The raw values of the codes that a Swift source declares.
    static func declaredNames(in source: String) -> [String] {
        source.matches(of: /static let \w+ = Self\(\s*"([^"]+)",\s*step:/).map { String($0.1) }
    }

    @Test("every code that a source declares is in the list of its module, and no list has another")
    func listsAreComplete() throws {
        let sources = try PackageFiles.files(in: "Sources", ending: [".swift"])
        let declared = sources.flatMap { file in
            // A doc comment can show a declaration as an example.
            Self.declaredNames(in: Self.withoutDocComments(file.text))
        }
        #expect(declared.sorted() == Self.codes.map(\.rawValue).sorted())
        #expect(Set(declared).count == declared.count)
    }

    @Test("no source creates a code from a literal name, which would have no facts")
    func noLiteralNames() throws {
        for file in try PackageFiles.files(in: "Sources", ending: [".swift"]) {
            #expect(!file.text.contains("VerificationFailure.Code(rawValue: \""), "\(file.path)")
        }
    }

    @Test("a declaration is found in a source with any line breaks")
    func selfCheck() {
        let source = """
            public static let one = Self("code-one", step: .claims, meaning: "", hint: "")
            static let two = Self(
                "code-two",
                step: .claims)
            static let other = Self(rawValue: "no-code")
            /// static let example = Self("example", step: .claims)
            """
        #expect(Self.declaredNames(in: Self.withoutDocComments(source)) == ["code-one", "code-two"])
    }

    @Test("a code has a meaning and a hint that name no flag and no command", arguments: codes)
    func sentences(code: VerificationFailure.Code) {
        #expect(code.isKnown)
        #expect(code.meaning.first?.isUppercase == true && code.meaning.count > 15)
        #expect(code.hint.first?.isLowercase == true, "\(code.hint)")
        #expect(code.hint.count > 10)
        for sentence in [code.meaning, code.hint] {
            #expect(!sentence.hasSuffix("."))
            #expect(!sentence.contains("--") && !sentence.contains("`"), "\(sentence)")
            // The words that no file may contain are checked over the complete sources.
            let avoided = /\b(?i:judge[ds]?|judgement|whatever|whole|meanwhile|bears|beneath)\b/
            #expect(sentence.firstMatch(of: avoided) == nil, "\(sentence)")
        }
    }

    @Test("a code is found by its name with the facts of its declaration", arguments: codes)
    func lookUp(code: VerificationFailure.Code) {
        let found = VerificationFailure.Code(rawValue: code.rawValue, among: VerificationFailure.Code.purchaseCodes)
        #expect(found.isKnown)
        #expect(found.meaning == code.meaning)
        #expect(VerificationFailure(code: found).explanation == code.meaning)
    }

    @Test("no two codes have the same meaning")
    func meaningsDiffer() {
        #expect(Set(Self.codes.map(\.meaning)).count == Self.codes.count)
    }

    @Test("of the purchase core's codes, few are retryable, and only a missing verdict or answer is undecided")
    func purchaseCodes() {
        let final = [
            "store-objection", "transaction-incomplete", "renewal-info-incomplete", "account-mismatch",
            "transaction-conflict", "receipt-binding-unchecked", "platform-version-differs",
        ]
        let retryable = [
            "platform-verdict-missing", "play-product-unknown", "verification-timed-out", "reason-unknown",
        ]
        let codes = VerificationFailure.Code.purchaseCodes
        #expect(codes.map(\.rawValue) == final + retryable)
        #expect(codes.filter { !$0.isRetryable }.map(\.rawValue) == final)
        let undecided = ["platform-version-differs", "platform-verdict-missing", "verification-timed-out"]
        #expect(codes.filter(\.isUndecided).map(\.rawValue) == undecided)
    }

    private static func withoutDocComments(_ source: String) -> String {
        source.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("///") }.joined(separator: "\n")
    }
}
