internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `settings`: how the store behaves.
struct SettingsCommand {
    private static let names = [
        "ask-to-buy", "interrupted-purchases", "failing-renewals", "grace-period", "storefront", "locale", "time-rate",
    ]

    let session: Session

    func run() throws {
        // Everything is read before anything changes.
        let changes = try session.arguments.operands.map(Self.change)
        let opened = try OpenStore(session, toChange: !changes.isEmpty)
        if !changes.isEmpty {
            _ = try opened.change { engine in
                engine.updateSettings { settings in
                    for change in changes { change(&settings) }
                }
            }
        }
        let settings = opened.state.settings
        let values = [
            Self.word(settings.isAskToBuyEnabled), Self.word(settings.isInterruptingPurchases),
            Self.word(settings.isFailingRenewals), Self.word(settings.isGracePeriodEnabled), settings.storefront,
            settings.locale, "\(settings.timeRate.rawValue)",
        ]
        if session.writesJSON {
            var object: JSONObject = ["type": .string("settings")]
            for (name, value) in zip(Self.names, values) { object[name] = .string(value) }
            return try session.output.writeLine(object.description)
        }
        for (name, value) in zip(Self.names, values) { try session.output.writeLine("\(name)=\(Escaped(value))") }
    }

    private static func change(_ text: String) throws(UsageError) -> (inout StoreSettings) -> Void {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw UsageError("settings does not take \(Escaped(text).quoted)", hint: "write NAME=VALUE")
        }
        let value = parts[1]
        switch parts[0] {
        case "ask-to-buy":
            let isOn = try isOn(value, parts[0])
            return { $0.isAskToBuyEnabled = isOn }
        case "interrupted-purchases":
            let isOn = try isOn(value, parts[0])
            return { $0.isInterruptingPurchases = isOn }
        case "failing-renewals":
            let isOn = try isOn(value, parts[0])
            return { $0.isFailingRenewals = isOn }
        case "grace-period":
            let isOn = try isOn(value, parts[0])
            return { $0.isGracePeriodEnabled = isOn }
        case "storefront":
            guard Storefront(code: value) != nil else {
                throw UsageError("there is no storefront \(Escaped(value).quoted)", hint: "write one as USA or DEU")
            }
            return { $0.storefront = value }
        case "locale":
            guard !value.isEmpty, value.utf8.count <= 35 else {
                throw UsageError("there is no language \(Escaped(value).quoted)", hint: "write one as en_US or de")
            }
            return { $0.locale = value }
        case "time-rate":
            guard let number = Int(value), TimeRate.known.contains(number) else {
                throw UsageError(
                    "there is no time rate \(Escaped(value).quoted)",
                    hint: "it takes \(TimeRate.known.map(String.init).joined(separator: ", "))"
                )
            }
            return { $0.timeRate = TimeRate(rawValue: number) }
        default:
            throw UsageError(
                "there is no setting \(Escaped(parts[0]).quoted)",
                hint: WordSearch.nearest(to: parts[0], in: names).map { "did you mean \($0)" }
                    ?? "it is one of \(names.joined(separator: ", "))"
            )
        }
    }

    private static func isOn(_ text: String, _ name: String) throws(UsageError) -> Bool {
        switch text.lowercased() {
        case "on", "1", "true", "yes": return true
        case "off", "0", "false", "no": return false
        default: throw UsageError("\(name) does not take \(Escaped(text).quoted)", hint: "it takes on or off")
        }
    }

    private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
}
