import ReceiptTypes
import Testing
import TranscriptSupport

@testable import PurchaseCore

@Suite("Classes of errors")
struct PurchaseErrorTests {
    /// One error for each code that the package declares.
    static func allErrors() throws -> [any Error] {
        let store = try declaredCodes("StoreError", "Store").map { StoreError(.init(rawValue: $0), "m") }
        let flow = try declaredCodes("PurchaseFlowError", "Errors").map { PurchaseFlowError(.init(rawValue: $0), "m") }
        let ledger = try declaredCodes("LedgerError", "Ledger").map { LedgerError(.init(rawValue: $0), "m") }
        let database = DatabaseError.Code.all.map { DatabaseError($0, "m") }
        let failures = (VerificationFailure.Code.all + VerificationFailure.Code.purchaseCodes).map {
            VerificationFailure(code: $0)
        }
        return store + flow + ledger + database + failures + failures.map { PurchaseFlowError.unverified($0) }
            + store.map { PurchaseFlowError.storeKitError($0) }
    }

    /// The raw values of the codes that a source file declares.
    private static func declaredCodes(_ type: String, _ folder: String) throws -> [String] {
        let file = try PackageFolder.swiftFiles(in: "Sources/PurchaseCore/\(folder)").first {
            $0.path.hasSuffix("/\(type).swift")
        }
        let codes = try #require(file).text.matches(of: /static let \w+ = Self\(rawValue: "([^"]+)"\)/)
        try #require(codes.count >= 5)
        return codes.map { String($0.1) }
    }

