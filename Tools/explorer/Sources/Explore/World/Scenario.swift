/// What can happen in an exploration.
struct Scenario {
    let name: String
    let summary: String
    /// The products that can be bought.
    let items: [Item]
    /// Whether the services have a fulfiller; without one, recording a purchase also grants it.
    var hasFulfiller = true
    /// Whether the scenario is explored only if much time is given.
    var isLong = false
    /// How often faults and decisions can happen; those that are missing never happen.
    var budgets: [World.Budget: UInt32]

    /// The world before the first step.
    var world: World {
        var world = World()
        for (budget, count) in budgets { world[budget] = count }
        return world
    }

    /// All scenarios; the first one has everything, and is explored up to a number of states.
    static let all = [
        Scenario(
            name: "everything", summary: "two purchases with everything that can happen",
            items: [.coins, .full],
            budgets: [
                .kills: 2, .losses: 1, .delays: 1, .failures: 1, .departures: 1, .signings: 1, .refunds: 1,
                .redeliveries: 1,
            ]),
        Scenario(
            name: "two-purchases", summary: "a consumable and a non-consumable", items: [.coins, .full], budgets: [:]),
        Scenario(
            name: "two-kills", summary: "a consumable that is refunded, and two kills", items: [.coins],
            budgets: [.kills: 2, .refunds: 1]),
        Scenario(
            name: "delays", summary: "an answer that is late or a claim that runs out, and a refund",
            items: [.coins], budgets: [.delays: 1, .refunds: 1]),
        Scenario(
            name: "losses", summary: "an answer that is lost or comes after its deadline, and a refund",
            items: [.coins], budgets: [.losses: 1, .refunds: 1]),
        Scenario(
            name: "failures", summary: "an effect that fails, a kill and a refund", items: [.coins],
            budgets: [.failures: 1, .kills: 1, .refunds: 1]),
        Scenario(
            name: "redelivery", summary: "a delivery signed again and one that comes twice, and a kill",
            items: [.coins],
            budgets: [.signings: 1, .redeliveries: 1, .kills: 1]),
        Scenario(
            name: "users", summary: "a customer that signs out, or another one that signs in, a kill and a refund",
            items: [.coins], budgets: [.departures: 1, .kills: 1, .refunds: 1]),
        Scenario(
            name: "reversal", summary: "a refund that is reversed", items: [.coins],
            budgets: [.refunds: 1, .reversals: 1]),
        Scenario(
            name: "no-fulfiller", summary: "a non-consumable in services without a fulfiller, a kill and a refund",
            items: [.full], hasFulfiller: false, budgets: [.kills: 1, .refunds: 1]),
        Scenario(
            name: "long-two-purchases", summary: "a consumable and a non-consumable, and a kill",
            items: [.coins, .full], isLong: true, budgets: [.kills: 1]),
        Scenario(
            name: "long-losses", summary: "the scenario with losses, and a kill", items: [.coins], isLong: true,
            budgets: [.losses: 1, .kills: 1, .refunds: 1]),
        Scenario(
            name: "long-delays", summary: "the scenario with delays, and two kills", items: [.coins], isLong: true,
            budgets: [.delays: 1, .kills: 2, .refunds: 1]),
        Scenario(
            name: "long-reversal", summary: "a refund that is reversed, and a kill", items: [.coins], isLong: true,
            budgets: [.refunds: 1, .reversals: 1, .kills: 1]),
    ]
}
