import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// The times of stages, the warnings and the alerts of a monitored service.
@Suite("Monitoring", .timeLimit(.minutes(15)))
struct PurchaseMonitorTests {
    private func stage(_ stage: PurchaseStage, in report: MonitorReport) -> MonitorReport.Stage? {
        report.stages.first { $0.stage == stage }
    }

    @Test("[OTP-10.3] the load, the sale, the purchase, the verification and the record are measured")
    func stages() async throws {
        let app = MonitoredService()
        app.pace.milliseconds.withLock { $0 = 40 }
        _ = try await app.service.products(for: ["template.a"])
        let gate = Gate()
        await app.store.hold(gate)
        let purchase = Task { await app.service.purchase(productID: "template.a") }
        await gate.arrived()
        app.timer.advance(by: 7_000)
        await gate.open()
        let answer = await purchase.value
        guard case .success(verified: true) = answer else {
            Issue.record("the purchase has failed: \(answer)")
            return
        }
        #expect(Set(app.log.timings.map(\.stage)) == Set(PurchaseStage.all))
        let times = Dictionary(app.log.timings.map { ($0.stage, $0.milliseconds) }, uniquingKeysWith: max)
        #expect(times[.load] == 0 && times[.sale] == 7_000 && times[.verify] == 40 && times[.purchase] == 40)
        #expect(app.log.timings.allSatisfy { $0.failureCode == nil })
        let report = app.monitor.report()
        #expect(stage(.sale, in: report)?.totalMilliseconds == 7_000)
        #expect(stage(.verify, in: report)?.callsWithin.last == 1)
    }

    @Test("[OTP-10.4] a stage beyond its limit is a warning each time, and a customer that takes long is none")
    func slowStage() async throws {
        let app = MonitoredService(rules: MonitorRules(slowMilliseconds: [.verify: 1_500, .sale: 1]))
        let gate = Gate()
        await app.store.hold(gate)
        app.pace.milliseconds.withLock { $0 = 1_499 }
        let purchase = Task { await app.service.purchase(productID: "template.a") }
        await gate.arrived()
        // Less than the deadline of a purchase.
        app.timer.advance(by: 500_000)
        await gate.open()
        _ = await purchase.value
        await app.store.hold(nil)
        #expect(app.slowStages().isEmpty)
        app.pace.milliseconds.withLock { $0 = 1_500 }
        _ = await app.service.purchase(productID: "template.b")
        #expect(app.slowStages() == ["verify"])
        let warning = try #require(app.log.events.last { $0.kind == .slowStage })
        #expect(warning.fields["milliseconds"] == "1500" && warning.kind.severity == .warning)
        #expect(stage(.verify, in: app.monitor.report())?.slowCalls == 1)
    }

    @Test("[OTP-10.3] a failed stage has the code of its failure, and a cancelled purchase has none")
    func failures() async throws {
        let app = MonitoredService()
        await app.store.fail(StoreError(.network, "offline"))
        await #expect(throws: StoreError(.network, "")) { try await app.service.products(for: ["coins"]) }
        _ = await app.service.purchase(productID: "coins")
        await app.store.fail(nil)
        await app.store.answer("coins", .failure(StoreError(.userCancelled, "")))
        _ = await app.service.purchase(productID: "coins")
        await app.store.answer("coins", .success(.userCancelled))
        _ = await app.service.purchase(productID: "coins")
        let forged = app.verifier.forge(Sample.payload("1", "coins"))
        await app.store.answer("coins", .success(.success(forged)))
        _ = await app.service.purchase(productID: "coins")
        func codes(_ stage: PurchaseStage) -> [String?] {
            app.log.timings.filter { $0.stage == stage }.map(\.failureCode)
        }
        #expect(codes(.load) == ["network"])
        #expect(codes(.sale) == ["network", nil, nil, nil])
        #expect(codes(.purchase) == ["unverified"])
        #expect(codes(.verify).contains("signature-invalid"))
    }

    // MARK: Error rate

