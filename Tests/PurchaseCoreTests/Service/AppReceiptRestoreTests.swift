import PurchaseCore
import ReceiptTestAuthority
import ReceiptTypes
import ReceiptVerification
import Testing

/// A verifier that verifies an app receipt once a gate is open.
private struct HangingReceiptVerifier: TransactionVerifying {
    let base: ReceiptAppVerifier
    let gate: Gate

    func verifyTransaction(_ jws: String, at now: Timestamp) -> VerificationResult<JWSTransactionDecodedPayload> {
        base.verifyTransaction(jws, at: now)
    }

    func verifyRenewalInfo(_ jws: String, at now: Timestamp) -> VerificationResult<JWSRenewalInfoDecodedPayload> {
        base.verifyRenewalInfo(jws, at: now)
    }

    func verifyAppReceipt(_ receipt: SignedAppReceipt, at now: Timestamp) async -> VerificationResult<AppReceipt> {
        await gate.pass()
        return await base.verifyAppReceipt(receipt, at: now)
    }
}

@Suite("Restoring an app receipt")
struct AppReceiptRestoreTests {
    @Test("an app bought in 2012 unlocks offline by its app receipt, now and after a restart")
    func boughtIn2012() async throws {
        let app = await ReceiptApp()
        let service = try app.launch()
        #expect(try await !app.entitlements(service).isPro)

        let restored = try await service.restore(appReceipt: try ReceiptSample().signed()).verifiedPayload
        #expect(restored?.app.originalAppVersion == "2.10")
        #expect(restored?.app.originalPurchaseDate == ReceiptSample.bought)
        let entitlements = try await app.entitlements(service)
        #expect(entitlements.isPro)
        #expect(entitlements.grounds[.pro]?.map(\.kind) == [.lifetime])
        #expect(entitlements.denials.isEmpty)
        #expect(try await app.entitlements(try app.launch()).isPro)
    }

    @Test("a receipt in base64 with line breaks unlocks as its bytes do, and both are one entry")
    func base64() async throws {
        let app = await ReceiptApp()
        let service = try app.launch()
        let der = try ReceiptSample().signed()
        let text = SignedAppReceipt(der).base64
        let lines = stride(from: 0, to: text.count, by: 64).map { String(text.dropFirst($0).prefix(64)) }
        for bytes in [[UInt8](lines.joined(separator: "\r\n").utf8), der] {
            #expect(try await service.restore(appReceipt: bytes).verifiedPayload != nil)
        }
        #expect(try await app.entitlements(service).isPro)
        #expect(try await app.ledger.entries().count == 1)
    }

    enum Refusal: String, CaseIterable {
        case otherDevice, otherBundle, changedContent, changedSignature, otherRoot, expiredChain, noDevice, noApp
        case truncated, notAReceipt, empty
    }

    @Test(
        "a receipt that does not verify leaves nothing behind, and the caller gets the reason",
        arguments: Refusal.allCases)
    func refusal(_ refusal: Refusal) async throws {
        let app = await ReceiptApp()
        var sample = ReceiptSample()
        var service = try app.launch()
        var code = VerificationFailure.Code.signatureInvalid
        var bytes = try sample.signed()
        switch refusal {
        case .otherDevice:
            sample.device = ReceiptApp.otherDevice
            (bytes, code) = (try sample.signed(), .deviceMismatch)
        case .otherBundle:
            sample.bundleID = "com.example.other"
            (bytes, code) = (try sample.signed(), .bundleIDMismatch)
        case .changedContent:
            // The first letter of the bundle id.
            let name = [UInt8](sample.bundleID.utf8)
            let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
            bytes[place] = UInt8(ascii: "d")
        case .changedSignature:
            bytes[bytes.count - 1] ^= 1
        case .otherRoot:
            (bytes, code) = (try sample.signed(by: try AppReceiptAuthority()), .untrustedRoot)
        case .expiredChain:
            sample.created = Timestamp(rfc3339: "2041-01-01T00:00:00Z") ?? .minimum
            app.clock.set(sample.created)
            (bytes, code) = (try sample.signed(), .certificateExpired)
        case .noDevice: (service, code) = (try app.launch(device: nil), .receiptBindingUnchecked)
        case .noApp: (service, code) = (try app.launch(apps: []), .receiptBindingUnchecked)
        case .truncated: (bytes, code) = (Array(bytes.dropLast(10)), .containerMalformed)
        case .notAReceipt: (bytes, code) = ([UInt8]("a receipt".utf8), .encoding)
        case .empty: (bytes, code) = ([], .containerMalformed)
        }
        let failure = try #require(try await service.restore(appReceipt: bytes).failure)
        #expect(failure.code == code, "\(failure)")
        #expect(try await app.ledger.entries().isEmpty)
        #expect(app.log.kinds.contains(.unverified))
        #expect(try await !app.entitlements(service).isPro)
    }