    @Test("[OTP-8.2] the table has every code that the package declares, and no other")
    func complete() throws {
        #expect(Set(ErrorTable.store.keys.map(\.rawValue)) == Set(try Self.declaredCodes("StoreError", "Store")))
        #expect(
            Set(ErrorTable.flow.keys.map(\.rawValue)) == Set(try Self.declaredCodes("PurchaseFlowError", "Errors")))
        #expect(Set(ErrorTable.ledger.keys.map(\.rawValue)) == Set(try Self.declaredCodes("LedgerError", "Ledger")))
        let failures = VerificationFailure.Code.all + VerificationFailure.Code.purchaseCodes
        #expect(Set(ErrorTable.verification.keys) == Set(failures))
    }

    @Test("[OTP-8.2] the names are those of the source document, each with its retryable")
    func names() {
        #expect(
            PurchaseError.Code.all.map(\.rawValue) == [
                "NETWORK_ERROR", "STORE_PROBLEM_ERROR", "PURCHASE_CANCELLED", "PURCHASE_INVALID",
                "PRODUCT_UNAVAILABLE", "UNKNOWN_ERROR",
            ])
        #expect(PurchaseError.Reason.all.map(\.rawValue) == ["not_signed", "wrong_bundle", "revoked"])
        let flow = Dictionary(
            PurchaseFlowCode.all.map { ($0.rawValue, $0.isRetryable) }, uniquingKeysWith: { first, _ in first })
        #expect(
            flow == [
                "CANCELLED": false, "NETWORK_ERROR": true, "VERIFICATION_FAILED": false, "DB_ERROR": true,
                "UNKNOWN_ERROR": false,
            ])
        #expect(
            Set(VerificationErrorCode.allCases.map(\.rawValue))
                == ["INVALID_SIGNATURE", "KEY_NOT_FOUND", "DECODING_ERROR", "UNKNOWN_ERROR"])
    }

    @Test("[OTP-8.2] every error of the package has one of the documented classes, and a reason if it is invalid")
    func classes() throws {
        for error in try Self.allErrors() {
            let converted = PurchaseError(error)
            #expect(PurchaseError.Code.all.contains(converted.code), "\(error)")
            #expect(PurchaseFlowCode.all.contains(converted.flowCode), "\(error)")
            #expect((converted.reason != nil) == (converted.code == .purchaseInvalid), "\(error)")
            #expect(converted.reason.map(PurchaseError.Reason.all.contains) ?? true, "\(error)")
            switch converted.code {
            case .networkError, .storeProblem: #expect(converted.isRetryable, "\(error)")
            case .purchaseCancelled, .purchaseInvalid, .productUnavailable: #expect(!converted.isRetryable, "\(error)")
            default: break
            }
            // A screen that goes by the five classes alone must not ask for a second payment.
            if converted.flowCode.isRetryable { #expect(converted.isRetryable, "\(error)") }
        }
    }

    @Test(
        "[OTP-8.2] an error gets the class that the source document gives its cause",
        arguments: [
            (StoreError(.network, "") as any Error, "NETWORK_ERROR", "NETWORK_ERROR", nil as String?),
            (StoreError(.system, ""), "STORE_PROBLEM_ERROR", "NETWORK_ERROR", nil),
            (StoreError(.timedOut, ""), "STORE_PROBLEM_ERROR", "NETWORK_ERROR", nil),
            (StoreError(.userCancelled, ""), "PURCHASE_CANCELLED", "CANCELLED", nil),
            (CancellationError(), "PURCHASE_CANCELLED", "CANCELLED", nil),
            (StoreError(.productUnavailable, ""), "PRODUCT_UNAVAILABLE", "UNKNOWN_ERROR", nil),
            (StoreError(.init(rawValue: "new"), ""), "UNKNOWN_ERROR", "UNKNOWN_ERROR", nil),
            (LedgerError(.notWritten, ""), "UNKNOWN_ERROR", "DB_ERROR", nil),
            (DatabaseError(.busy, ""), "UNKNOWN_ERROR", "DB_ERROR", nil),
            (PurchaseFlowError.storeKitError(StoreError(.network, "")), "NETWORK_ERROR", "NETWORK_ERROR", nil),
            (PurchaseFlowError(.ledgerUnavailable, ""), "UNKNOWN_ERROR", "DB_ERROR", nil),
            (PurchaseFlowError(.notRecorded, ""), "UNKNOWN_ERROR", "UNKNOWN_ERROR", nil),
            (PurchaseFlowError(.revoked, ""), "PURCHASE_INVALID", "VERIFICATION_FAILED", "revoked"),
            (VerificationFailure(code: .signatureInvalid), "PURCHASE_INVALID", "VERIFICATION_FAILED", "not_signed"),
            (VerificationFailure(code: .bundleIDMismatch), "PURCHASE_INVALID", "VERIFICATION_FAILED", "wrong_bundle"),
            (VerificationFailure(code: .purchaseRevoked), "PURCHASE_INVALID", "VERIFICATION_FAILED", "revoked"),
            (VerificationFailure(code: .keyNotFound), "UNKNOWN_ERROR", "VERIFICATION_FAILED", nil),
        ])
    func mapping(error: any Error, code: String, flow: String, reason: String?) {
        let converted = PurchaseError(error)
        #expect(converted.code.rawValue == code)
        #expect(converted.flowCode.rawValue == flow)
        #expect(converted.reason?.rawValue == reason)
    }

    @Test("what a verification has not decided is never called invalid, and what it has decided is never to be retried")
    func undecided() {
        for code in VerificationFailure.Code.all + VerificationFailure.Code.purchaseCodes {
            let error = PurchaseError(VerificationFailure(code: code))
            if code.isUndecided || code.isRetryable { #expect(error.code == .unknownError, "\(code)") }
            let isForged = code.errorCode == .invalidSignature && !code.isRetryable
            if isForged { #expect(error.code == .purchaseInvalid, "\(code)") }
            #expect(!error.isRetryable && error.flowCode == .verificationFailed, "a retry would buy again: \(code)")
            #expect(error.verificationCode == code.errorCode)
            #expect(PurchaseError(PurchaseFlowError.unverified(.init(code: code))).verificationCode == code.errorCode)
        }
        let foreign = VerificationFailure.Code(
            "voucher-expired", step: .claims, errorCode: .unknownError, meaning: "The voucher has expired", hint: "ask")
        #expect(PurchaseError(VerificationFailure(code: foreign)).code == .purchaseInvalid)
        #expect(PurchaseError(StoreError(.network, "")).verificationCode == nil)
    }

    @Test("an error whose cause has a class has that class, such as a contradiction of facts")
    func causes() {
        let facts = PurchaseFlowError(.conflict, "", underlying: VerificationFailure(code: .transactionConflict))
        #expect(PurchaseError(facts).messageKey == .unconfirmed)
        #expect(PurchaseError(PurchaseFlowError(.conflict, "")).messageKey == .otherAccount)
        let own = PurchaseError(.networkError, "the app's server does not answer")
        let outcome = PurchaseResultMapping.outcome(of: .failed(own))
        guard case .failed(let error) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(PurchaseError(error).code == .networkError && PurchaseError(error).isRetryable)
    }

    @Test("[OTP-2.4] a purchase that the service did not start, and one that has ended before, have cost nothing")
    func uncharged() {
        for code in [PurchaseFlowError.Code.ledgerUnavailable, .notInForce] {
            let sale = PurchaseReport.Sale(.failed(PurchaseFlowError(code, "")))
            #expect(sale == .notSold, "\(code)")
        }
        #expect(PurchaseReport.Sale(.failed(.storeKitError(StoreError(.network, "")))) == .undecided)
    }

    private struct BillingResponse: NativeStoreError {
        let nativeErrorCode: Int
    }

    @Test("[OTP-8.5] an error carries the platform, the store's own number, the product and the reason")
    func details() {
        let store = StoreError(.system, "billing", underlying: BillingResponse(nativeErrorCode: 6))
        let error = PurchaseError(PurchaseFlowError.storeKitError(store), platform: .android, productID: "pro")
        #expect(error.platform?.rawValue == "android")
        #expect(error.nativeErrorCode == 6)
        #expect(error.productID == "pro")
        #expect(error.message == "billing")
        #expect((error.underlying as? PurchaseFlowError)?.storeError?.code == .system)
        #expect(PurchaseError(StoreError(.system, "")).nativeErrorCode == nil)
        struct Other: Error {}
        #expect(PurchaseError(Other()).code == .unknownError)
    }

    @Test("an error that is converted again stays the same, and gets only what it lacks")
    func again() {
        let first = PurchaseError(VerificationFailure(code: .bundleIDMismatch), platform: .ios)
        let second = PurchaseError(first, platform: .android, productID: "pro")
        #expect(second.code == first.code && second.reason == .wrongBundle && second.messageKey == first.messageKey)
        #expect(second.platform == .ios)
        #expect(second.productID == "pro")
        #expect(second.underlying is VerificationFailure)
        #expect(!second.isRetryable && second.flowCode == .verificationFailed)
    }

    @Test("an error that an app creates has the facts of its class, and a reason only if it is invalid")
    func created() {
        for code in PurchaseError.Code.all + [PurchaseError.Code(rawValue: "OTHER")] {
            let error = PurchaseError(code, "m", platform: .revenueCat, nativeErrorCode: 7, productID: "p")
            #expect(error.code == code)
            #expect(error.isRetryable == [.networkError, .storeProblem].contains(code))
            #expect(error.reason == (code == .purchaseInvalid ? .notSigned : nil))
            #expect(error.platform == .revenueCat && error.nativeErrorCode == 7 && error.productID == "p")
        }
        let bundle = PurchaseError(.purchaseInvalid, "m", reason: .wrongBundle)
        #expect(bundle.reason == .wrongBundle && bundle.flowCode == .verificationFailed)
        #expect(PurchaseError(.purchaseInvalid, "m", reason: .revoked).messageKey == .revoked)
    }

    /// An error that is its own cause.
    private struct Endless: CodedError {
        struct Code: ErrorCode { let rawValue: String }
        var code: Code { Code(rawValue: "endless") }
        var message: String { "endless" }
        var underlying: (any Error)? { self }
    }

    @Test("an endless chain of causes ends")
    func endless() {
        #expect(PurchaseError(Endless()).nativeErrorCode == nil)
    }
}
