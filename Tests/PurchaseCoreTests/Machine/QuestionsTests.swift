import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The owner of the questions to the store as sequences of events: nothing here waits.
@Suite("Questions to the store")
struct QuestionsTests {
    private let now = Sample.at(day: 1)

    private func list(_ transactions: Transaction...) -> ListedPurchases {
        var list = ListedPurchases()
        for transaction in transactions {
            list.add(
                SignedTransaction(jws: "", transactionID: transaction.id, productID: transaction.productID),
                .recorded(transaction, isNew: false))
        }
        return list
    }

    @Test("the answer to an earlier question does not replace the answer to a later one")
    func overtaken() {
        var questions = Questions()
        let (first, second) = (questions.ask(), questions.ask())
        #expect(questions.last == second)
        let counts = [questions.noteAnswer(to: second), questions.noteAnswer(to: first)]
        #expect(counts == [true, false])
        #expect(questions.isOvertaken(first) && !questions.isOvertaken(second))
        let isNext = questions.noteAnswer(to: questions.ask())
        #expect(isNext)
    }

    @Test("a purchase that was recorded after a question was asked is not compared with its answer")
    func compared() throws {
        var questions = Questions()
        let early = try Sample.transaction("1", "template.a")
        let late = try Sample.transaction("2", "template.b")
        questions.noteRecording(of: "1")
        let question = questions.ask()
        questions.noteRecording(of: "2")
        let comparison = questions.comparison(of: [early, late], with: list(), in: question, at: now)
        #expect(comparison.compared.map(\.id) == ["1"] && comparison.missing.map(\.id) == ["1"])
        let later = questions.ask()
        let next = questions.comparison(of: [early, late], with: list(), in: later, at: now)
        #expect(next.missing.map(\.id).sorted() == ["1", "2"])
    }

    @Test("the history is needed for an absence that is not confirmed, or that a restore would confirm")
    func absence() throws {
        var questions = Questions()
        let purchase = try Sample.transaction("1", "template.a")
        let question = questions.ask()
        let comparison = questions.comparison(of: [purchase], with: list(), in: question, at: now)
        let known = AbsentPurchase(transactionID: "1", since: now)
        let confirmed = AbsentPurchase(transactionID: "1", since: now, isConfirmed: true)
        let needs = [
            questions.needHistory(comparison, [], isRestore: false),
            questions.needHistory(comparison, [known], isRestore: false),
            questions.needHistory(comparison, [confirmed], isRestore: false),
            questions.needHistory(comparison, [confirmed], isRestore: true),
        ]
        #expect(needs == [true, true, false, true])
        // A purchase that the history has is in force although the list lacks it.
        let found = questions.comparison(of: [purchase], with: list(), list(purchase), in: question, at: now)
        #expect(found.missing.isEmpty && found.isListed(purchase))
        let listed = questions.comparison(of: [purchase], with: list(purchase), in: question, at: now)
        let needsListed = questions.needHistory(listed, [], isRestore: true)
        #expect(!needsListed)
    }

    @Test("the history is read once for a purchase that another one of the product hides, and again after it is listed")
    func hidden() throws {
        var questions = Questions()
        let own = try Sample.transaction("1", "template.a")
        let shared = try Sample.transaction("2", "template.a") { $0.inAppOwnershipType = .familyShared }
        let question = questions.ask()
        let comparison = questions.comparison(of: [own, shared], with: list(own), in: question, at: now)
        #expect(comparison.hidden.map(\.id) == ["2"] && comparison.missing.isEmpty)
        let both = questions.comparison(of: [own, shared], with: list(own, shared), in: question, at: now)
        var needs = [questions.needHistory(comparison, [], isRestore: false)]
        questions.noteHistory(for: comparison)
        needs += [comparison, both, comparison].map { questions.needHistory($0, [], isRestore: false) }
        #expect(needs == [true, false, false, true])
    }

    @Test("a list that was asked for before a subscription was replaced does not bring it back")
    func replaced() throws {
        var questions = Questions()
        let subscription = try Sample.transaction("1", "pro.monthly")
        let before = questions.ask()
        #expect(!questions.isReplaced(subscription, since: before))
        questions.noteReplacement(of: [subscription], in: questions.last)
        #expect(questions.isReplaced(subscription, since: before))
        let after = questions.ask()
        #expect(!questions.isReplaced(subscription, since: after))
    }
}
