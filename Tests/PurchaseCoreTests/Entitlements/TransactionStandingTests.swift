import ReceiptTypes
import Testing

@testable import PurchaseCore

/// Checks the answer to "is this purchase in force?", which the projection, the service and the trial manager share.
@Suite("Standing of a transaction")
struct TransactionStandingTests {
    private let end = Sample.at(day: 30)
    private let after = Sample.at(day: 31)

    private func monthly(
        _ change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) throws -> PurchaseCore.Transaction {
        try Sample.transaction("1", "pro.monthly", expires: end, change: change)
    }

    private func renewal(_ payload: JWSRenewalInfoDecodedPayload) throws -> RenewalInfo {
        try #require(RenewalInfo(payload))
    }

    @Test("[PSE-12] a subscription is in force until its end, and revoked or upgraded ones are denied")
    func subscription() throws {
        #expect(try monthly().standing(at: end) == .inForce(until: end))
        #expect(try monthly().standing(at: after) == .denied(.expired))
        let both = try monthly {
            $0.isUpgraded = true
            $0.revocationDate = Sample.at(day: 1)
        }
        #expect(both.standing(at: Sample.at(day: 2)) == .denied(.revoked))
        #expect(try monthly { $0.isUpgraded = true }.standing(at: Sample.at(day: 2)) == .denied(.upgraded))
        #expect(try monthly { $0.expiresDate = nil }.standing(at: Sample.at(day: 2)) == .denied(.unknownEnd))
    }

    @Test("[PSE-12] after the end the renewal info decides between grace, billing retry and expiry")
    func renewalInfo() throws {
        let transaction = try monthly()
        let retry = try renewal(Sample.renewal("1", signed: after, retry: true))
        let grace = try renewal(Sample.renewal("1", signed: after, retry: true, grace: Sample.at(day: 46)))
        #expect(transaction.standing(at: after, renewal: retry) == .denied(.billingRetry))
        #expect(transaction.standing(at: after, renewal: grace) == .inGracePeriod(until: Sample.at(day: 46)))
        #expect(transaction.standing(at: end, renewal: grace) == .inForce(until: end), "no effect before the end")
        let on = try renewal(Sample.renewal("1", signed: Sample.at(day: 1)))
        #expect(transaction.standing(at: after, renewal: on) == .denied(.expired), "the store can be reached")
        let offline = transaction.standing(at: after, renewal: on, extraTime: 3 * Sample.day)
        #expect(offline == .inOfflineGrace(until: Sample.at(day: 33)))
    }

    @Test("purchases without an end are in force until they are revoked, and unknown types never")
    func otherKinds() throws {
        for product in ["coins", "template.a", "pro.season"] {
            let transaction = try Sample.transaction("1", product)
            #expect(transaction.standing(at: .maximum) == .inForce(until: nil))
            // Stores do not list consumables.
            #expect(transaction.isCurrentEntitlement(at: .maximum) == (product != "coins"))
            let revoked = try Sample.transaction("1", product) { $0.revocationDate = Sample.at(day: 1) }
            #expect(revoked.standing(at: Sample.at(0)) == .denied(.revoked))
            #expect(!revoked.isCurrentEntitlement(at: Sample.at(0)))
        }
        let unknown = try Sample.transaction("1", "template.a") { $0.type = ProductType(rawValue: "Lottery Ticket") }
        #expect(unknown.standing(at: Sample.at(0)) == .denied(.unknownType))
    }
}
