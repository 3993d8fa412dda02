import LedgerConformance
import ReceiptTypes
import Testing

@testable import PurchaseCore

/// The machine of hand-overs as sequences of events: nothing here waits.
@Suite("Machine of hand-overs")
struct HandOversTests {
    private static let timeout = LedgerError(.timedOut, "no answer")

    private func coins(refunded: Bool = false, signed: Int64 = 0) throws -> Delivery {
        try SampleStore.appStore.delivery(PurchaseSample(isRefunded: refunded, signed: signed))
    }

    @Test("a recorded purchase is ordered once, marked, finished, and leaves nothing behind")
    func plain() throws {
        var trial = HandOverTrial()
        let delivery = try coins()
        try trial.deliver(delivery)
        trial.run()
        #expect(trial.orders.map(\.fulfilment) == [.granted])
        #expect(trial.finished == ["1"])
        #expect(try trial.stage(of: delivery) == .finished)
        #expect(trial.open.isEmpty)
        #expect(trial.rows.claim(of: delivery.key) == nil)
        #expect(trial.machine.renumbered(next: 1) { $0 } == HandOverTrial().machine, "it is as a new one")
    }

    @Test("a purchase that needs no finishing is granted, and the store is not called")
    func withoutFinish() throws {
        var trial = HandOverTrial()
        let delivery = try coins()
        try trial.deliver(delivery, from: .entitlement)
        trial.run()
        #expect(try trial.stage(of: delivery) == .granted)
        #expect(trial.finished.isEmpty && trial.orders.count == 1)
    }

    @Test("an order that has passed its deadline is cancelled, and no second one begins before it ends")
    func lateOrder() throws {
        var trial = HandOverTrial()
        let delivery = try coins()
        try trial.deliver(delivery)
        trial.runLedger()
        let order = try trial.effect(\.isOrder)
        try trial.fire(30_000)
        #expect(trial.open.contains { $0.work == .cancelOrder(order.id) })
        #expect(trial.timers == [15_000, 5_000], "the claim is still renewed, and a retry waits")
        // The retry finds the order, and waits for it once more.
        try trial.fire(5_000)
        #expect(trial.open.contains { $0.work.isIngest })
        try trial.deliver(delivery)
        trial.runLedger()
        #expect(trial.orders.count == 1)
        #expect(trial.timers.sorted() == [15_000, 30_000])
        // The late answer counts.
        trial.end(order, .done)
        trial.run()
        #expect(trial.orders.count == 1)
        #expect(try trial.stage(of: delivery) == .finished)
        #expect(trial.timers.isEmpty)
    }

    @Test("an answer that arrives after nothing waits for it changes nothing")
    func lateAnswer() throws {
        var trial = HandOverTrial()
        let delivery = try coins()
        try trial.deliver(delivery)
        let reading = try trial.effect { if case .ledger(let work) = $0 { work.isRead } else { false } }
        let answer = trial.answer(to: .read(delivery.key))
        trial.end(reading, answer)
        let state = trial.machine
        trial.send(.ended(reading.id, answer))
        trial.send(.ended(reading.id, .ledgerFailed(Self.timeout)))
        #expect(trial.machine == state)
        trial.run()
        #expect(trial.orders.count == 1)
    }

    @Test("an order that was carried out and is not recorded is recorded later, and not repeated")
    func recordFails() throws {
        for isWritten in [false, true] {
            var trial = HandOverTrial()
            let delivery = try coins()
            try trial.deliver(delivery)
            trial.runLedger()
            trial.end(try trial.effect(\.isOrder), .done)
            // The ledger has not answered in time; the change may be made all the same.
            let mark = try trial.effect { if case .ledger(let work) = $0 { work.isMark } else { false } }
            if isWritten, case .ledger(let work) = mark.work { _ = trial.answer(to: work) }
            trial.end(mark, .ledgerFailed(Self.timeout))
            #expect(trial.timers == [5_000])
            trial.now = at(5)
            try trial.fire(5_000)
            try trial.deliver(delivery)
            trial.run()
            #expect(trial.orders.count == 1, "written: \(isWritten)")
            #expect(try trial.stage(of: delivery) == .finished)
            #expect(trial.rows.claim(of: delivery.key) == nil)
        }
    }