    @Test("a verifier that does not answer ends with its deadline, nothing is recorded, and the next restore works")
    func deadline() async throws {
        let app = await ReceiptApp()
        let timer = ManualTimer()
        let gate = Gate()
        let verifier = HangingReceiptVerifier(
            base: ReceiptAppVerifier(
                transactions: app.scripted, receipts: try ReceiptApp.verifier(clock: app.clock.now)), gate: gate)
        let service = PurchaseService(
            store: app.store, ledger: app.ledger, verifier: verifier,
            environment: PurchaseEnvironment(timer: timer, clock: app.clock.now))
        let receipt = try ReceiptSample().signed()
        let restore = Task { try await service.restore(appReceipt: receipt) }
        await gate.arrived()
        timer.advance(by: PurchaseDeadlines().verificationMilliseconds)
        #expect(try await restore.value.failure?.code == .verificationTimedOut)
        #expect(try await app.ledger.entries().isEmpty)
        await gate.open()
        #expect(try await service.restore(appReceipt: receipt).verifiedPayload != nil)
    }

    @Test("a service without a verifier of app receipts says so")
    func noVerifier() async throws {
        let harness = ServiceHarness()
        let result = try await harness.service.restore(appReceipt: try ReceiptSample().signed())
        #expect(result.failure?.code == .keyNotFound)
        #expect(try await harness.ledger.entries().isEmpty)
    }

    @Test("a recorded receipt unlocks nothing on another device, under another bundle id, and without both")
    func verifiedAgain() async throws {
        let app = await ReceiptApp()
        let bytes = try ReceiptSample(purchases: [ReceiptSample.purchase("1", "template.a")]).signed()
        _ = try await app.launch().restore(appReceipt: bytes)
        for service in [
            try app.launch(device: ReceiptApp.otherDevice), try app.launch(apps: ["com.example.other"]),
            try app.launch(device: nil),
        ] {
            #expect(try await app.entitlements(service).grounds.isEmpty)
        }
        #expect(try await app.entitlements(try app.launch()).grounds.count == 2)
    }

    @Test("a version from which on the app is free grants nothing, nor does one that is no version")
    func laterVersion() async throws {
        for version in ["3", "3.0", "10.2", "2.x", "", nil] {
            let app = await ReceiptApp()
            let service = try app.launch()
            let result = try await service.restore(appReceipt: try ReceiptSample(originalVersion: version).signed())
            #expect(result.verifiedPayload != nil, "\(version ?? "none")")
            #expect(try await app.entitlements(service).grounds.isEmpty, "\(version ?? "none")")
        }
    }

    @Test("in-app purchases unlock as from the store: for life, until their end, and not after a refund")
    func purchases() async throws {
        let app = await ReceiptApp()
        let service = try app.launch()
        let result = try await service.restore(
            appReceipt: try ReceiptSample(
                originalVersion: "4",
                purchases: [
                    ReceiptSample.purchase("1", "template.a"),
                    ReceiptSample.purchase("2", "template.b") { $0.cancellationDate = ReceiptSample.bought },
                    ReceiptSample.purchase("3", "pro.monthly", bought: Sample.at(day: -40)) {
                        $0.webOrderLineItemId = 1
                    },
                    ReceiptSample.purchase("4", "pro.monthly", bought: Sample.at(day: -10)) {
                        $0.originalTransactionId = "3"
                        $0.webOrderLineItemId = 2
                    },
                    ReceiptSample.purchase("5", "coins"),
                    ReceiptSample.purchase("6", "pro.monthly") { $0.expiresDate = nil },
                ]
            ).signed())
        let restored = try #require(result.verifiedPayload)
        #expect(restored.restored.map(\.id) == ["1", "2", "3", "4"])
        #expect(restored.consumableCount == 1)
        #expect(restored.rejected.map(\.transactionID) == ["6"])
        #expect(restored.rejected.map(\.failure.code) == [.transactionIncomplete])

        let entitlements = try await app.entitlements(service)
        #expect(entitlements.templates == [TemplateID(rawValue: "A")])
        #expect(entitlements.denials["template.b"] == .revoked)
        #expect(entitlements.balances.isEmpty)
        #expect(entitlements.grounds[.pro]?.map(\.end) == [Sample.at(day: 20)])
        app.clock.set(Sample.at(day: 25))
        #expect(try await !app.entitlements(service).isPro)
    }

    @Test("the fulfiller is not called, and the store is asked to finish nothing")
    func nothingHandedOver() async throws {
        let app = await ReceiptApp()
        let receipt = try ReceiptSample(
            purchases: [ReceiptSample.purchase("1", "template.a"), ReceiptSample.purchase("2", "coins")]
        ).signed()
        let service = try app.launch()
        _ = try await service.restore(appReceipt: receipt)
        await app.goOnline()
        let restarted = try app.launch()
        await restarted.resumeUnfinishedPurchases()
        await restarted.suspend()
        #expect(await app.fulfiller.orders.isEmpty)
        #expect(await app.store.finished.isEmpty)
        #expect(try await app.ledger.entries().map(\.stage) == [.recorded])
        #expect(try await app.ledger.entries().map(\.source) == [.appReceipt])
    }

