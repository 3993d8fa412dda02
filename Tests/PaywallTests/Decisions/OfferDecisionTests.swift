import Paywall
import Testing

/// The offer decisions as a table: the configuration of ``config``, an input in each row, and the whole answer.
@Suite("Offer decisions")
struct OfferDecisionTests {
    private static func offer(_ id: OfferID) -> Offer {
        Offer(
            id: id, layoutVariant: "layout-\(id.rawValue)",
            plans: [Plan(id: "plan.\(id.rawValue)", displayPrice: "", period: "week")],
            defaultPlanID: "plan.\(id.rawValue)")
    }

    private static let experiment = OfferExperiment(
        id: "offer-1", holdoutPerMille: 100, arms: [.init(.a), .init(.b)])

    private static let config = RemoteConfig(
        viewLimit7d: 10, offers: [offer(.a), offer(.b), offer(.c)], defaultOfferID: .a,
        rules: [
            OfferRule(name: "leaving", offerID: .c, riskLevels: [.high]),
            OfferRule(name: "often-seen", offerID: .b, minimumViews7d: 3, maximumViews7d: 6),
            OfferRule(
                name: "long-look", offerID: .c, minimumTimeOnPaywallSec: 60, riskLevels: [.low, .medium]),
            OfferRule(name: "promise", offerID: .b, personalPromiseKeys: ["focus", "sleep"]),
        ], experiment: experiment)

    /// An input and the answer: the letter of the offer or `-`, the reasons, and the group of the experiment.
    struct Row: Sendable, CustomTestStringConvertible {
        let views: Int
        let seconds: Int
        let risk: RiskLevel?
        let promise: String?
        let user: String?
        let answer: String

        init(_ views: Int, _ seconds: Int, _ risk: RiskLevel?, _ promise: String?, _ user: String?, _ answer: String) {
            (self.views, self.seconds, self.risk) = (views, seconds, risk)
            (self.promise, self.user, self.answer) = (promise, user, answer)
        }

        var testDescription: String {
            "\(views) views, \(seconds) s, risk \(risk?.rawValue ?? "-"), promise \(promise ?? "-"), user \(user ?? "-")"
        }
    }

    // In the experiment, user-1 has A, user-2 has B, and user-10 is held out.
    private static let rows: [Row] = [
        // No rule applies: the default, or the arm of the experiment.
        Row(0, 0, nil, nil, nil, "A: default-offer"),
        Row(0, 0, .low, nil, nil, "A: default-offer"),
        Row(0, 0, .medium, nil, nil, "A: default-offer"),
        Row(2, 0, nil, nil, nil, "A: default-offer"),
        Row(7, 0, nil, nil, nil, "A: default-offer"),
        Row(9, 0, nil, nil, nil, "A: default-offer"),
        Row(0, 59, .low, nil, nil, "A: default-offer"),
        Row(0, 60, nil, nil, nil, "A: default-offer"),
        Row(0, 0, nil, "diet", nil, "A: default-offer"),
        Row(0, 0, nil, "Focus", nil, "A: default-offer"),
        Row(0, 0, nil, "", nil, "A: default-offer"),
        Row(0, 0, nil, nil, "", "A: default-offer"),
        Row(0, 0, nil, nil, "user-1", "A: experiment offer-1 [A]"),
        Row(0, 0, nil, nil, "user-2", "B: experiment offer-1 [B]"),
        Row(7, 59, .low, "diet", "user-2", "B: experiment offer-1 [B]"),
        Row(0, 0, nil, nil, "ユーザー", "A: experiment offer-1 [A]"),
        // The holdout group sees no paywall, also where a rule would apply.
        Row(0, 0, nil, nil, "user-10", "-: held-out offer-1 [holdout]"),
        Row(0, 0, .high, "focus", "user-10", "-: held-out offer-1 [holdout]"),
        Row(4, 100, .low, nil, "user-13", "-: held-out offer-1 [holdout]"),
        Row(9, 0, nil, nil, "user-10", "-: held-out offer-1 [holdout]"),
        // The limit of views comes before the experiment, which was then not asked.
        Row(10, 0, nil, nil, nil, "-: view-limit 10"),
        Row(11, 0, .high, "focus", "user-1", "-: view-limit 11"),
        Row(10, 0, nil, nil, "user-10", "-: view-limit 10"),
        Row(.max, .max, .high, nil, nil, "-: view-limit \(Int.max)"),
        // The first rule that applies decides.
        Row(0, 0, .high, nil, nil, "C: rule leaving, risk high"),
        Row(4, 0, .high, nil, nil, "C: rule leaving, risk high"),
        Row(4, 100, .high, "focus", nil, "C: rule leaving, risk high"),
        Row(0, 0, .high, nil, "user-1", "C: rule leaving, risk high [A]"),
        Row(3, 0, nil, nil, nil, "B: rule often-seen, paywall-views 3"),
        Row(6, 0, nil, nil, nil, "B: rule often-seen, paywall-views 6"),
        Row(4, 100, .low, nil, nil, "B: rule often-seen, paywall-views 4"),
        Row(5, 0, .medium, "focus", nil, "B: rule often-seen, paywall-views 5"),
        Row(5, 0, nil, nil, "user-1", "B: rule often-seen, paywall-views 5 [A]"),
        Row(0, 60, .low, nil, nil, "C: rule long-look, time-on-paywall 60, risk low"),
        Row(2, 61, .medium, nil, nil, "C: rule long-look, time-on-paywall 61, risk medium"),
        Row(7, 600, .low, "focus", nil, "C: rule long-look, time-on-paywall 600, risk low"),
        Row(0, .max, .low, nil, nil, "C: rule long-look, time-on-paywall \(Int.max), risk low"),
        Row(0, 60, .low, nil, "user-2", "C: rule long-look, time-on-paywall 60, risk low [B]"),
        Row(0, 0, nil, "focus", nil, "B: rule promise, personal-promise focus"),
        Row(0, 0, nil, "sleep", nil, "B: rule promise, personal-promise sleep"),
        Row(2, 59, .low, "focus", nil, "B: rule promise, personal-promise focus"),
        Row(7, 0, .medium, "sleep", nil, "B: rule promise, personal-promise sleep"),
        Row(0, 60, nil, "focus", nil, "B: rule promise, personal-promise focus"),
        Row(0, 0, nil, "focus", "user-1", "B: rule promise, personal-promise focus [A]"),
        // Numbers that no app should have.
        Row(-1, -1, nil, nil, nil, "A: default-offer"),
        Row(.min, .min, .high, nil, nil, "C: rule leaving, risk high"),
    ]