    @Test("an order whose answer is lost is not repeated by this service, and by the next one only under a later claim")
    func lostAnswer() throws {
        var trial = HandOverTrial()
        let delivery = try coins()
        try trial.deliver(delivery)
        trial.runLedger()
        #expect(trial.orders.count == 1)
        var next = trial.killed()
        try next.deliver(delivery, from: .unfinished)
        next.run()
        #expect(next.orders.isEmpty, "the claim is in force")
        #expect(next.logged == [.notFulfilled])
        next.now = at(2)
        try next.fire(5_000)
        try next.deliver(delivery, from: .unfinished)
        next.run()
        #expect(next.orders.count == 1)
        #expect(try next.stage(of: delivery) == .finished)
    }

    @Test("a fulfiller that fails releases the claim, and the next attempt orders again")
    func failedOrder() throws {
        var trial = HandOverTrial()
        let delivery = try coins()
        try trial.deliver(delivery)
        trial.runLedger()
        trial.end(try trial.effect(\.isOrder), .notFulfilled("down"))
        trial.runLedger()
        #expect(trial.rows.claim(of: delivery.key) == nil)
        #expect(trial.timers == [5_000])
        try trial.fire(5_000)
        try trial.deliver(delivery)
        trial.run()
        #expect(trial.orders.count == 2)
        #expect(trial.logged == [.notFulfilled, .handedOver])
    }

    @Test("a refund that is recorded while the grant is carried out is carried out after it")
    func refundMeanwhile() throws {
        var trial = HandOverTrial()
        let (delivery, refund) = (try coins(), try coins(refunded: true, signed: 1))
        try trial.deliver(delivery)
        trial.runLedger()
        try trial.deliver(refund)
        trial.runLedger()
        #expect(trial.orders.count == 1)
        trial.run()
        #expect(trial.orders.map(\.fulfilment) == [.granted, .revoked])
        #expect(try trial.rows.handedOver(of: delivery.key) == .revoked)
        #expect(try trial.stage(of: refund) == .finished)
        #expect(trial.open.isEmpty)
    }

    @Test("the claim is renewed while the order runs, also after a renewal that failed, until another one replaces it")
    func renewal() throws {
        var trial = HandOverTrial()
        let delivery = try coins()
        try trial.deliver(delivery)
        trial.runLedger()
        for minute in 1...3 {
            trial.now = at(Int64(minute))
            try trial.fire(15_000)
            trial.runLedger()
            #expect(trial.rows.claim(of: delivery.key)?.start == at(Int64(minute)))
        }
        try trial.fire(15_000)
        let renewal = try trial.effect { if case .ledger(.renew) = $0 { true } else { false } }
        trial.end(renewal, .ledgerFailed(Self.timeout))
        #expect(trial.timers.contains(15_000))
        try trial.changeRows { rows throws(LedgerError) in
            _ = try rows.claimFulfilment(of: delivery.key, from: at(9), until: at(10))
        }
        try trial.fire(15_000)
        trial.runLedger()
        #expect(!trial.timers.contains(15_000))
    }

    @Test("a service whose claim was replaced while its order ran reads what the other one has done")
    func replacedClaim() throws {
        var trial = HandOverTrial()
        let delivery = try coins()
        try trial.deliver(delivery)
        trial.runLedger()
        try trial.changeRows { rows throws(LedgerError) in
            let version = RecordedDelivery(delivery.signed, delivery.transaction)
            if let claim = try rows.claimFulfilment(of: delivery.key, from: at(2), until: at(3)) {
                try rows.markGranted(version, .one, under: claim)
            }
        }
        trial.run()
        #expect(trial.orders.count == 1)
        #expect(try trial.stage(of: delivery) == .finished)
        #expect(trial.open.isEmpty)
    }