    @Test("a second restore of a receipt finds everything known")
    func repeated() async throws {
        let app = await ReceiptApp()
        let service = try app.launch()
        let receipt = try ReceiptSample(purchases: [ReceiptSample.purchase("1", "template.a")]).signed()
        let first = try #require(try await service.restore(appReceipt: receipt).verifiedPayload)
        let second = try #require(try await service.restore(appReceipt: receipt).verifiedPayload)
        #expect(first.restored.map(\.id) == ["1"] && first.known.isEmpty)
        #expect(second.known.map(\.id) == ["1"] && second.restored.isEmpty)
        #expect(try await app.ledger.entries().count == 1)
    }

    @Test("a later receipt takes the place of an earlier one, and an earlier one changes nothing")
    func laterReceipt() async throws {
        let app = await ReceiptApp()
        let service = try app.launch()
        let earlier = try ReceiptSample(
            purchases: [ReceiptSample.purchase("1", "template.a"), ReceiptSample.purchase("2", "template.b")]
        ).signed()
        let later = try ReceiptSample(
            created: Sample.at(0), purchases: [ReceiptSample.purchase("1", "template.a")], form: .sha256
        ).signed()
        for receipt in [earlier, later, earlier] { _ = try await service.restore(appReceipt: receipt) }
        let result = try await service.restore(appReceipt: earlier)
        #expect(result.verifiedPayload?.known.map(\.id) == ["1"])
        #expect(try await app.entitlements(service).templates == [TemplateID(rawValue: "A")])
        #expect(try await app.ledger.entries().map(\.transaction.signedText) == [SignedAppReceipt(later).base64])
    }

    @Test("a recorded receipt of another device is not in the way of an earlier one of this device")
    func otherDevicesReceipt() async throws {
        let app = await ReceiptApp()
        let elsewhere = try app.launch(device: ReceiptApp.otherDevice)
        _ = try await elsewhere.restore(
            appReceipt: try ReceiptSample(device: ReceiptApp.otherDevice, created: Sample.at(0), form: .sha256).signed()
        )
        let service = try app.launch()
        #expect(try await !app.entitlements(service).isPro)
        for _ in 0..<2 {
            #expect(try await service.restore(appReceipt: try ReceiptSample().signed()).verifiedPayload != nil)
            #expect(try await app.entitlements(service).isPro)
        }
        #expect(try await app.ledger.entries().count == 2)
        #expect(try await app.entitlements(try app.launch(device: ReceiptApp.otherDevice)).isPro)
    }

    @Test("a ledger that fails at any call loses nothing: the next restore records the receipt once")
    func ledgerFailures() async throws {
        let receipt = try ReceiptSample(purchases: [ReceiptSample.purchase("1", "template.a")]).signed()
        var calls = 0
        for number in 1...40 {
            let app = await ReceiptApp()
            let simulator = CrashSimulator(crashingAt: .max)
            await simulator.failLedger(atCall: number)
            let memory = try #require(app.ledger as? InMemoryLedger)
            let failing = try app.launch(ledger: CrashingLedger(memory, simulator))
            let result = try? await failing.restore(appReceipt: receipt)
            if await simulator.failedLedgerCall == nil { break }
            calls += 1
            if result == nil { #expect(app.log.events.filter { $0.kind == .recorded }.count <= 1) }
            let restarted = try app.launch()
            _ = try await restarted.restore(appReceipt: receipt)
            let entitlements = try await app.entitlements(restarted)
            #expect(entitlements.isPro && entitlements.templates.count == 1, "call \(number)")
            #expect(try await app.ledger.entries().count == 1, "call \(number)")
        }
        #expect((6..<40).contains(calls))
    }

    @Test("two thousand purchases of one receipt are one entry of the ledger, in the order of the receipt")
    func manyPurchases() async throws {
        let app = await ReceiptApp()
        let service = try app.launch()
        let purchases = (1...2_000).map { ReceiptSample.purchase("\($0)", $0 == 1_999 ? "template.a" : "other \($0)") }
        let receipt = try ReceiptSample(purchases: purchases).signed()
        let restored = try #require(try await service.restore(appReceipt: receipt).verifiedPayload)
        #expect(restored.restored.map(\.id) == (1...2_000).map { "\($0)" })
        #expect(try await app.ledger.entries().count == 1)
        #expect(try await app.entitlements(try app.launch()).templates == [TemplateID(rawValue: "A")])
    }

    @Test("an entitlement store shows at once what a receipt unlocks")
    @MainActor
    func entitlementStore() async throws {
        let app = await ReceiptApp()
        let entitlements = EntitlementStore(
            service: try app.launch(), catalog: ReceiptApp.catalog,
            environment: PurchaseEnvironment(clock: app.clock.now))
        let result = try await entitlements.restore(appReceipt: try ReceiptSample().signed())
        #expect(result.verifiedPayload?.app.bundleID == ReceiptApp.bundleID)
        #expect(entitlements.entitlements.isPro)
        #expect(entitlements.entitlements.purchases(of: .pro).map(\.productID) == ["pro.lifetime"])
    }
}