    private static func decide(_ row: Row, _ config: RemoteConfig = config) -> OfferDecision {
        OfferDecisionEngine.decide(
            config: config, risk: RiskSnapshot(level: row.risk), paywallViews7d: row.views,
            timeOnPaywallSec: row.seconds, personalPromiseKey: row.promise, userID: row.user)
    }

    private static func text(_ decision: OfferDecision) -> String {
        let group = decision.exposure.map { " [\($0.group.name)]" } ?? ""
        let reasons = decision.reasons.map(\.name).joined(separator: ", ")
        return "\(decision.offer?.id.rawValue ?? "-"): \(reasons)\(group)"
    }

    @Test("the same input always has the same offer and the same reasons [PWF-4]", arguments: rows)
    func table(row: Row) {
        let decision = Self.decide(row)
        #expect(Self.text(decision) == row.answer)
        #expect(decision.offer?.personalPromiseKey == (decision.offer == nil ? nil : row.promise))
        for _ in 0..<3 { #expect(Self.decide(row) == decision) }
    }

    @Test("the table has at least 40 rows, and every kind of reason stands in it [PWF-4]")
    func tableIsComplete() {
        #expect(Self.rows.count >= 40)
        let text = Self.rows.map(\.answer).joined(separator: "\n")
        for reason in [
            "default-offer", "view-limit", "held-out", "rule", "experiment", "paywall-views", "time-on-paywall", "risk",
            "personal-promise",
        ] {
            #expect(text.contains(reason), "\(reason)")
        }
    }

    @Test("without an offer nothing is shown; a rule, an arm or a default for an absent offer does not apply [PWF-4]")
    func absentOffers() {
        let row = Row(0, 0, .high, nil, "user-2", "")
        #expect(Self.text(Self.decide(row, RemoteConfig())) == "-: no-offer")
        let one = RemoteConfig(
            offers: [Self.offer(.a)], defaultOfferID: .c, rules: [OfferRule(name: "leaving", offerID: .c)],
            experiment: Self.experiment)
        #expect(Self.text(Self.decide(row, one)) == "A: default-offer [B]")
    }

    // MARK: Experiments

    @Test("the groups of an experiment follow its shares, and another experiment has other groups [PWF-4]")
    func groups() {
        // 10,000 draws with a share p have a standard deviation of at most 50; the ids are fixed, so the counts are
        // too.
        let weighted = OfferExperiment(
            id: "offer-1", holdoutPerMille: 100, arms: [.init(.a, weight: 1), .init(.b, weight: 3)])
        var counts: [String: Int] = [:]
        for number in 0..<10_000 { counts[weighted.group(of: "user-\(number)").name, default: 0] += 1 }
        #expect(counts == ["A": 2335, "B": 6699, "holdout": 966])
        let other = OfferExperiment(id: "offer-2", arms: [.init(.a), .init(.b)])
        let first = OfferExperiment(id: "offer-1", arms: [.init(.a), .init(.b)])
        let equal = (0..<10_000).count { first.group(of: "user-\($0)") == other.group(of: "user-\($0)") }
        #expect(equal == 5026)
    }

    @Test("an experiment without weights only holds out, and one that holds out all shows nothing [PWF-4]")
    func borderlineExperiments() {
        let users = (0..<100).map { "user-\($0)" }
        #expect(users.allSatisfy { OfferExperiment(id: "x", holdoutPerMille: 1000).group(of: $0) == .holdout })
        #expect(users.allSatisfy { OfferExperiment(id: "x", arms: [.init(.a, weight: 0)]).group(of: $0) == .shown })
        #expect(
            users.allSatisfy { OfferExperiment(id: "x", arms: [.init(.c, weight: .max)]).group(of: $0) == .arm(.c) })
        #expect(OfferExperiment(id: "x", holdoutPerMille: -1).holdoutPerMille == 0)
    }
}
