import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import Testing
import TimerSupport

@testable import ReceiptVerification

/// An app on a customer's device, with a ledger and a wallet that survive each launch.
struct TestDevice {
    let account: String
    let ledger = InMemoryLedger()
    let wallet = CoinWallet()

    init(_ account: String = "anna") {
        self.account = account
    }

    func launch(_ store: StoreSimulator) throws -> Launch {
        let customer = store.customer(account)
        let clock: @Sendable () -> Timestamp = { store.state.now }
        let service = PurchaseService(
            store: customer, ledger: ledger, verifier: try SampleStore.verifier(), fulfiller: wallet,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock))
        let entitlements = EntitlementStore(
            service: service, catalog: SampleStore.catalog,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock))
        return Launch(customer: customer, service: service, entitlements: entitlements)
    }

    /// Launches the app on a device with Google Play, for the app's account if there is one.
    func launchOnPlay(
        _ store: StoreSimulator, account owner: UUIDText? = nil, remembersRefunds: Bool = true
    ) throws -> PlayLaunch {
        let customer = store.playCustomer(account, remembersRefunds: remembersRefunds)
        let clock: @Sendable () -> Timestamp = { store.state.now }
        let service = PurchaseService(
            store: customer, ledger: ledger, verifier: try SampleStore.playVerifier(), fulfiller: wallet,
            user: owner.map { .signedIn($0) } ?? .noAccounts,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock))
        let entitlements = EntitlementStore(
            service: service, catalog: SampleStore.catalog,
            environment: PurchaseEnvironment(timer: StoppedTimer(), clock: clock))
        return PlayLaunch(customer: customer, service: service, entitlements: entitlements)
    }

    struct PlayLaunch {
        let customer: StoreSimulator.PlayCustomer
        let service: PurchaseService
        let entitlements: EntitlementStore

        /// Refreshes the entitlements and returns them.
        func refreshed() async -> Entitlements {
            await entitlements.refresh()
            return await entitlements.entitlements
        }
    }

    struct Launch {
        let customer: StoreSimulator.Customer
        let service: PurchaseService
        let entitlements: EntitlementStore

        /// Refreshes the entitlements and returns them.
        func refreshed() async -> Entitlements {
            await entitlements.refresh()
            return await entitlements.entitlements
        }
    }
}

/// A wallet that credits coins, each order once.
actor CoinWallet: PurchaseFulfilling {
    private var credited: [PurchaseKey: Int] = [:]
    private(set) var balance = 0
    private(set) var orderCount = 0

    func fulfil(_ order: FulfilmentOrder) async throws {
        orderCount += 1
        guard order.transaction.type == .consumable else { return }
        balance += order.quantity - (credited[order.key] ?? 0)
        credited[order.key] = order.quantity
    }
}
