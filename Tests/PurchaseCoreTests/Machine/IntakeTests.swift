import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The owner of verified texts as sequences of events: nothing here waits.
@Suite("Intake of a running service")
struct IntakeTests {
    private static let anna = UUIDText("anna")

    private func delivery(_ id: String, _ jws: String? = nil) -> SignedTransaction {
        SignedTransaction(jws: jws ?? "jws \(id)", transactionID: id, productID: "template.a")
    }

    private func entry(_ delivery: SignedTransaction, of account: UUIDText? = nil) -> LedgerEntry {
        LedgerEntry(
            transaction: delivery, source: .update, observedAt: Sample.at(0), stage: .verified, account: account)
    }

    private func row(_ delivery: SignedTransaction, of account: UUIDText? = nil) throws -> DeliveryRow {
        var row = DeliveryRow(delivery, TextDigest([1]), from: .entitlement, at: Sample.at(0))
        row.account = account
        return row
    }

    @Test("a verified text is kept until the ledger has replaced it")
    func verified() throws {
        var intake = Intake()
        let transaction = try Sample.transaction("1", "template.a")
        intake.keep(transaction, of: "first")
        intake.keep(transaction, of: "second")
        #expect(intake.transaction(of: "first") == transaction && intake.transaction(of: "third") == nil)
        intake.dropTransactions(notIn: [entry(delivery("1", "second")), entry(delivery("2"))])
        #expect(intake.transaction(of: "first") != nil, "nothing is dropped while there are as many entries")
        intake.dropTransactions(notIn: [entry(delivery("1", "second"))])
        #expect(intake.transaction(of: "first") == nil && intake.transaction(of: "second") == transaction)
        let info = try #require(RenewalInfo(Sample.renewal("1", signed: Sample.at(day: 1))))
        intake.keep(info, of: "old")
        intake.keep(info, of: "new")
        intake.dropRenewals(notIn: ["new"])
        #expect(intake.renewal(of: "old") == nil && intake.renewal(of: "new") == info)
    }

    @Test("while no account is signed in, only what names none and waits to be finished is written")
    func signedOut() throws {
        let delivery = delivery("1")
        let free = try Sample.transaction("1", "template.a")
        let bound = try Sample.transaction("1", "template.a") { $0.appAccountToken = Self.anna }
        func mayWrite(_ source: DeliverySource, _ result: VerificationResult<Transaction>?, _ user: AppUser) -> Bool {
            Intake.mayWrite(delivery, from: source, result, by: user)
        }
        #expect(mayWrite(.entitlement, .verified(bound), .signedIn(Self.anna)))
        #expect(mayWrite(.entitlement, .verified(bound), .noAccounts))
        #expect(mayWrite(.update, .verified(free), .signedOut))
        #expect(!mayWrite(.update, .verified(bound), .signedOut))
        #expect(!mayWrite(.entitlement, .verified(free), .signedOut))
        #expect(mayWrite(.update, nil, .signedOut), "its text names no account")
    }

    @Test("what is not written counts for the account that it names, until it is processed again")
    func unwritten() throws {
        var intake = Intake()
        let transaction = try Sample.transaction("1", "template.a") { $0.appAccountToken = Self.anna }
        intake.keepUnwritten(entry(delivery("1"), of: Self.anna), transaction)
        #expect(intake.unwrittenEntries.count == 1)
        #expect(intake.unwrittenEntries(of: .signedIn(Self.anna)).count == 1)
        #expect(intake.unwrittenEntries(of: .signedIn(UUIDText("bert"))).isEmpty)
        #expect(intake.unwrittenEntries(of: .signedOut).isEmpty)
        #expect(!intake.isUnchanged(transaction, try row(delivery("1"), of: Self.anna), for: .signedIn(Self.anna)))
        intake.forgetUnwritten(transaction)
        #expect(intake.unwrittenEntries.isEmpty)
        #expect(intake.isUnchanged(transaction, try row(delivery("1"), of: Self.anna), for: .signedIn(Self.anna)))
        let info = try #require(RenewalInfo(Sample.renewal("1", signed: Sample.at(day: 1))))
        intake.keepUnwritten(info, "jws")
        #expect(intake.unwrittenRenewalInfos == ["jws"])
        intake.forgetUnwritten(info)
        #expect(intake.unwrittenRenewalInfos.isEmpty)
    }

    @Test("a known delivery without an account is unchanged only if no other account's app receipt has it")
    func receipts() throws {
        var intake = Intake()
        let transaction = try Sample.transaction("1", "template.a")
        let row = try row(delivery("1"), of: Self.anna)
        let user = AppUser.signedIn(Self.anna)
        #expect(!intake.isUnchanged(transaction, row, for: user), "the receipts are not known")
        intake.noteReceiptAccounts([:])
        #expect(intake.knowsReceiptAccounts && intake.isUnchanged(transaction, row, for: user))
        intake.noteReceiptAccounts([ExactString("1"): UUIDText("bert")])
        #expect(!intake.isUnchanged(transaction, row, for: user))
        #expect(intake.receiptAccount(of: transaction) == UUIDText("bert"))
        #expect(intake.isUnchanged(transaction, try self.row(delivery("1")), for: .noAccounts))
        #expect(!intake.isUnchanged(transaction, try self.row(delivery("1")), for: user), "the row has no owner")
    }

    @Test("the ledger is compacted once, and again after a hundred unverified deliveries or a failure")
    func compaction() throws {
        var intake = Intake()
        intake.noteUnverified()
        let first = intake.beginCompaction()
        let second = intake.beginCompaction()
        #expect(first != nil && second == nil)
        intake.undo(try #require(first))
        let third = intake.beginCompaction()
        #expect(third != nil)
        for _ in 1..<Intake.compactionInterval { intake.noteUnverified() }
        let early = intake.beginCompaction()
        intake.noteUnverified()
        let due = intake.beginCompaction()
        #expect(early == nil && due != nil)
    }
}
