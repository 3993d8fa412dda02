import Foundation
import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Errors of the parts of the purchase side")
struct PartErrorTests {
    @Test("An error has the name of its part in a log")
    func names() {
        #expect(StoreError.name == "StoreError")
        #expect(LedgerError.name == "LedgerError")
        #expect(DatabaseError.name == "DatabaseError")
        #expect(SyncError.name == "SyncError")
        #expect(RateLimitError.name == "RateLimitError")
        #expect(RecoveryLockError.name == "RecoveryLockError")
        #expect(PurchaseFlowError.name == "PurchaseFlowError")
        let error = DatabaseError(.busy, "m", underlying: LedgerError(.timedOut, "n"))
        let expected = ["error": "DatabaseError", "code": "busy", "cause": "LedgerError timed-out"]
        #expect(PurchaseLogEvent.fields(of: error) == expected)
    }

    @Test("A catch tells the parts apart, and equality compares the codes")
    func parts() {
        let error: any Error = StoreError(.timedOut, "m")
        #expect(error is StoreError && !(error is LedgerError) && !(error is SyncError))
        #expect(StoreError(.timedOut, "m") == StoreError(.timedOut, "n", underlying: error))
        #expect(StoreError(.timedOut, "m") != StoreError(.network, "m"))
    }

    @Test("The text of the system is the message, and the store's codes have a sentence for the customer")
    func localized() {
        #expect(DatabaseError(.busy, "m").localizedDescription == "m")
        #expect(DatabaseError(.busy, "m").recoverySuggestion == nil)
        #expect(StoreError(.invalidQuantity, "m").recoverySuggestion == "Choose another quantity.")
    }
}
