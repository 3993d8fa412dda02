internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `settings`: shows or changes how the store behaves.
struct SettingsCommand {
    private static let names = [
        "ask-to-buy", "interrupted-purchases", "failing-renewals", "grace-period", "storefront", "locale", "time-rate",
    ]

    let session: Session

    func run() throws {
        // All operands are parsed before any setting changes.
        let changes = try session.arguments.operands.map(Self.change)
        let opened = try OpenedStore(session, forWriting: !changes.isEmpty)
        if !changes.isEmpty {
            _ = try opened.perform { engine in
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
            return try session.writeLine(object, as: .settings)
        }
        for (name, value) in zip(Self.names, values) { try session.output.writeLine("\(name)=\(Escaped(value))") }
    }

    private static func change(_ text: String) throws(UsageError) -> (inout StoreSettings) -> Void {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw UsageError("invalid setting \(Escaped(text).quoted)", hint: "write NAME=VALUE")
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
                throw UsageError(
                    "unknown storefront \(Escaped(value).quoted)", hint: "give a three-letter country code such as USA")
            }
            return { $0.storefront = value }
        case "locale":
            guard !value.isEmpty, value.utf8.count <= 35 else {
                throw UsageError("invalid locale \(Escaped(value).quoted)", hint: "give a locale such as en_US or de")
            }
            return { $0.locale = value }
        case "time-rate":
            guard let number = Int(value), TimeRate.known.contains(number) else {
                throw UsageError(
                    "unknown time rate \(Escaped(value).quoted)",
                    hint: "use one of \(TimeRate.known.map(String.init).joined(separator: ", "))"
                )
            }
            return { $0.timeRate = TimeRate(rawValue: number) }
        default:
            throw UsageError(
                "unknown setting \(Escaped(parts[0]).quoted)",
                hint: WordSearch.nearest(to: parts[0], in: names).map { "did you mean \($0)" }
                    ?? "use one of \(names.joined(separator: ", "))"
            )
        }
    }

    private static func isOn(_ text: String, _ name: String) throws(UsageError) -> Bool {
        switch text.lowercased() {
        case "on", "1", "true", "yes": return true
        case "off", "0", "false", "no": return false
        default: throw UsageError("invalid value \(Escaped(text).quoted) for \(name)", hint: "use on or off")
        }
    }

    private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
}
