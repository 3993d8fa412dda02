internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes

/// `settings`: shows or changes how the store behaves.
struct SettingsCommand {
    let session: Session

    func run() throws {
        // All operands are parsed before any setting changes.
        let changes = try session.arguments.operands.map(Self.change)
        let opened = try OpenedStore(session, forWriting: !changes.isEmpty)
        for case .nonRenewingPeriod(let product) in changes.map(\.setting) {
            try Self.checkNonRenewing(product, in: opened.store.configuration)
        }
        if !changes.isEmpty {
            _ = try opened.perform { engine in
                engine.updateSettings { settings in
                    for change in changes { change.apply(&settings) }
                }
            }
        }
        let settings = opened.state.settings
        if session.writesJSON {
            var object: JSONObject = ["type": .string("settings")]
            for setting in Setting.all(in: settings) { object[setting.name] = .string(setting.value(in: settings)) }
            return try session.writeLine(object, as: .settings)
        }
        for setting in Setting.all(in: settings) {
            try session.output.writeLine("\(Escaped(setting.name))=\(Escaped(setting.value(in: settings)))")
        }
    }

    private static func checkNonRenewing(_ product: String, in configuration: StoreConfiguration) throws(UsageError) {
        guard configuration.product(product)?.type != .nonRenewingSubscription else { return }
        let ids = configuration.products.filter { $0.type == .nonRenewingSubscription }.map(\.id)
        throw UsageError(
            "the store has no non-renewing subscription \(Escaped(product).quoted)",
            hint: WordSearch.nearest(to: product, in: ids).map { "did you mean period:\(Escaped($0))" }
                ?? "list the products with local-store products"
        )
    }

    // MARK: Parsing

    /// A change that an operand requests.
    private struct Change {
        let setting: Setting
        let apply: (inout StoreSettings) -> Void
    }

    private static func change(_ text: String) throws(UsageError) -> Change {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw UsageError("invalid setting \(Escaped(text).quoted)", hint: "write NAME=VALUE")
        }
        guard let setting = Setting(name: parts[0]) else {
            let names = Setting.all(in: StoreSettings()).map(\.name)
            throw UsageError(
                "unknown setting \(Escaped(parts[0]).quoted)",
                hint: WordSearch.nearest(to: parts[0], in: names).map { "did you mean \($0)" }
                    ?? "use one of \(names.joined(separator: ", ")) or period:PRODUCT"
            )
        }
        return Change(setting: setting, apply: try setting.change(to: parts[1]))
    }
}

/// A setting of a store that the command line can change.
private enum Setting {
    case askToBuy, interruptedPurchases, failingRenewals, gracePeriod, storefront, locale, timeRate
    case error(StoreSettings.SimulatedCall)
    case nonRenewingPeriod(product: String)

    private static let periodPrefix = "period:"
    private static let fixed: [Self] =
        [.askToBuy, .interruptedPurchases, .failingRenewals, .gracePeriod, .storefront, .locale, .timeRate]
        + StoreSettings.SimulatedCall.allCases.map { .error($0) }

    /// All settings: those that every store has, and the periods that are set.
    static func all(in settings: StoreSettings) -> [Self] {
        fixed + settings.nonRenewingPeriods.keys.sorted().map { .nonRenewingPeriod(product: $0) }
    }

    init?(name: String) {
        if name.hasPrefix(Self.periodPrefix), name.count > Self.periodPrefix.count {
            self = .nonRenewingPeriod(product: String(name.dropFirst(Self.periodPrefix.count)))
        } else if let setting = Self.fixed.first(where: { $0.name.isIdentical(to: name) }) {
            self = setting
        } else {
            return nil
        }
    }

    var name: String {
        switch self {
        case .askToBuy: "ask-to-buy"
        case .interruptedPurchases: "interrupted-purchases"
        case .failingRenewals: "failing-renewals"
        case .gracePeriod: "grace-period"
        case .storefront: "storefront"
        case .locale: "locale"
        case .timeRate: "time-rate"
        case .error(let call): "error-" + call.rawValue.lowercased().replacing(" ", with: "-")
        case .nonRenewingPeriod(let product): Self.periodPrefix + product
        }
    }

    // MARK: Printing

