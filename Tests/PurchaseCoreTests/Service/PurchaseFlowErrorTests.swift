public import Foundation
public import PurchaseCore
import ReceiptTypes
import Testing
import TranscriptSupport

#if canImport(FoundationEssentials)
    // The package declares the same conformance where Foundation is one module.
    extension PurchaseFlowError: CustomNSError {}
#endif

@Suite("Errors of a purchase")
struct PurchaseFlowErrorTests {
    @Test("two errors are equal only if their codes and the codes of their causes are equal")
    func equality() {
        struct Refused: Error {}
        let errors: [PurchaseFlowError] = [
            .unknown, .purchasesDisabled,
            .storeKitError(StoreError(.network, "a")), .storeKitError(StoreError(.system, "a")),
            .storeKitError(LedgerError(.notWritten, "a")), .storeKitError(Refused()),
            .unverified(VerificationFailure(code: .signatureInvalid)),
            .unverified(VerificationFailure(code: .accountMismatch)),
        ]
        #expect(Set(errors).count == errors.count)
        #expect(errors[2] == .storeKitError(StoreError(.network, "another message")))
        #expect(PurchaseFlowError(.conflict, "a") == PurchaseFlowError(.conflict, "b"))
        #expect(PurchaseFlowError(.storeKitError, "a") != .storeKitError(StoreError(.network, "a")))
        #expect(errors[6].verificationFailure?.code == .signatureInvalid)
        #expect(errors[2].verificationFailure == nil)
    }

    @Test("the localized description of each error is its message")
    func localized() {
        let errors: [any Error] = [
            PurchaseFlowError(.conflict, "the message"), StoreError(.network, "the message"),
            LedgerError(.notWritten, "the message"),
        ]
        for error in errors { #expect(error.localizedDescription == "the message") }
        let failure = VerificationFailure(code: .accountMismatch)
        let error = PurchaseFlowError.unverified(failure)
        #expect(error.failureReason == failure.description)
        #expect(error.recoverySuggestion == failure.hint)
        #expect(PurchaseFlowError.unknown.failureReason == nil)
    }

    @Test("an error as an NSError has its domain, its code, its message and its cause")
    func bridged() {
        let cause = StoreError(.network, "down")
        let error = PurchaseFlowError.storeKitError(cause)
        #expect((error as any CustomNSError).errorUserInfo["code"] as? String == "store-kit-error")
        #expect(error.errorUserInfo[NSLocalizedDescriptionKey] as? String == "down")
        #expect(error.errorUserInfo[NSUnderlyingErrorKey] as? StoreError == cause)
        #expect(PurchaseFlowError.unknown.errorUserInfo[NSUnderlyingErrorKey] == nil)
        #expect(PurchaseFlowError.errorDomain == "PurchaseFlowError")
    }

    @Test("each code has a place of its own in the list of codes, and the file that declares them names no other")
    func codes() throws {
        let codes = PurchaseFlowError.Code.all.map(\.rawValue)
        #expect(Set(codes).count == codes.count)
        let source = try PackageFolder.swiftFiles(in: "Sources/PurchaseCore/Errors")
            .first { $0.path.hasSuffix("PurchaseFlowError.swift") }
        let declared = try #require(source).text.matches(of: /static let \w+ = Self\(rawValue: "([^"]+)"\)/)
        #expect(declared.map { String($0.1) }.sorted() == codes.sorted())
    }

    @Test("an error says whether a retry can succeed, why the store failed, and what the customer can do")
    func customers() {
        let offline = PurchaseFlowError.storeKitError(StoreError(.network, "down"))
        #expect(offline.isRetryable && offline.storeError?.code == .network)
        #expect(offline.recoverySuggestion == "Check the connection to the internet, then try again.")
        #expect(!PurchaseFlowError.storeKitError(StoreError(.productUnavailable, "")).isRetryable)
        #expect(PurchaseFlowError(.purchaseInProgress, "").isRetryable)
        #expect(PurchaseFlowError.unverified(VerificationFailure(code: .noTrustAnchor)).isRetryable)
        #expect(!PurchaseFlowError.unverified(VerificationFailure(code: .signatureInvalid)).isRetryable)
        #expect(!PurchaseFlowError(.signedOut, "").isRetryable)
        let told: [PurchaseFlowError.Code] = [
            .signedOut, .purchaseInProgress, .purchasesDisabled, .ownedByAnotherUser, .conflict, .revoked,
            .ledgerUnavailable,
        ]
        for code in told { #expect(PurchaseFlowError(code, "").recoverySuggestion?.isEmpty == false, "\(code)") }
    }
}
