@testable import PurchaseCore
@testable import ReceiptTypes

/// A fault that is planted between the product and what surrounds it, to show that an exploration finds such faults.
///
/// The product is not changed: the faults are in the rows that its rules see, and in the outcomes that its machine
/// gets.
enum Fault: String, CaseIterable {
    case claimGrantedTwice = "claim-granted-twice"
    case grantWithoutClaim = "grant-without-claim"
    case finishBeforeRecord = "finish-before-record"
    case releaseForgetsUnanswered = "release-forgets-unanswered"
    case releasedClaimHolds = "released-claim-holds"
    case carriedOutOrderFails = "carried-out-order-fails"
    case refundIgnored = "refund-ignored"
    case verifiedIsFinished = "verified-is-finished"
    case handedOverIgnored = "handed-over-ignored"
    case expiredClaimHolds = "expired-claim-holds"
    case otherUserGetsPurchase = "other-user-gets-purchase"
    case redeliveryStartsAgain = "redelivery-starts-again"
    case releaseEndsOtherClaim = "release-ends-other-claim"
    case takeOverForgetsUnanswered = "take-over-forgets-unanswered"
    case reversalIgnored = "reversal-ignored"
    case unverifiedIsRecorded = "unverified-is-recorded"
    case claimDatedWhenAsked = "claim-dated-when-asked"

    /// Whether the fault takes longer to find than all others together.
    var isLong: Bool { self == .releaseForgetsUnanswered || self == .takeOverForgetsUnanswered }

    /// What is wrong.
    var summary: String {
        switch self {
        case .claimGrantedTwice: "a purchase can be claimed although another claim of it is in force"
        case .grantWithoutClaim: "a hand-over is noted by a service that has lost its claim"
        case .finishBeforeRecord: "a delivery is finished as soon as it arrives"
        case .releaseForgetsUnanswered: "a release forgets that an earlier claim is unanswered"
        case .releasedClaimHolds: "a released claim still excludes others"
        case .carriedOutOrderFails: "an order that was carried out counts as failed"
        case .refundIgnored: "a refund is not among the versions that decide what is handed over"
        case .verifiedIsFinished: "a delivery is finished that is only verified, for another user"
        case .handedOverIgnored: "what was handed over before is not read"
        case .expiredClaimHolds: "a claim whose time is over still excludes others"
        case .otherUserGetsPurchase: "a purchase of another account is recorded for the present user"
        case .redeliveryStartsAgain: "a delivery that was signed again loses its stage"
        case .releaseEndsOtherClaim: "a release ends the claim of another service"
        case .takeOverForgetsUnanswered: "a claim that follows an unanswered one does not say so"
        case .reversalIgnored: "a reversed refund does not go back to be recorded and granted again"
        case .unverifiedIsRecorded: "a delivery is recorded without its verified transaction"
        case .claimDatedWhenAsked: "a claim has the time at which it was asked for, not that at which it is made"
        }
    }

    /// Performs a transaction over rows, with a fault or without.
    static func perform(
        _ request: LedgerRequest, on rows: inout ValueRows, hasFulfiller: Bool, _ fault: Fault?
    ) throws(LedgerError) -> Outcome {
        guard let fault else { return try rows.perform(request, hasFulfiller: hasFulfiller) }
        if fault == .claimDatedWhenAsked, case .lateStep = request {
            return try rows.perform(request, hasFulfiller: hasFulfiller, at: FulfilmentClaim.agedStart)
        }
        var faulty = FaultyRows(base: rows, fault: fault, request: request)
        let outcome: Outcome
        if fault == .otherUserGetsPurchase, case .keep(let sample) = request {
            outcome = try faulty.record(sample, for: Sample.other, hasFulfiller: hasFulfiller)
        } else {
            outcome = try faulty.perform(request, hasFulfiller: hasFulfiller)
        }
        rows = faulty.base
        return fault.changed(outcome, of: request)
    }

    /// What the machine is told of an order that was carried out.
    var orderOutcome: Outcome { self == .carriedOutOrderFails ? .notFulfilled : .done }

    /// Whether a service finishes what it receives at once.
    func finishes(isOwned: Bool) -> Bool {
        self == .finishBeforeRecord || self == .verifiedIsFinished && !isOwned
    }

    private func changed(_ outcome: Outcome, of request: LedgerRequest) -> Outcome {
        guard case .read(let purchase) = outcome else { return outcome }
        switch self {
        case .refundIgnored:
            let versions = purchase.versions.filter { !($0.transaction?.isRevoked ?? false) }
            return .read(
                PurchaseVersions(versions: versions, handedOver: purchase.handedOver, claim: purchase.claim))
        case .handedOverIgnored:
            return .read(PurchaseVersions(versions: purchase.versions, handedOver: nil, claim: purchase.claim))
        default: return outcome
        }
    }
}

extension Fault {
    /// The scenario in which the fault is looked for: a purchase of coins, and what has to happen besides.
    var scenario: Scenario {
        let budgets: [World.Budget: UInt32] =
            switch self {
            case .finishBeforeRecord, .carriedOutOrderFails, .unverifiedIsRecorded, .handedOverIgnored: [:]
            case .claimGrantedTwice: [.kills: 1]
            case .claimDatedWhenAsked: [.kills: 1, .delays: 1]
            case .grantWithoutClaim: [.delays: 1]
            case .releaseForgetsUnanswered: [.kills: 1, .failures: 1, .refunds: 1, .reversals: 1]
            case .releasedClaimHolds: [.kills: 1, .failures: 1]
            case .refundIgnored: [.refunds: 1]
            case .verifiedIsFinished, .otherUserGetsPurchase: [.departures: 1]
            case .expiredClaimHolds: [.kills: 1]
            case .redeliveryStartsAgain: [.signings: 1]
            case .releaseEndsOtherClaim: [.delays: 1, .failures: 1]
            case .takeOverForgetsUnanswered: [.kills: 1, .refunds: 1, .reversals: 1]
            case .reversalIgnored: [.refunds: 1, .reversals: 1]
            }
        return Scenario(name: rawValue, summary: summary, items: [.coins], budgets: budgets)
    }
}