    @Test("[OTP-10.5] many failures within the window are reported once for each episode, to the log and as an alert")
    func errorRate() async throws {
        let rule = ErrorRateRule(windowMilliseconds: 60_000, minimumCalls: 4, percent: 50)
        let app = MonitoredService(rules: MonitorRules(errorRate: rule))
        func call(_ count: Int, failing: Bool) async {
            await app.store.fail(failing ? StoreError(.network, "offline") : nil)
            for _ in 0..<count {
                _ = try? await app.service.products(for: ["coins"])
                app.timer.advance(by: 1_000)
            }
        }
        func kinds() -> [PurchaseLogEvent.Kind] {
            app.log.kinds.filter { $0 == .errorRateHigh || $0 == .errorRateNormal }
        }
        await call(3, failing: true)
        #expect(kinds().isEmpty, "three calls are too few")
        await call(20, failing: true)
        #expect(kinds() == [.errorRateHigh])
        await call(23, failing: false)
        #expect(kinds() == [.errorRateHigh], "half of the calls have failed")
        await call(30, failing: false)
        #expect(kinds() == [.errorRateHigh, .errorRateNormal])
        app.timer.advance(by: 120_000)
        await call(10, failing: true)
        await app.monitor.flush()
        #expect(kinds() == [.errorRateHigh, .errorRateNormal, .errorRateHigh])
        #expect(app.alerts.all.map(\.entry.kind) == [.errorRateHigh, .errorRateHigh])
        #expect(Set(app.alerts.all.map(\.id)).count == 2)
        #expect(app.alerts.all.first?.entry.fields == ["stage": "load", "calls": "4", "failures": "4"])
        #expect(stage(.load, in: app.monitor.report())?.isAnomalous == true)
    }

    @Test("[OTP-10.5] failures that are further apart than the window are no anomaly")
    func rareFailures() async throws {
        let rule = ErrorRateRule(windowMilliseconds: 60_000, minimumCalls: 2, percent: 50)
        let app = MonitoredService(rules: MonitorRules(errorRate: rule))
        await app.store.fail(StoreError(.network, "offline"))
        for _ in 0..<5 {
            _ = try? await app.service.products(for: ["coins"])
            app.timer.advance(by: 61_000)
        }
        #expect(!app.log.kinds.contains(.errorRateHigh))
        #expect(stage(.load, in: app.monitor.report())?.recentCalls == 1)
    }

    // MARK: Alerts

    @Test("[OTP-8.5] a failed verification is an alert once for each transaction, without its secrets")
    func alerts() async throws {
        let cases = InMemoryAlertCases()
        let account = UUIDText("a0000000-0000-4000-8000-000000000001")
        func payload(_ id: String) -> JWSTransactionDecodedPayload {
            Sample.payload(id, "template.a") { $0.appAccountToken = account }
        }
        var ids: [String] = []
        for _ in 0..<2 {
            let app = MonitoredService(cases: cases)
            let forged = [
                app.verifier.forge(payload("2000000123456789")), app.verifier.forge(payload("2000000123456789")),
                app.verifier.forge(payload("7")),
            ]
            for delivery in forged { await app.store.deliver(delivery) }
            for _ in 0..<2 { await app.service.resumeUnfinishedPurchases() }
            await app.monitor.flush()
            let alerts = app.alerts.all
            ids += alerts.map(\.id)
            for alert in alerts {
                let text = JSONValue.object(alert.entry.json).description
                #expect(!text.contains(account.rawValue) && !text.contains("forged-"))
                #expect(alert.entry.fields["code"] == "signature-invalid" && alert.entry.fields["step"] == "signature")
                #expect(alert.entry.productID == "template.a")
            }
            if ids.count == 2 {
                #expect(Set(alerts.compactMap(\.entry.transaction)).isSubset(of: ["2000000123456789", "7"]))
            }
        }
        #expect(Set(ids).count == 2 && ids.count == 2, "neither again nor after a restart")
    }

    @Test(
        "[OTP-8.5] an alert that does not arrive is raised with the next failure, and an undecided verification raises none"
    )
    func undeliveredAlert() async throws {
        let app = MonitoredService()
        app.alerts.setReachable(false)
        await app.store.deliver(app.verifier.forge(Sample.payload("1", "template.a")))
        await app.service.resumeUnfinishedPurchases()
        await app.monitor.flush()
        #expect(app.log.kinds.contains(.alertFailed) && app.alerts.all.isEmpty)
        app.alerts.setReachable(true)
        await app.store.deliver(app.verifier.forge(Sample.payload("1", "template.a")))
        let undecided = app.verifier.forge(Sample.payload("2", "template.b"))
        app.verifier.fail(undecided.signedText, with: VerificationFailure(code: .verificationTimedOut))
        await app.store.deliver(undecided)
        await app.service.resumeUnfinishedPurchases()
        await app.monitor.flush()
        #expect(app.alerts.all.map(\.entry.transaction) == ["1"])
    }

    @Test("[OTP-8.5] an alert port that never answers fails after its deadline, and holds nothing up")
    func hangingAlert() async throws {
        let app = MonitoredService()
        app.alerts.hang()
        await app.store.deliver(app.verifier.forge(Sample.payload("1", "template.a")))
        await app.service.resumeUnfinishedPurchases()
        await app.timer.started(30_000)
        while !app.log.kinds.contains(.alertFailed), !Task.isCancelled {
            app.timer.advance(by: 30_000)
            await Task.yield()
        }
        await app.monitor.flush()
        #expect(app.log.kinds.contains(.alertFailed))
    }
}
