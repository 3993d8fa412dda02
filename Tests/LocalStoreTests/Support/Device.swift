import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// An app on a customer's device: a journal and a wallet that outlive each launch.
struct Device {
    let account: String
    let journal = InMemoryJournal()
    let wallet = Wallet()

    init(_ account: String = "anna") {
        self.account = account
    }

    func launch(_ store: LocalStore) throws -> Launch {
        let customer = store.customer(account)
        let clock: @Sendable () -> Timestamp = { store.state.now }
        let service = PurchaseService(
            store: customer, journal: journal, verifier: try Shop.verifier(), fulfiller: wallet, clock: clock)
        let entitlements = EntitlementStore(service: service, catalog: Shop.catalog, clock: clock)
        return Launch(customer: customer, service: service, entitlements: entitlements)
    }

    struct Launch {
        let customer: LocalStore.Customer
        let service: PurchaseService
        let entitlements: EntitlementStore

        /// What the customer may use, by all that the store and the journal have.
        func refreshed() async -> Entitlements {
            await entitlements.refresh()
            return await entitlements.entitlements
        }
    }
}

/// An app's wallet: carries each order out once.
actor Wallet: PurchaseFulfilling {
    private var done: [PurchaseKey: Fulfilment] = [:]
    private(set) var balance = 0
    private(set) var orderCount = 0

    func fulfil(_ order: FulfilmentOrder) async throws {
        orderCount += 1
        guard done[order.key] != order.fulfilment else { return }
        done[order.key] = order.fulfilment
        guard order.transaction.type == .consumable else { return }
        balance += order.fulfilment == .granted ? order.transaction.quantity : -order.transaction.quantity
    }
}
