import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The owner of sales as sequences of events: nothing here waits.
@Suite("Sales of a running service")
struct SalesTests {
    private static let anna = AppUser.signedIn(UUIDText("anna"))
    private static let bert = AppUser.signedIn(UUIDText("bert"))

    private func request(_ productID: String = "template.a", by user: AppUser = anna) -> SaleRequest {
        SaleRequest(
            productID: productID, options: PurchaseOptions(), user: user, recordedIDs: [], recordedOriginalIDs: [],
            unrenewedIDs: [], latestSignature: nil, start: Sample.at(0), deadlineMilliseconds: 600_000)
    }

    private func delivery(_ id: String, _ productID: String = "template.a") -> SignedTransaction {
        SignedTransaction(jws: "jws \(id)", transactionID: id, productID: productID)
    }

    @Test("each user awaits a sale of its own, until the wait ends")
    func waits() {
        var sales = Sales()
        let first = sales.begin(request())
        let second = sales.begin(request("coins", by: Self.bert))
        #expect([first.number, second.number] == [1, 2] && sales.count == 2)
        #expect(sales.awaited(by: Self.anna)?.productID == "template.a")
        #expect(sales.awaited(by: Self.bert)?.productID == "coins")
        sales.endWait(for: first)
        #expect(sales.awaited(by: Self.anna) == nil && sales.awaited(by: Self.bert) != nil)
    }

    @Test("a delivered transaction answers the awaited sales of its owner, and the store's own answer does not")
    func delivered() throws {
        var sales = Sales()
        let sale = sales.begin(request())
        let sold = try Sample.transaction("1", "template.a", bought: Sample.at(1_000))
        #expect(sales.sales(answeredBy: sold, from: .update, of: Self.anna.account) == [sale.number])
        #expect(sales.sales(answeredBy: sold, from: .update, of: Self.bert.account).isEmpty)
        #expect(sales.sales(answeredBy: sold, from: .purchase, of: Self.anna.account).isEmpty)
        let other = try Sample.transaction("2", "template.b", bought: Sample.at(1_000))
        #expect(sales.sales(answeredBy: other, from: .update, of: Self.anna.account).isEmpty)
        sales.endWait(for: sale)
        #expect(sales.sales(answeredBy: sold, from: .update, of: Self.anna.account).isEmpty)
    }

    @Test("the first sale that the store answers with a transaction is its buyer's until the answer is processed")
    func answered() {
        var sales = Sales()
        let first = sales.begin(request())
        let second = sales.begin(request(by: Self.bert))
        #expect(sales.buyer(ofTransaction: "1") == nil)
        sales.noteAnswer(.success(.success(delivery("1"))), to: first)
        sales.noteAnswer(.success(.success(delivery("1"))), to: second)
        #expect(sales.buyer(ofTransaction: "1") == Self.anna)
        sales.forgetAnswer(to: second)
        #expect(sales.buyer(ofTransaction: "1") == Self.anna)
        sales.forgetAnswer(to: first)
        #expect(sales.buyer(ofTransaction: "1") == nil)
        sales.noteAnswer(.success(.userCancelled), to: first)
        sales.noteAnswer(.failure(StoreError(.network, "offline")), to: second)
        #expect(sales.buyer(ofTransaction: "1") == nil)
    }

    @Test("a sale that the store has not answered can be delivered after its wait has ended, as one transaction")
    func late() throws {
        var sales = Sales()
        let sale = sales.begin(request())
        let sold = try Sample.transaction("1", "template.a", bought: Sample.at(1_000))
        let twin = try Sample.transaction("2", "template.a", bought: Sample.at(1_000))
        #expect(sales.awaitedSale(of: sold, from: .update, for: Self.anna)?.number == sale.number)
        #expect(sales.lateSale(of: sold, from: .update, for: Self.anna) == nil, "it is awaited")
        sales.endWait(for: sale)
        #expect(sales.awaitedSale(of: sold, from: .update, for: Self.anna) == nil)
        #expect(sales.lateSale(of: sold, from: .update, for: Self.bert)?.user == Self.anna)
        #expect(sales.lateSale(of: sold, from: .purchase, for: Self.anna) == nil)
        sales.take(sold, for: sale)
        #expect(sales.lateSale(of: twin, from: .update, for: Self.anna) == nil)
        #expect(sales.lateSale(of: sold, from: .update, for: Self.anna) != nil)
        sales.noteAnswer(.success(.userCancelled), to: sale)
        #expect(sales.lateSale(of: sold, from: .update, for: Self.anna) == nil)
    }

    @Test("of two sales that can have a transaction, the present user's is taken")
    func preferred() throws {
        var sales = Sales()
        let first = sales.begin(request())
        let second = sales.begin(request(by: Self.bert))
        let sold = try Sample.transaction("1", "template.a", bought: Sample.at(1_000))
        #expect(sales.awaitedSale(of: sold, from: .update, for: Self.bert)?.number == second.number)
        #expect(sales.awaitedSale(of: sold, from: .update, for: .signedOut)?.number == first.number)
        sales.endWait(for: first)
        sales.endWait(for: second)
        #expect(sales.lateSale(of: sold, from: .update, for: Self.bert)?.number == second.number)
        #expect(sales.lateSale(of: sold, from: .update, for: .signedOut)?.number == first.number)
    }

    @Test("a sale is shared with another call until the call that has paid returns")
    func shared() throws {
        var sales = Sales()
        let sold = try Sample.transaction("1", "template.a")
        #expect(!sales.isShared(sold))
        sales.notePurchase(of: delivery("1"))
        #expect(sales.isShared(sold))
        sales.noteReturn(of: delivery("1"))
        #expect(!sales.isShared(sold))
    }
}
