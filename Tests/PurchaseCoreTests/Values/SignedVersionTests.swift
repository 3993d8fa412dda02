import PurchaseCore
import ReceiptTypes
import Testing

/// Which of the versions that a store has signed a call to finish a transaction is for.
@Suite("Versions of a signed transaction")
struct SignedVersionTests {
    @Test("two signatures of the same facts are one version, and a refund or another transaction is another one")
    func versions() {
        let bought = SignedTransaction(unsigned: Sample.payload("1", "coins"))
        let again = SignedTransaction(unsigned: Sample.payload("1", "coins", signed: Sample.at(1)))
        let refunded = SignedTransaction(
            unsigned: Sample.payload("1", "coins", signed: Sample.at(2)) { $0.revocationDate = Sample.at(2) })
        let other = SignedTransaction(unsigned: Sample.payload("2", "coins"))
        #expect(bought.isSameVersion(as: bought) && bought.isSameVersion(as: again))
        #expect(!bought.isSameVersion(as: refunded) && !refunded.isSameVersion(as: again))
        #expect(!bought.isSameVersion(as: other))
        #expect(again.statedSigningDate == Sample.at(1))
    }

    @Test("a text that cannot be decoded is the same version only as itself, and states no date")
    func undecodable() {
        let text = SignedTransaction(jws: "text", transactionID: "1", productID: "coins")
        #expect(text.isSameVersion(as: text) && text.statedSigningDate == nil)
        #expect(!text.isSameVersion(as: SignedTransaction(unsigned: Sample.payload("1", "coins"))))
        let sameText = SignedTransaction(jws: "text", transactionID: "2", productID: "coins")
        #expect(!text.isSameVersion(as: sameText))
    }
}
