internal import ReceiptTypes

/// Reads the settings of a file.
struct SettingsReader {
    let reader: RecordReader

    /// Returns the settings, with defaults for missing fields.
    func settings() -> StoreSettings {
        var settings = StoreSettings()
        if let locale = reader.locale(.settingsLocale), !locale.isEmpty { settings.locale = locale }
        if let storefront = storefront() { settings.storefront = storefront }
        settings.timeRate = timeRate()
        settings.isAskToBuyEnabled = reader.flag(.askToBuyEnabled)
        settings.isInterruptingPurchases = reader.flag(.billingIssuesEnabled)
        settings.isFailingRenewals = reader.flag(.renewalBillingIssuesEnabled)
        settings.isGracePeriodEnabled = reader.flag(.billingGracePeriodEnabled)
        settings.isWithoutDialogs = reader.flag(.disableDialogs)
        settings.simulatedErrors = simulatedErrors()
        return settings
    }

    private func storefront() -> String? {
        guard let text = reader.text(.storefront) else { return nil }
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let isCode = text.utf8.count == 3 && text.utf8.allSatisfy(letters.contains)
        if isCode {
            if Storefront(code: text) == nil {
                reader.report(
                    .warning, .unknownStorefront, at: .storefront, "the storefront is unknown",
                    expected: "an ISO 3166-1 code such as USA", found: reader[.storefront]?.found,
                    hint: "its prices are in US dollars"
                )
            }
            return text
        }
        let upper = text.utf8.count == 3 ? text.uppercased() : ""
        let reading = Storefront(code: upper)?.code
        reader.report(
            .error, .malformedStorefront, at: .storefront, "the storefront is not three capital letters",
            expected: "an ISO 3166-1 code such as USA", found: reader[.storefront]?.found,
            hint: "it is read as \(reading ?? StoreSettings().storefront)"
        )
        return reading
    }

    // MARK: Time

    private func timeRate() -> TimeRate {
        var number = number(of: .timeRate)
        if reader[.subscriptionRenewalRate] != nil {
            let other = reader[.subscriptionRenewalRate]?.looseInteger.map(Int.init(clamping:))
            let isUsed = reader[.timeRate] == nil && other != nil
            if isUsed { number = other }
            let reading = isUsed ? "it is read as _timeRate" : "it is ignored"
            reader.report(
                .error, .renewalRateKey, at: .subscriptionRenewalRate, "the format has no key _subscriptionRenewalRate",
                expected: "_timeRate with a number", found: reader[.subscriptionRenewalRate]?.found, hint: reading
            )
        }
        let older = compatibilityRate()
        guard let number else { return .realTime }
        if number >= 1000, reader[.compatibilityTimeRate] == nil {
            reader.report(
                .warning, .missingCompatibilityTimeRate, at: .timeRate,
                "older readers do not know the time rate, and _compatibilityTimeRate is missing",
                expected: "_compatibilityTimeRate with a rate below 1000", found: reader[.timeRate]?.found
            )
        }
        guard !TimeRate.known.contains(number) else { return TimeRate(rawValue: number) }
        reader.report(
            .warning, .unknownTimeRate, at: reader[.timeRate] == nil ? .subscriptionRenewalRate : .timeRate,
            "the time rate is unknown", expected: "0 to 6, 10 to 13, 15 or 1000 to 1005", found: "\(number)",
            hint: older.map { "it is read as \($0)" } ?? "it is read as real time"
        )
        return TimeRate(rawValue: older ?? number)
    }

    /// Returns the rate in a field, and reports a string.
    private func number(of key: FormatKey) -> Int? {
        guard let place = reader[key] else { return nil }
        if case .integer(let integer) = place.value { return Int(clamping: integer) }
        let reading = place.looseInteger.map(Int.init(clamping:))
        let hint = reading.map { "it is read as \($0)" } ?? "it is read as real time"
        guard place.value.text != nil else {
            reader.report(
                .error, .wrongType, at: key, "\(key.rawValue) has the wrong type", expected: "an integer",
                found: place.value.kind.name, hint: hint
            )
            return reading
        }
        reader.report(
            .error, .timeRateAsText, at: key, "the time rate is a string", expected: "a number without quotation marks",
            found: place.found, hint: hint
        )
        return reading
    }

    /// Returns the rate for older readers, or nil where the file has no valid one.
    private func compatibilityRate() -> Int? {
        guard let place = reader[.compatibilityTimeRate] else { return nil }
        var rate: Int?
        for member in place.members.prefix(ConfigurationBudget.simulatedErrorCount) {
            let value = place.child(member)
            let version = member.name.utf8.count <= 3 ? Int(member.name) : nil
            if version == nil {
                reader.context.report(
                    .warning, .unknownKey, at: member.nameOffset, path: value.path,
                    "_compatibilityTimeRate has no key \(Quotation.of(member.name))",
                    expected: "a format version such as 3", hint: "it is ignored"
                )
                continue
            }
            guard let number = value.looseInteger.map(Int.init(clamping:)), number < 1000,
                TimeRate.known.contains(number)
            else {
                reader.context.report(
                    .error, .unknownTimeRate, at: value, "older readers do not know the time rate",
                    expected: "0 to 6, 10 to 13 or 15", found: value.found, hint: "it is ignored"
                )
                continue
            }
            rate = number
        }
        return rate
    }

    // MARK: Errors

    private static let calls = StoreSettings.SimulatedCall.allCases.map { (name: $0.rawValue, value: $0) }

    private func simulatedErrors() -> [StoreSettings.SimulatedCall: String] {
        var errors: [StoreSettings.SimulatedCall: String] = [:]
        if reader.flag(.failTransactionsEnabled) {
            errors[.purchase] = reader.integer(.storeKitError).map(String.init) ?? Self.unknown
        }
        let limit = ConfigurationBudget.simulatedErrorCount
        for entry in reader.records(.storeKitErrors, .simulatedError, atMost: limit) {
            guard let call = entry.choice(.name, of: Self.calls), entry.flag(.enabled) else { continue }
            errors[call] = Self.error(entry[.current])
        }
        return errors
    }

    private static let unknown = "unknown"

    /// Returns the name or number of an error; for the object that Xcode writes, its type and index.
    private static func error(_ place: SourceValue?) -> String {
        guard let place else { return unknown }
        if let object = place.value.object {
            let type = object[FormatKey.type.rawValue]?.text
            let index = object[FormatKey.index.rawValue]?.integer
            let words = [type, index.map { String($0) }].compactMap(\.self)
            return words.isEmpty ? unknown : words.joined(separator: " ")
        }
        return place.looseText ?? unknown
    }
}
