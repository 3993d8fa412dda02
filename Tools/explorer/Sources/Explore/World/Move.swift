@testable import PurchaseCore

/// What happens in a step.
enum Move {
    case start, kill
    /// The customer buys a product.
    case buy(Item)
    /// The store delivers a version of a purchase.
    case receive(Sample, DeliverySource)
    /// The app's user changes.
    case changeUser(AppUser)
    /// A late result of an effect arrives, or a timer fires.
    case take(Int)
    /// A transaction over the ledger is made, or the app's server or the store does what it is asked for, and the
    /// result arrives.
    case perform(Int)
    /// The same, but the result is late.
    case delay(Int)
    /// The same, but the service is killed before the result arrives.
    case performAndKill(Int)
    /// An effect fails without being done.
    case fail(Int)
    /// An effect is done, and its answer is lost.
    case lose(Int)
    /// The service is told that an effect has no answer, although it may still be done.
    case abandon(Int)
    /// The store signs a version of a purchase.
    case sign(Item, Sample.Version)
    /// The time of a purchase's claim is over.
    case age(Item)

    /// Returns a line for a trace.
    ///
    /// - Parameters:
    ///   - service: The service before the step.
    ///   - name: Its name.
    func description(_ service: Service, _ name: String) -> String {
        switch self {
        case .start: "\(name) starts"
        case .kill: "\(name) is killed"
        case .buy(let item): "the customer buys \(item) in \(name)"
        case .receive(let sample, let source): "the store delivers \(sample) to \(name), from \(source.rawValue)"
        case .changeUser(.signedOut): "the customer signs out of \(name)"
        case .changeUser(let user):
            "\(user == .signedIn(Sample.buyer) ? "the buyer" : "another customer") signs in to \(name)"
        case .take(let index): "\(name) \(service.flights[index].arrival)"
        case .perform(let index): "\(service.flights[index].performer): \(service.flights[index]) for \(name)"
        case .delay(let index):
            "\(service.flights[index].performer): \(service.flights[index]) for \(name), and the answer is late"
        case .performAndKill(let index):
            "\(service.flights[index].performer): \(service.flights[index]) for \(name), which is killed then"
        case .fail(let index): "\(service.flights[index].performer): \(service.flights[index]) for \(name) fails"
        case .lose(let index):
            "\(service.flights[index].performer): \(service.flights[index]) for \(name), and the answer is lost"
        case .abandon(let index): "\(name) has no answer in time to: \(service.flights[index])"
        case .sign(let item, .refunded): "the store refunds \(item)"
        case .sign(let item, .restored): "the store reverses the refund of \(item)"
        case .sign(let item, _): "the store signs \(item) again"
        case .age(let item): "the claim of \(item) runs out"
        }
    }
}

extension Sample: CustomStringConvertible {
    var description: String { signedText }
}

extension Flight: CustomStringConvertible {
    /// What is asked for, as an imperative.
    var description: String {
        switch work {
        case .effect(_, .ledger(.read(let key))): "read \(Self.name(key))"
        case .effect(_, .ledger(.claim(let key))): "claim \(Self.name(key))"
        case .effect(_, .ledger(.renew(let claim))): "renew claim \(claim.number)"
        case .effect(_, .ledger(.release(let claim))): "release claim \(claim.number)"
        case .effect(_, .ledger(.markGranted(let version, let amount, under: let claim))):
            "note \(version.signed.signedText) as \(amount == .revoked ? "revoked" : "granted"), under claim "
                + "\(claim.number)"
        case .effect(_, .ledger(.markFinished(let version))): "note \(version.signed.signedText) as finished"
        case .effect(_, .fulfil(let order)):
            "\(order.fulfilment == .granted ? "grant" : "revoke") \(Self.name(order.key))"
        case .effect(_, .finish): "finish \(item?.name ?? "nothing")"
        case .effect(let id, _): if case .retry = id.subject { "wait before a retry" } else { "wait" }
        case .ingest(let sample, _, isOwned: true, for: _): "record \(sample)"
        case .ingest(let sample, _, isOwned: false, for: _): "keep \(sample) of another user"
        }
    }

    private static func name(_ key: PurchaseKey) -> String { Item(key)?.name ?? key.description }

    /// What does it.
    fileprivate var performer: String {
        switch work {
        case .effect(_, .fulfil): "server"
        case .effect(_, .finish): "store"
        default: "ledger"
        }
    }

    /// What arrives at the service.
    fileprivate var arrival: String {
        if case .ended(let outcome) = stage { "learns of \"\(self)\": \(outcome)" } else { "has a timer fire: \(self)" }
    }
}

extension Outcome: CustomStringConvertible {
    var description: String {
        switch self {
        case .done: "done"
        case .read(let purchase):
            (purchase.versions.map { "\($0.entry.transaction.signedText) \($0.entry.stage)" }
                + [
                    purchase.handedOver.map { $0 == .revoked ? "revoked before" : "granted before" },
                    Self.text(purchase.claim),
                ]
                .compactMap(\.self)).joined(separator: ", ")
        case .claim(let claim): Self.text(claim) ?? "no claim"
        case .recorded(stage: let stage, kept: let kept, let claim):
            "recorded as \(kept), \(stage) before\(Self.text(claim).map { ", \($0)" } ?? "")"
        case .notOwned: "not recorded"
        case .ledgerFailed(let code): "failed, \(code.rawValue)"
        case .notFulfilled, .notFinished: "failed"
        }
    }

    private static func text(_ claim: FulfilmentClaim?) -> String? {
        claim.map { claim in
            let state = claim.isReleased ? "released" : claim.isInForce(at: Service.now) ? "in force" : "over"
            return "claim \(claim.number) \(state)\(claim.followsUnanswered ? ", after an unanswered one" : "")"
        }
    }
}
