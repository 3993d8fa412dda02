import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The owner of announcements as sequences of events: nothing here waits.
@Suite("Announcements of a running service")
struct AnnouncementsTests {
    private func kept(_ transaction: Transaction) -> RecordedDelivery {
        RecordedDelivery(
            SignedTransaction(jws: "jws", transactionID: transaction.id, productID: transaction.productID), transaction)
    }

    @Test("a transaction of an earlier run or of another service is news once, and one from a list is none")
    func recorded() throws {
        var announcements = Announcements()
        let transaction = try kept(Sample.transaction("1", "template.a"))
        let other = try kept(Sample.transaction("2", "template.b"))
        let news = [
            announcements.isNews(transaction, isUnfinished: false, from: .entitlement),
            announcements.isNews(transaction, isUnfinished: false, from: .update),
            announcements.isNews(transaction, isUnfinished: true, from: .purchase),
            announcements.isNews(other, isUnfinished: true, from: .history),
        ]
        #expect(news == [false, true, false, true])
    }

    @Test("what this service has recorded is no news, and what is kept for another user becomes news again")
    func keptForOthers() throws {
        var announcements = Announcements()
        let transaction = try Sample.transaction("1", "template.a")
        announcements.note(transaction)
        let isNewsBefore = announcements.isNews(kept(transaction), isUnfinished: true, from: .update)
        announcements.forget(transaction)
        let isNewsAfter = announcements.isNews(kept(transaction), isUnfinished: true, from: .update)
        #expect(!isNewsBefore && isNewsAfter)
    }

    @Test("a renewal info is news if it says more than the transaction, and then if it changes")
    func renewals() throws {
        var announcements = Announcements()
        let period = try Sample.transaction("1", "pro.monthly")
        func info(renews: Bool = true, signed: Int) throws -> RenewalInfo {
            try #require(RenewalInfo(Sample.renewal("1", signed: Sample.at(day: signed), renews: renews)))
        }
        announcements.note(period)
        let news = [
            announcements.isNews(try info(signed: 1), of: period),
            announcements.isNews(try info(renews: false, signed: 2), of: period),
            announcements.isNews(try info(renews: false, signed: 3), of: period),
            announcements.isNews(try info(signed: 4), of: period),
        ]
        #expect(news == [false, true, false, true])
        let other = try Sample.transaction("2", "pro.yearly")
        let unheard = try #require(RenewalInfo(Sample.renewal("2", signed: Sample.at(day: 1))))
        let isUnheard = announcements.isNews(unheard, of: other)
        let isHeard = !announcements.isNews(kept(other), isUnfinished: true, from: .update)
        #expect(isUnheard && isHeard)
    }

    @Test("a conflict is logged once for each user")
    func conflicts() throws {
        var announcements = Announcements()
        let transaction = try Sample.transaction("1", "template.a")
        let conflicts: [RecordConflict] = [.belongsToAnotherAccount, .belongsToAnotherAccount, .differentPurchase]
        let first = conflicts.map { announcements.isNews($0, of: transaction) }
        announcements.changeUser()
        let second = conflicts.map { announcements.isNews($0, of: transaction) }
        #expect(first == [true, false, true] && second == first)
    }
}
