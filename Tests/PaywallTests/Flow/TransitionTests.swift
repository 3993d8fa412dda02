import PurchaseCore
import ReceiptTypes
import Testing

@testable import Paywall

/// The transition table, and the coordinator in every one of its states.
@Suite("The states of the paywall flow", .timeLimit(.minutes(15)))
@MainActor
struct TransitionTests {
    typealias Step = PaywallFlowState.Step

    /// The table once more, as a person reads it: the steps that can follow each step.
    private static let table = """
        idle: configReady
        configReady: onboarding
        onboarding: valuePreview proof paywall skipped
        valuePreview: proof paywall skipped
        proof: paywall skipped
        paywall: purchasing purchased skipped error
        purchasing: paywall purchased error
        purchased: configReady paywall
        skipped: configReady paywall purchased
        error: paywall purchasing purchased skipped
        """

    private static func isExpected(_ from: Step, _ to: Step) throws -> Bool {
        let row = try #require(table.split(separator: "\n").first { $0.hasPrefix("\(from.rawValue): ") })
        return row.split(separator: " ").dropFirst().contains { $0 == to.rawValue }
    }

    @Test("each state has its name from the document, and the values are not part of it [PWF-1]")
    func names() {
        #expect(
            Step.allCases.map(\.rawValue) == [
                "idle", "configReady", "onboarding", "valuePreview", "proof", "paywall", "purchasing", "purchased",
                "skipped", "error",
            ])
        #expect(Step.allCases.map { Self.state(at: $0).step } == Step.allCases)
        #expect(PaywallFlowState.error(message: "a") != .error(message: "b"))
    }

    @Test(
        "the coordinator goes from each state to those of the table, and refuses all others [PWF-2]",
        arguments: Step.allCases)
    func everyPair(from: Step) async throws {
        for to in Step.allCases {
            let place = try await Self.coordinator(at: from)
            let coordinator = place.coordinator
            #expect(coordinator.state.step == from)
            let before = coordinator.state
            if try Self.isExpected(from, to) {
                try coordinator.move(to: Self.state(at: to))
                #expect(coordinator.state == Self.state(at: to))
            } else {
                let error = #expect(throws: PaywallFlowError.self) { try coordinator.move(to: Self.state(at: to)) }
                #expect(error == PaywallFlowError(.impossibleTransition, from: from, to: to))
                #expect(error?.message.contains("from \(from.rawValue) to \(to.rawValue)") == true)
                #expect(coordinator.state == before)
            }
            await place.end()
        }
    }

    @Test("each call of the app is accepted in these states only, and changes nothing in the others [PWF-2]")
    func calls() async throws {
        let calls: [(name: String, accepted: Set<Step>, call: (PaywallCoordinator) async throws -> Void)] = [
            ("start", [.idle, .purchased, .skipped], { try await $0.start() }),
            ("toValuePreview", [.onboarding], { try $0.toValuePreview() }),
            ("toProof", [.onboarding, .valuePreview], { try $0.toProof() }),
            (
                "toPaywall", [.onboarding, .valuePreview, .proof, .skipped, .purchased],
                { try $0.toPaywall(personalPromiseKey: nil) }
            ),
            ("skip", [.onboarding, .valuePreview, .proof, .paywall, .error], { try $0.skip() }),
        ]
        for call in calls {
            // A start during a start waits for it, which is a test of its own.
            for step in Step.allCases where call.name != "start" || step != .configReady {
                let place = try await Self.coordinator(at: step)
                let before = place.coordinator.state
                do {
                    try await call.call(place.coordinator)
                    #expect(call.accepted.contains(step), "\(call.name) in \(step)")
                } catch let error as PaywallFlowError {
                    #expect(!call.accepted.contains(step), "\(call.name) in \(step)")
                    #expect(error.from == step && error.message.contains("from \(step.rawValue) to "))
                    #expect(place.coordinator.state == before)
                }
                await place.end()
            }
        }
    }

    @Test("a start during a start waits for it, and both lead to one onboarding [PWF-2]")
    func concurrentStarts() async throws {
        let place = try await Self.coordinator(at: .configReady)
        let second = Task { try await place.coordinator.start() }
        await place.riskGate.open()
        try await second.value
        #expect(place.coordinator.state == .onboarding)
        #expect(await place.riskGate.arrivals == 1)
    }

    // MARK: Each state by real calls

    private struct Place {
        let harness: FlowHarness
        let riskGate: FlowGate
        @MainActor var coordinator: PaywallCoordinator { harness.coordinator }

        /// Lets everything end that still runs.
        @MainActor
        func end() async {
            await riskGate.open()
            await harness.manager.gate.open()
        }
    }

    private static func coordinator(at step: Step) async throws -> Place {
        let riskGate = FlowGate(isOpen: step != .configReady)
        let harness = FlowHarness(risk: ScriptedRisk(gate: riskGate))
        let coordinator = harness.coordinator
        switch step {
        case .idle: break
        case .configReady:
            Task { try await coordinator.start() }
            await riskGate.arrived()
        case .onboarding: try await coordinator.start()
        case .valuePreview:
            try await coordinator.start()
            try coordinator.toValuePreview()
        case .proof:
            try await coordinator.start()
            try coordinator.toProof()
        case .paywall: _ = try await harness.open()
        case .purchasing:
            let paywall = try await harness.open()
            harness.manager.gate = FlowGate()
            Task { await paywall.buy() }
            await harness.manager.gate.arrived()
        case .purchased:
            let paywall = try await harness.open()
            harness.unlock()
            await paywall.buy()
            harness.entitlements.entitlements = .empty
        case .skipped:
            try await coordinator.start()
            try coordinator.skip()
        case .error:
            let paywall = try await harness.open()
            harness.manager.outcome = .failed(.storeKitError(StoreError(.network, "offline")))
            await paywall.buy()
        }
        return Place(harness: harness, riskGate: riskGate)
    }

    /// A state of each kind.
    private static func state(at step: Step) -> PaywallFlowState {
        switch step {
        case .idle: .idle
        case .configReady: .configReady
        case .onboarding: .onboarding
        case .valuePreview: .valuePreview
        case .proof: .proof
        case .paywall: .paywall(offer: FlowHarness.offer)
        case .purchasing: .purchasing(plan: FlowHarness.offer.plans[0])
        case .purchased: .purchased(entitlement: .pro)
        case .skipped: .skipped
        case .error: .error(message: "something")
        }
    }
}
