internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes

/// What the person at the store console can do with the simulated store.
@MainActor
final class StoreConsole {
    enum Action: String, CaseIterable {
        case approve, decline, resolve, abandon
        case renew, expire, cancelRenewal = "cancel-renewal", resumeRenewal = "resume-renewal"
        case failPayments = "fail-payments", recoverPayments = "recover-payments"
        case refund, reverseRefund = "reverse-refund"
        case askToBuy = "ask-to-buy", connection, failNext = "fail-next", spoilNext = "spoil-next"
        case advance, buyElsewhere = "buy-elsewhere"
    }

    /// A call of the app that can fail.
    enum Call: String, CaseIterable {
        case products, purchase, restore

        var label: String {
            switch self {
            case .products: "loading products"
            case .purchase: "a purchase"
            case .restore: "a restore"
            }
        }

        fileprivate var point: FaultPoint {
            switch self {
            case .products: .products
            case .purchase: .purchase
            case .restore: .synchronize
            }
        }
    }

    /// A step of the clock.
    enum Step: String, CaseIterable {
        case hour, day, week, month, year

        fileprivate var days: Int64 {
            switch self {
            case .hour: 0
            case .day: 1
            case .week: 7
            case .month: 31
            case .year: 366
            }
        }

        fileprivate var milliseconds: Int64 { self == .hour ? 3_600_000 : days * 86_400_000 }
    }

    /// The error for an action that cannot be done.
    struct Refusal: Error {
        let reason: String
    }

    private let shop: PreviewShop
    private var simulator: StoreSimulator { shop.simulator }

    init(_ shop: PreviewShop) {
        self.shop = shop
    }

    /// Whether each purchase waits for an approval.
    var isAskToBuyEnabled: Bool { simulator.state.settings.isAskToBuyEnabled }
    var isOnline: Bool { simulator.isOnline }

    /// Does an action.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - value: The ID of a transaction or of a waiting purchase, the name of a ``Call``, a ``Step`` or a product, or
    ///     the position of a switch, `on` or `off`.
    func perform(_ action: Action, _ value: String) async throws(Refusal) {
        let text: String
        do {
            text = try change(action, value)
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal(reason: (error as? StoreSimulatorError)?.message ?? "\(error)")
        }
        shop.log.add(.console, text)
        // What was loaded in this session would not be loaded again, so the next call would not fail.
        if action == .failNext, Call(rawValue: value) == .products { await shop.forgetProducts() }
        // The app notices that time has passed when the customer uses it again, and at once that the connection has
        // changed.
        switch action {
        case .advance, .expire: await shop.becomeActive()
        case .connection: await shop.becomeActive()
        default: shop.changed()
        }
    }

    /// Returns whether a switch is on in the position that it was put into. A second press of the same does nothing.
    private func position(_ name: String) throws(Refusal) -> Bool {
        switch name {
        case "on": return true
        case "off": return false
        default: throw Refusal(reason: "A switch is on or off.")
        }
    }

    /// Does an action, and returns what has happened.
    private func change(_ action: Action, _ id: String) throws -> String {
        switch action {
        case .approve:
            try simulator.perform { engine in _ = try engine.approve(id) }
            return "the purchase \(id) is approved"
        case .decline:
            try simulator.perform { engine in try engine.decline(id) }
            return "the purchase \(id) is declined; the store does not tell the app, which waits for a day"
        case .resolve:
            try simulator.perform { engine in _ = try engine.resolve(id) }
            return "the customer has resolved the issue of the purchase \(id)"
        case .abandon:
            try simulator.perform { engine in try engine.abandon(id) }
            return "the customer has given up \(id); the store does not tell the app, which waits for a day"
        case .renew:
            try simulator.perform { engine in try engine.renew(id) }
            return "the subscription \(id) renews now"
        case .expire:
            try simulator.perform { engine in try engine.expire(id) }
            return "the subscription \(id) ends now"
        case .cancelRenewal:
            try simulator.perform { engine in try engine.cancelRenewal(id) }
            return "the subscription \(id) does not renew any more"
        case .resumeRenewal:
            try simulator.perform { engine in try engine.resumeRenewal(id) }
            return "the subscription \(id) renews again"
        case .failPayments:
            try simulator.perform { engine in try engine.setBillingIssue(true, id) }
            return "the next payments of the subscription \(id) fail"
        case .recoverPayments:
            try simulator.perform { engine in try engine.setBillingIssue(false, id) }
            return "the payments of the subscription \(id) succeed again"
        case .refund:
            try simulator.perform { engine in try engine.refund(id) }
            return "the transaction \(id) is refunded"
        case .reverseRefund:
            try simulator.perform { engine in try engine.reverseRefund(id) }
            return "the refund of the transaction \(id) is reversed"
        case .askToBuy:
            let isOn = try position(id)
            try simulator.perform { engine in engine.updateSettings { $0.isAskToBuyEnabled = isOn } }
            return isAskToBuyEnabled ? "Ask to Buy is on" : "Ask to Buy is off"
        case .connection:
            simulator.isOnline = try position(id)
            return isOnline ? "the device is online" : "the device is offline"
        case .failNext:
            guard let call = Call(rawValue: id) else { throw Refusal(reason: "There is no such call.") }
            simulator.injectNext(.fail(code: StoreError.Code.system.rawValue), at: call.point)
            return "the next call for \(call.label) fails"
        case .spoilNext:
            simulator.injectNext(.flipBit, at: .signing)
            return "the next signature of the store is wrong"
        case .advance:
            guard let step = Step(rawValue: id) else { throw Refusal(reason: "There is no such step of the clock.") }
            // The last instant of a period belongs to it, so a period of this length has to be over.
            try simulator.perform { engine in try engine.advance(byMilliseconds: step.milliseconds + 1) }
            return "one \(step.rawValue) has passed"
        case .buyElsewhere:
            // The other device's purchase reaches this one with a restore, not as an update.
            let isLost = FaultPlan(faults: [Fault(at: .delivery, do: .drop)])
            let answer = try simulator.perform(with: isLost) { engine in
                try engine.buy(id, for: PreviewShop.customer)
            }
            return switch answer {
            case .owned: "the customer already owns \(id), and nothing is bought"
            case .planChanged: "the plan changes to \(id) with the next renewal"
            case .awaitingApproval, .interrupted: "\(id) is ordered on another device, and not bought yet"
            case .bought: "\(id) is bought on another device, and the message to this one is lost"
            }
        }
    }
}