    func value(in settings: StoreSettings) -> String {
        switch self {
        case .askToBuy: Self.word(settings.isAskToBuyEnabled)
        case .interruptedPurchases: Self.word(settings.isInterruptingPurchases)
        case .failingRenewals: Self.word(settings.isFailingRenewals)
        case .gracePeriod: settings.isGracePeriodEnabled ? "\(settings.gracePeriod.rawValue)" : Self.word(false)
        case .storefront: settings.storefront
        case .locale: settings.locale
        case .timeRate: "\(settings.timeRate.rawValue)"
        case .error(let call): settings.simulatedErrors[call] ?? Self.word(false)
        case .nonRenewingPeriod(let product): settings.nonRenewingPeriods[product]?.description ?? Self.word(false)
        }
    }

    private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    // MARK: Changing

    func change(to text: String) throws(UsageError) -> (inout StoreSettings) -> Void {
        switch self {
        case .askToBuy:
            let isOn = try isOn(text)
            return { $0.isAskToBuyEnabled = isOn }
        case .interruptedPurchases:
            let isOn = try isOn(text)
            return { $0.isInterruptingPurchases = isOn }
        case .failingRenewals:
            let isOn = try isOn(text)
            return { $0.isFailingRenewals = isOn }
        case .gracePeriod: return try gracePeriod(text)
        case .storefront:
            guard Storefront(code: text) != nil else {
                throw UsageError(
                    "unknown storefront \(Escaped(text).quoted)", hint: "give a three-letter country code such as USA")
            }
            return { $0.storefront = text }
        case .locale:
            guard !text.isEmpty, text.utf8.count <= 35 else {
                throw UsageError("invalid locale \(Escaped(text).quoted)", hint: "give a locale such as en_US or de")
            }
            return { $0.locale = text }
        case .timeRate:
            guard let number = Int(text), TimeRate.known.contains(number) else {
                throw UsageError(
                    "unknown time rate \(Escaped(text).quoted)",
                    hint: "use one of \(TimeRate.known.map(String.init).joined(separator: ", "))"
                )
            }
            return { $0.timeRate = TimeRate(rawValue: number) }
        case .error(let call):
            let error = try error(text)
            return { $0.simulatedErrors[call] = error }
        case .nonRenewingPeriod(let product):
            let period = try period(text)
            return { $0.nonRenewingPeriods[product] = period }
        }
    }

    private func isOn(_ text: String, hint: String = "use on or off") throws(UsageError) -> Bool {
        switch text.lowercased() {
        case "on", "1", "true", "yes": return true
        case "off", "0", "false", "no": return false
        default: throw UsageError("invalid value \(Escaped(text).quoted) for \(Escaped(name))", hint: Escaped(hint))
        }
    }

    private func gracePeriod(_ text: String) throws(UsageError) -> (inout StoreSettings) -> Void {
        let lengths = StoreSettings.GracePeriod.allCases
        if let length = lengths.first(where: { "\($0.rawValue)".isIdentical(to: text) }) {
            return { settings in
                settings.isGracePeriodEnabled = true
                settings.gracePeriod = length
            }
        }
        let isOn = try isOn(
            text, hint: "use off, or \(lengths.map { "\($0.rawValue)" }.joined(separator: ", ")) days; on means 16")
        return { settings in
            settings.isGracePeriodEnabled = isOn
            settings.gracePeriod = .sixteenDays
        }
    }

    private static let errors: [StoreError.Code] = [
        .network, .system, .unknown, .userCancelled, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer,
        .invalidQuantity, .unsupported,
    ]

    private func error(_ text: String) throws(UsageError) -> String? {
        if text.lowercased() == "off" { return nil }
        let names = Self.errors.map(\.rawValue)
        guard let code = WordSearch.match(text, in: names) else {
            throw UsageError(
                "invalid value \(Escaped(text).quoted) for \(name)",
                hint: "use off, or one of \(names.joined(separator: ", "))")
        }
        return code
    }

    private func period(_ text: String) throws(UsageError) -> BillingPeriod? {
        if text.lowercased() == "off" { return nil }
        guard let period = BillingPeriod(iso8601: text) else {
            throw UsageError(
                "invalid value \(Escaped(text).quoted) for \(Escaped(name))", hint: "use off, or a period such as P30D")
        }
        return period
    }
}
