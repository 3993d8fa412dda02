import Foundation
import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification
import Testing

/// Compares a device with calls that hang, crashes and clock jumps with one that has none of them.
@Suite("Soak", .timeLimit(.minutes(150)))
struct SoakTests {
    /// The number of runs; PURCHASE_SOAKS changes it, and PURCHASE_SEED changes the first seed.
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["PURCHASE_SEED"].flatMap(UInt64.init) ?? 1
        let count = environment["PURCHASE_SOAKS"].flatMap(UInt64.init) ?? 20
        return (0..<max(1, count)).map { first + $0 }
    }()

    /// A version of a purchase in the ledger, without its signature.
    private struct Row: Hashable, CustomStringConvertible {
        let transactionID: String
        let facts: String
        let stage: DeliveryStage
        let account: UUIDText?
        var description: String { "\(stage) for \(account?.rawValue ?? "no account"): \(facts)" }
    }

    /// What a device has in the end; it must not depend on disturbances.
    private struct Final: Equatable {
        /// The entitlements of each user and customer of the store.
        var entitlements: [String: Entitlements] = [:]
        /// The latest version of each purchase.
        var rows: Set<Row> = []
        /// The purchases whose last order was to grant them.
        var granted: Set<PurchaseKey> = []
        var balance = 0
    }

    @Test("[PSE-8] [PFC-11] ninety operations with disturbances lose, double and block nothing")
    func soak() async throws {
        let signer = try SimulatorSigner()
        let verifier = ReceiptVerifier(
            policy: VerificationPolicy(apps: [.init(bundleID: "com.example.app")], environments: [.sandbox]),
            trustAnchors: signer.trustAnchors, clock: { .maximum })
        // Most of a run is spent waiting until all of its tasks wait, so several go on beside each other.
        var counts: (grants: Int, disturbances: Int) = (0, 0)
        try await withThrowingTaskGroup(of: (grants: Int, disturbances: Int).self) { group in
            for (index, seed) in Self.seeds.enumerated() {
                if index >= 8, let ended = try await group.next() {
                    counts = (counts.grants + ended.grants, counts.disturbances + ended.disturbances)
                }
                group.addTask { try await run(seed, signer, verifier) }
            }
            for try await ended in group {
                counts = (counts.grants + ended.grants, counts.disturbances + ended.disturbances)
            }
        }
        #expect(counts.grants >= 4 * Self.seeds.count && counts.disturbances >= 4 * Self.seeds.count)
    }

    /// Runs the operations of a seed, and returns the numbers of granted purchases and of disturbances.
    private func run(
        _ seed: UInt64, _ signer: SimulatorSigner, _ verifier: ReceiptVerifier
    ) async throws -> (grants: Int, disturbances: Int) {
        let soak = Soak(seed: seed, signer: signer, verifier: verifier)
        let failures = try await failures(of: soak, signer, verifier)
        if !failures.isEmpty {
            Issue.record(
                """
                PURCHASE_SEED=\(seed) PURCHASE_SOAKS=1
                \(failures.joined(separator: "\n"))
                after:
                \(soak.operations.joined(separator: "\n"))
                """)
        }
        return (
            await soak.device.wallet.orders.count { $0.fulfilment == .granted },
            DisturbedCall.allCases.map(soak.device.disturbances.count).reduce(0, +)
        )
    }

    private func failures(
        of soak: Soak, _ signer: SimulatorSigner, _ verifier: ReceiptVerifier
    ) async throws -> [String] {
        do {
            try await soak.run()
        } catch let hang as Soak.Hang {
            return [hang.reason]
        }
        let (found, versions) = try await final(of: soak.device, soak)

        // The undisturbed device has the same store commands.
        let undisturbed = SoakDevice(
            RecordedStore(seed: soak.seed, signer: signer), verifier,
            takesPlatformVerdict: soak.device.takesPlatformVerdict)
        let process = await SoakProcess(undisturbed, user: soak.users[0])
        for command in await soak.device.server.commands {
            await undisturbed.server.run(command)
            for account in soak.accounts {
                undisturbed.account.withLock { $0 = account }
                for user in soak.users {
                    if case .signedIn(let account) = user { await process.service.signIn(account) }
                    await process.service.resumeUnfinishedPurchases()
                    _ = try await process.service.evidence()
                }
            }
        }
        await process.stop()
        await process.listener.value
        let (expected, expectedVersions) = try await final(of: undisturbed, soak)

        var failures = difference(found, expected)
        for row in versions.subtracting(expectedVersions) {
            let others = expectedVersions.filter { $0.transactionID == row.transactionID }
            // An earlier version that would end later than the platform's is undecided, and stays as it was recorded.
            let isReplaced = others.contains {
                $0.facts == row.facts && $0.account == row.account && $0.stage > row.stage
            }
            if soak.device.takesPlatformVerdict, isReplaced { continue }
            failures.append("not a version that the store had: \(row), but \(others)")
        }
        failures += await soak.device.server.excessSales
        failures += soak.device.repeatedOrders.withLock { $0 }
        failures += await repeats(soak)
        if !failures.isEmpty {
            for (name, device) in [("disturbed", soak.device), ("undisturbed", undisturbed)] {
                let orders = await device.wallet.orders
                failures += orders.map { "\(name) order: \($0.fulfilment) \($0.key) of \($0.transaction.productID)" }
            }
        }
        return failures
    }

    private func difference(_ found: Final, _ expected: Final) -> [String] {
        var failures: [String] = []
        for (name, entitlements) in expected.entitlements where found.entitlements[name] != entitlements {
            let other = found.entitlements[name] ?? .empty
            failures.append(
                """
                entitlements of \(name):
                \(Self.summary(other, without: entitlements))
                expected:
                \(Self.summary(entitlements, without: other))
                """)
        }
        failures += expected.rows.subtracting(found.rows).map { "missing \($0)" }
        failures += found.rows.subtracting(expected.rows).map { "unexpected \($0)" }
        failures += expected.granted.subtracting(found.granted).map { "not granted: \($0)" }
        failures += found.granted.subtracting(expected.granted).map { "granted although it was not due: \($0)" }
        if found.balance != expected.balance { failures.append("balance \(found.balance), not \(expected.balance)") }
        return failures
    }

    /// Returns what an entitlements value has and another one lacks.
    private static func summary(_ entitlements: Entitlements, without other: Entitlements) -> String {
        let grounds = Set(entitlements.grounds.values.joined()).subtracting(other.grounds.values.joined())
        let denials = entitlements.denials.filter { other.denials[$0.key] != $0.value }
        let balances = entitlements.balances.filter { other.balances[$0.key] != $0.value }
        let purchases = Set(entitlements.purchases).subtracting(other.purchases)
        return "\(grounds) \(denials) \(balances) \(entitlements.planChanges) \(purchases)"
    }

    /// Returns the orders that were repeated although every process had the answer to the first.
    private func repeats(_ soak: Soak) async -> [String] {
        // After a crash, and beside another process whose claim has ended, an order can be repeated.
        if soak.crashes || soak.hasTwoProcesses { return [] }
        let allowed = soak.device.disturbances.count(of: .fulfil) + soak.endedProcessCount
        var done: [PurchaseKey: Fulfilment] = [:]
        var failures: [String] = []
        for order in await soak.device.wallet.orders {
            if done.updateValue(order.fulfilment, forKey: order.key) == order.fulfilment {
                failures.append("\(order.key) was \(order.fulfilment) twice")
            }
        }
        return failures.count > allowed ? failures : []
    }

    // MARK: Final state

    /// Launches the app for each user and customer of the store, and returns what it has, and every recorded version.
    private func final(of device: SoakDevice, _ soak: Soak) async throws -> (Final, Set<Row>) {
        var final = Final()
        for account in soak.accounts {
            device.account.withLock { $0 = account }
            for user in soak.users {
                let name = "\(user)"
                try await launch(device, user) { service in
                    // The absence of the other customer's purchases is confirmed sooner or later, and by a restore.
                    if !soak.changesCustomer {
                        final.entitlements[name] = try await entitlements(service, device)
                    }
                    _ = try await service.requestAllPurchaseHistory()
                    // The refunds of a customer arrive when that customer is signed in.
                    guard account == "one" else { return }
                    final.entitlements["\(name) after a restore"] = try await entitlements(service, device)
                }
            }
        }
        var balance = 0
        for user in soak.users {
            try await launch(device, user) { service in
                balance += try await entitlements(service, device).balances.values.reduce(0, +)
            }
        }
        final.balance = await device.wallet.balance
        #expect(final.balance == balance, "the wallet differs from the ledger: PURCHASE_SEED=\(soak.seed)")
        var last: [PurchaseKey: Fulfilment] = [:]
        for order in await device.wallet.orders { last[order.key] = order.fulfilment }
        final.granted = Set(last.filter { $0.value == .granted }.keys)
        let versions = try await rows(device)
        final.rows = versions.latest
        return (final, versions.all)
    }

    /// Launches the app, resumes what is unfinished, and ends it.
    private func launch(
        _ device: SoakDevice, _ user: AppUser, _ body: (PurchaseService) async throws -> Void
    ) async throws {
        let process = await SoakProcess(device, user: user)
        // The second time closes the entries that the store no longer lists.
        for _ in 1...2 { await process.service.resumeUnfinishedPurchases() }
        _ = try await process.service.evidence()
        try await body(process.service)
        await process.stop()
        await process.listener.value
        #expect(await process.crash.violations.isEmpty)
    }

    private func entitlements(_ service: PurchaseService, _ device: SoakDevice) async throws -> Entitlements {
        EntitlementProjection(catalog: Sample.catalog).entitlements(
            from: try await service.evidence(), clock: device.clock())
    }

    private func rows(_ device: SoakDevice) async throws -> (latest: Set<Row>, all: Set<Row>) {
        var latest: [PurchaseKey: (date: Timestamp, row: Row)] = [:]
        var all: Set<Row> = []
        for entry in try await device.ledger.entries() where entry.stage >= .recorded {
            let payload = device.verifier.verifyTransaction(entry.transaction.signedText, at: .maximum).verifiedPayload
            let transaction = try #require(payload.flatMap { Transaction($0) })
            let row = Row(
                transactionID: transaction.id, facts: transaction.facts, stage: entry.stage, account: entry.account)
            all.insert(row)
            let known = latest[transaction.purchaseKey]
            if known.map({ $0.date < transaction.signedDate }) ?? true {
                latest[transaction.purchaseKey] = (transaction.signedDate, row)
            }
        }
        return (Set(latest.values.map(\.row)), all)
    }
}
