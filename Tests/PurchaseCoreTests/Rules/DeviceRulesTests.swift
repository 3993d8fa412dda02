import ReceiptTypes
import Testing

@testable import PurchaseCore

/// Which device of a customer hands an unfinished consumable over.
@Suite("Rules of devices")
struct DeviceRulesTests {
    private static let hour: Int64 = 3_600_000

    /// Returns whether a purchase of minute 0 is left to the device that began its sale.
    private func isLeft(
        of productID: String = "coins", from source: DeliverySource = .update, signed: Int64 = 0,
        isRecorded: Bool = false, _ memory: LedgerMemory = LedgerMemory(), now: Int64 = 0,
        change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) throws -> Bool {
        try Sample.transaction("1", productID, bought: Sample.at(0), signed: Sample.at(signed), change: change)
            .isLeftToOtherDevice(from: source, isRecorded: isRecorded, memory, at: Sample.at(now))
    }

    private func begun(
        _ productID: String = "coins", since: Int64 = 0, latestSignature: Int64? = nil, account: UUIDText? = nil
    ) -> LedgerMemory {
        LedgerMemory(begun: [
            BegunSale(
                productID: productID, since: Sample.at(since), latestSignature: latestSignature.map { Sample.at($0) },
                account: account)
        ])
    }

    @Test("an unfinished consumable that was not begun here is left to the other device, however it arrives")
    func left() throws {
        for source: DeliverySource in [.update, .unfinished, .history] { #expect(try isLeft(from: source)) }
        for source: DeliverySource in [.purchase, .entitlement, .appReceipt] { #expect(try !isLeft(from: source)) }
    }

    @Test("what is no consumable, is recorded, refunded or shared by the family is never left")
    func neverLeft() throws {
        #expect(try !isLeft(of: "template.a"))
        #expect(try !isLeft(of: "pro.monthly"))
        #expect(try !isLeft(isRecorded: true))
        #expect(try !isLeft { $0.revocationDate = Sample.at(0) })
        #expect(try !isLeft { $0.inAppOwnershipType = .familyShared })
    }

    @Test("an hour after the purchase by any signature of the store, any device may hand it over")
    func signatures() throws {
        #expect(try isLeft(signed: Self.hour - 1))
        #expect(try !isLeft(signed: Self.hour))
        let known = LedgerMemory(clock: ClockMarks(signed: Sample.at(Self.hour)))
        #expect(try !isLeft(known))
    }

    @Test("the device's own clock counts only a day later")
    func clock() throws {
        #expect(try isLeft(now: Self.hour + Sample.day - 1))
        #expect(try !isLeft(now: Self.hour + Sample.day))
        #expect(try isLeft(now: -400 * Sample.day))
    }

    @Test("a begun sale of the product and the account, from about the same time, is this device's")
    func begunSales() throws {
        let (anna, bert) = (Account.anna, Account.bert)
        #expect(try !isLeft(begun()))
        #expect(try isLeft(begun("gems")))
        #expect(try !isLeft(begun(since: Sample.day)))
        #expect(try isLeft(begun(since: Sample.day + 1)))
        #expect(try isLeft(begun(since: -Sample.day)))
        #expect(try !isLeft(begun(since: 400 * Sample.day, latestSignature: 0)), "by a clock that is ahead")
        #expect(try isLeft(begun(latestSignature: 1)), "bought before the sale began")
        #expect(try !isLeft(begun(account: anna)) { $0.appAccountToken = anna })
        #expect(try isLeft(begun(account: bert)) { $0.appAccountToken = anna })
    }

    @Test("a purchase that awaits an approval on this device is this device's")
    func pending() throws {
        #expect(try !isLeft(LedgerMemory(pending: [PendingPurchase(productID: "coins", since: Sample.at(0))])))
        #expect(try isLeft(LedgerMemory(pending: [PendingPurchase(productID: "gems", since: Sample.at(0))])))
    }

    @Test("a recorded transaction ends one begun sale, and the answer of the store ends those of its buyer")
    func ended() throws {
        var memory = LedgerMemory()
        memory.begin("coins", of: nil, byClock: Sample.at(0))
        memory.begin("gems", of: nil, byClock: Sample.at(1))
        memory.begin("coins", of: nil, byClock: Sample.at(2))
        #expect(memory.begun.map(\.since) == [Sample.at(1), Sample.at(2)], "a product has one note")
        let coins = try Sample.transaction("1", "coins", bought: Sample.at(0))
        memory.removeBegun(answeredBy: coins, from: .update, of: nil)
        #expect(memory.begun.map(\.productID) == ["gems"])
        memory.removeBegun(answeredBy: coins, from: .purchase, of: nil)
        #expect(memory.begun.isEmpty)
        memory.begin("coins", of: nil, byClock: Sample.at(0))
        memory.begin("gems", of: nil, byClock: Sample.at(day: 2))
        #expect(memory.begun.map(\.productID) == ["gems"], "an old note is forgotten with the next one")
    }
}
