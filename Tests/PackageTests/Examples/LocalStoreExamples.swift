import LocalStore
import PurchaseCore
import PurchaseVerification
import ReceiptTypes
import ReceiptVerification

/// The code in the documentation of LocalStore; `ExampleTests` compares them line by line.
enum LocalStoreExamples {
    static func overview(start: Timestamp) async throws {
        let configuration = StoreConfiguration(products: [
            ConfiguredProduct(id: "lamp", type: .nonConsumable, price: Milliunits(990))
        ])
        let signer = try SimulatorSigner(folder: "keys")  // creates the keys on first use
        let simulator = try StoreSimulator(
            configuration: configuration, signer: signer, file: "state",
            initial: SimulatorState(seed: 1, now: start, app: SimulatedApp(bundleID: "com.example.app")))

        let verifier = ReceiptVerifier(
            policy: .init(apps: [.init(bundleID: "com.example.app")]), trustAnchors: signer.trustAnchors)
        let service = PurchaseService(
            store: simulator.customer("customer"), ledger: InMemoryLedger(), verifier: verifier,
            environment: PurchaseEnvironment(clock: { simulator.state.now }))
        print(await service.purchase(productID: "lamp"))  // success(verified: true)

        try simulator.perform { engine in
            guard let transaction = engine.state.transactions.last, !transaction.isRevoked else { return }
            try engine.refund(transaction.id)
            try engine.advance(byMilliseconds: 86_400_000)
        }
    }

    static func faults(in simulator: StoreSimulator) {
        simulator.inject(FaultPlan(faults: [Fault(at: .purchase, when: .nth(1), do: .fail(code: "network"))]))
        simulator.injectNext(.fail(code: "network"), at: .purchase)
    }

    static func steps(configuration: StoreConfiguration, state: SimulatorState) throws -> any Store {
        let simulator = StoreSimulator(configuration: configuration, signer: try SimulatorSigner(), state: state)
        let customer = simulator.customer("customer")  // a Store for PurchaseService
        try simulator.perform { engine in try engine.advance(byMilliseconds: 86_400_000) }
        return customer
    }

    static func rules(
        configuration: StoreConfiguration, state: SimulatorState
    ) throws -> (answer: PurchaseAnswer, events: [StoreEvent]) {
        var engine = SimulatorEngine(configuration: configuration, state: state)
        let answer = try engine.buy("com.example.pro.monthly", for: "customer")
        try engine.advance(byMilliseconds: 32 * 86_400_000)
        let events = engine.takeEvents()
        return (answer, events)
    }

    static func faults() -> FaultPlan {
        let plan = FaultPlan(
            seed: 7,
            faults: [
                Fault(at: .purchase, when: .nth(1), do: .fail(code: "network")),
                Fault(at: .delivery, when: .chance(perMille: 100), do: .duplicate(times: 1)),
            ])
        return plan
    }

    static func reading(bytes: [UInt8]) throws -> [ConfiguredProduct] {
        let reading = try StoreConfiguration.read(bytes)
        for finding in reading.findings { print("Demo.storekit:\(finding)") }
        let products = reading.configuration.products
        return products
    }

    static func linting(bytes: [UInt8]) -> Bool {
        let findings = StoreConfiguration.lint(bytes)
        let hasErrors = findings.contains { $0.severity == .error }
        return hasErrors
    }
}
