import Testing

@testable import Explore

/// A counter that each step raises by one or two, and that a broken step throws back to zero.
private struct Counter: Model {
    var last: UInt32 = 10
    var forbidden: UInt32?
    /// A number from which no fair step leads on.
    var trap: UInt32?

    let initial = Self.state(0)

    static func state(_ count: UInt32) -> PackedState { PackedState(ledger: 0, world: 0, first: count, second: 0) }

    mutating func appendSteps(of state: PackedState, to steps: inout [Successor]) {
        let count = state.first
        guard count < last else { return }
        for next in [count + 1, count + 2] where next <= last {
            steps.append(Successor(state: Self.state(next), isFair: count != trap))
        }
        steps.append(Successor(state: Self.state(0), isFair: false))
    }

    func violation(of state: PackedState) -> String? { state.first == forbidden ? "the number is forbidden" : nil }
    func isSettled(_ state: PackedState) -> Bool { state.first == last }
}

@Suite("Exploration")
struct ExplorationTests {
    @Test("every reachable state is visited once, and the depth is that of the longest shortest trace")
    func complete() {
        var exploration = Exploration(Counter())
        #expect(exploration.run(limit: 100) == .complete)
        #expect(exploration.table.count == 11)
        #expect(exploration.depth == 5)
        #expect(exploration.settling() == .init(proven: 11))
    }

    @Test("a state that breaks an invariant is reported with a shortest trace")
    func violation() throws {
        var exploration = Exploration(Counter(forbidden: 7))
        let ending = exploration.run(limit: 100)
        guard case .broken(let violation) = ending else { return #expect(Bool(false), "\(ending)") }
        #expect(violation.invariant == "the number is forbidden")
        #expect(exploration.path(to: violation.index).count == 5)
    }

    @Test("a state from which only unfair steps lead on is stuck")
    func stuck() {
        var exploration = Exploration(Counter(trap: 9))
        #expect(exploration.run(limit: 100) == .complete)
        let settling = exploration.settling()
        #expect(settling.stuck.map { exploration.table.states[$0] } == Counter.state(9))
        #expect(settling.proven == 10)
    }

    @Test("at the limit, only what an unexpanded state could decide is unknown")
    func limited() {
        var exploration = Exploration(Counter())
        #expect(exploration.run(limit: 6) == .limited)
        let settling = exploration.settling()
        #expect(settling.stuck == nil)
        #expect(settling.proven == 0)
        #expect(settling.unknown == exploration.table.count)
    }

    @Test("the table finds each of many states again, and grows")
    func table() {
        var table = StateTable()
        for round in 0..<2 {
            for number in 0..<UInt32(20_000) {
                let state = PackedState(ledger: number % 7, world: number % 11, first: number, second: number % 3)
                let (index, isNew) = table.insert(state, parent: 0, step: 0)
                #expect(index == Int(number) && isNew == (round == 0))
            }
        }
        #expect(table.count == 20_000)
    }
}