    @Test("an order that ends after another service has taken the purchase back is followed by a revocation")
    func contested() throws {
        var trial = HandOverTrial()
        let (delivery, refund) = (try coins(), try coins(refunded: true, signed: 1))
        try trial.deliver(delivery)
        trial.runLedger()
        trial.now = at(2)
        // The claim of the order has ended by the clock, and another service has carried out the refund under its own.
        try trial.changeRows { rows throws(LedgerError) in
            _ = try rows.observe(refund.signed, from: .update, at: at(2))
            _ = try rows.markVerified(refund.transaction, signedText: refund.text)
            _ = try rows.record(refund.transaction, signedText: refund.text, for: nil, at: at(2))
            for version in [delivery, refund] {
                if let claim = try rows.claimFulfilment(of: delivery.key, from: at(2), until: at(3)) {
                    try rows.markGranted(
                        RecordedDelivery(version.signed, version.transaction), .revoked, under: claim)
                }
            }
        }
        try trial.deliver(refund)
        trial.run()
        #expect(trial.orders.map(\.fulfilment) == [.granted, .revoked])
        #expect(try trial.rows.handedOver(of: delivery.key) == .revoked)
        #expect(trial.machine.purchases.isEmpty)
    }

    @Test("the buyer waits while another service hands the purchase over, and for no longer than the limit")
    func otherService() throws {
        for isHandedOver in [true, false] {
            var trial = HandOverTrial()
            let delivery = try coins()
            var other: FulfilmentClaim?
            try trial.changeRows { rows throws(LedgerError) in
                other = try rows.claimFulfilment(of: delivery.key, from: at(0), until: at(1))
            }
            try trial.deliver(delivery, from: .purchase)
            trial.send(.waits(1, for: .attempts(delivery.key, isBuyer: true), within: nil))
            trial.run()
            #expect(trial.timers == [60_000, 50])
            if isHandedOver, let other {
                try trial.changeRows { rows throws(LedgerError) in
                    try rows.markGranted(RecordedDelivery(delivery.signed, delivery.transaction), .one, under: other)
                }
            }
            try trial.fire(50)
            trial.run()
            if !isHandedOver {
                for pause: Int64 in [100, 200, 400, 800, 1_000, 1_000] {
                    #expect(trial.timers == [60_000, pause])
                    try trial.fire(pause)
                    trial.run()
                }
                try trial.fire(60_000)
                trial.run()
            }
            #expect(trial.orders.isEmpty)
            #expect(trial.answers == [1: isHandedOver])
            #expect(trial.timers.filter { $0 != 5_000 && $0 > 1_000 }.isEmpty)
        }
    }

    @Test("a buyer that begins to wait after the attempt has met another service's claim has another attempt at once")
    func buyerAfterAttempt() throws {
        var trial = HandOverTrial()
        let delivery = try coins()
        var other: FulfilmentClaim?
        try trial.changeRows { rows throws(LedgerError) in
            other = try rows.claimFulfilment(of: delivery.key, from: at(0), until: at(1))
        }
        try trial.deliver(delivery, from: .update)
        trial.run()
        #expect(trial.timers == [5_000], "an update does not wait for the other service")
        trial.send(.waits(1, for: .attempts(delivery.key, isBuyer: true), within: nil))
        try trial.changeRows { rows throws(LedgerError) in
            if let other {
                try rows.markGranted(RecordedDelivery(delivery.signed, delivery.transaction), .one, under: other)
            }
        }
        trial.run()
        #expect(trial.answers == [1: true])
        #expect(trial.finished == ["1"] && trial.orders.isEmpty)
        #expect(trial.timers.isEmpty)
    }

    @Test("a fulfiller that waits for its own purchase, or in a circle, is answered at once")
    func circles() throws {
        var trial = HandOverTrial()
        let first = try coins()
        let second = try SampleStore.appStore.delivery(PurchaseSample(id: "2"))
        for delivery in [first, second] { try trial.deliver(delivery) }
        trial.runLedger()
        trial.send(.waits(1, for: .attempts(first.key, isBuyer: false), within: first.key))
        #expect(trial.answers == [1: false])
        trial.send(.waits(2, for: .purchases(ExactString("coins"), second.key), within: first.key))
        trial.send(.waits(3, for: .attempts(first.key, isBuyer: false), within: second.key))
        #expect(trial.answers == [1: false, 3: false])
        trial.send(.stopsWaiting(2))
        trial.send(.waits(4, for: .attempts(first.key, isBuyer: false), within: second.key))
        trial.run()
        #expect(trial.answers == [1: false, 3: false, 4: true])
    }

    @Test("while the service is suspended nothing is tried again; resumed, everything is at once")
    func suspended() throws {
        var trial = HandOverTrial()
        let delivery = try coins()
        trial.send(.notRecorded(delivery.signed, from: .update, by: nil))
        trial.send(.suspended)
        try trial.fire(5_000)
        #expect(trial.open.isEmpty)
        trial.send(.resumed)
        let ingest = try trial.effect(\.isIngest)
        trial.end(ingest, .rejected)
        #expect(trial.open.isEmpty && trial.machine.retries.isEmpty)
    }

    @Test("a delivery of a former user is tried again when that user signs in, and a recorded one is forgotten")
    func users() throws {
        var trial = HandOverTrial(user: .signedIn(Account.anna))
        let (delivery, recorded) = (try coins(), try SampleStore.appStore.delivery(PurchaseSample(id: "2")))
        trial.send(.notRecorded(delivery.signed, from: .purchase, by: .signedIn(Account.anna)))
        try trial.deliver(recorded, for: Account.anna)
        trial.runLedger()
        trial.end(try trial.effect(\.isOrder), .notFulfilled("down"))
        trial.runLedger()
        #expect(trial.timers == [5_000, 5_000])
        trial.send(.waits(1, for: .purchases(ExactString("coins"), nil), within: nil))
        trial.send(.userChanged(.signedIn(Account.bert)))
        #expect(trial.timers.isEmpty)
        #expect(trial.answers == [1: true], "nothing of the present user waits")
        trial.send(.userChanged(.signedIn(Account.anna)))
        #expect(trial.open.map(\.work) == [.ingest(delivery.signed, from: .purchase, by: .signedIn(Account.anna))])
    }

    @Test("an entry that a newer signature of the same facts has replaced is marked and finished under that one")
    func mergedEntry() throws {
        var trial = HandOverTrial()
        let (delivery, newer) = (try coins(), try coins(signed: 1))
        try trial.deliver(delivery)
        trial.runLedger()
        try trial.changeRows { rows throws(LedgerError) in
            _ = try rows.observe(newer.signed, from: .update, at: at(1))
            _ = try rows.markVerified(newer.transaction, signedText: newer.text)
        }
        #expect(try trial.stage(of: delivery) == nil)
        trial.end(try trial.effect(\.isOrder), .done)
        // The verifier knows the newer one too.
        try trial.deliver(newer)
        trial.run()
        #expect(trial.orders.count == 1)
        #expect(try trial.stage(of: newer) == .finished)
    }

    @Test("an entry that is lost before its order has no order, and the claim is released")
    func lostEntry() throws {
        var trial = HandOverTrial()
        let delivery = try coins()
        try trial.deliver(delivery)
        let reading = try trial.effect { if case .ledger(let work) = $0 { work.isRead } else { false } }
        trial.end(reading, .read(PurchaseVersions(versions: [], handedOver: nil, claim: nil)))
        trial.runLedger()
        #expect(trial.orders.isEmpty)
        #expect(trial.rows.claim(of: delivery.key) == nil)
        #expect(trial.logged == [.ledgerFailed])
        #expect(trial.timers == [5_000])
    }
}
