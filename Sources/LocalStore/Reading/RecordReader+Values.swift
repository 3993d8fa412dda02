internal import PurchaseCore
internal import ReceiptTypes

extension RecordReader {
    /// Returns the ISO 8601 period in a field, or nil where it is missing or unreadable.
    ///
    /// - Parameter otherwise: The hint for an unreadable period.
    func period(_ key: FormatKey, otherwise: String) -> BillingPeriod? {
        guard let text = text(key), self[key]?.value.text != nil else { return nil }
        if let period = BillingPeriod(iso8601: text) { return period }
        let plain = text.utf8.count <= 16 ? String(text.uppercased().filter { $0 != " " }) : ""
        let reading = BillingPeriod(iso8601: plain)
        report(
            .error, .malformedPeriod, at: key, "\(key.rawValue) is not an ISO 8601 period",
            expected: "a period such as P1M", found: self[key]?.found,
            hint: reading.map { "it is read as \($0)" } ?? otherwise
        )
        return reading
    }

    /// Returns the value of a field that has one of a few names; any other string is reported.
    ///
    /// - Parameters:
    ///   - aliases: Names from other sources, each with the name that it means.
    ///   - otherwise: The hint for a string without a similar name.
    func choice<Value>(
        _ key: FormatKey,
        of names: [(name: String, value: Value)],
        aliases: [(alias: String, name: String)] = [],
        otherwise: String? = nil
    ) -> Value? {
        guard let text = text(key) else { return nil }
        if let exact = names.first(where: { $0.name.isIdentical(to: text) }) { return exact.value }
        let meant = Self.lenientMatch(text, in: names, aliases: aliases)
        report(
            .error, .unknownValue, at: key, "\(key.rawValue) has an unknown value",
            expected: Quotation.choice(names.map(\.name)), found: self[key]?.found,
            hint: meant.map { "it is read as \($0.name)" } ?? otherwise
        )
        return meant?.value
    }

    /// Returns the name that a string spells or is an alias of, ignoring case, spaces, hyphens and underscores.
    static func lenientMatch<Value>(
        _ text: String,
        in names: [(name: String, value: Value)],
        aliases: [(alias: String, name: String)] = []
    ) -> (name: String, value: Value)? {
        let letters = plain(text)
        guard !letters.isEmpty else { return nil }
        let name = aliases.first { plain($0.alias) == letters }.map { plain($0.name) } ?? letters
        return names.first { plain($0.name) == name }
    }

    private static func plain(_ text: String) -> [UInt8] {
        guard text.utf8.count <= ConfigurationBudget.quotedSize else { return [] }
        return text.lowercased().utf8.filter { ![0x20, UInt8(ascii: "-"), UInt8(ascii: "_")].contains($0) }
    }

    /// Returns the internal identifier, and reports one that is already in use.
    @discardableResult
    func internalID() -> String {
        let id = text(.internalID) ?? ""
        guard !id.isEmpty, let first = context.internalIDs.insert(id, at: place.path) else { return id }
        report(
            .warning, .duplicateInternalID, at: .internalID, "two objects have the same internalID",
            found: self[.internalID]?.found, hint: "\(first) also has it"
        )
        return id
    }

    /// Returns the localizations, without later ones for the same locale.
    func localizations(_ record: FormatRecord) -> [Localization] {
        var locales = UniqueStrings()
        let limit = ConfigurationBudget.localizationCount
        return records(.localizations, record, atMost: limit).compactMap { reader in
            guard let locale = reader.locale(.locale) else { return nil }
            if let first = locales.insert(locale, at: reader.place.path) {
                reader.report(
                    .warning, .duplicateLocale, at: .locale, "two localizations have the same locale",
                    found: reader[.locale]?.found, hint: "\(first) is used"
                )
                return nil
            }
            return Localization(
                locale: locale,
                displayName: reader.text(.displayName) ?? "",
                description: reader.text(.description) ?? ""
            )
        }
    }

    /// Returns the locale in a field as the file spells it, and reports an unusual spelling.
    func locale(_ key: FormatKey) -> String? {
        guard let text = text(key) else { return nil }
        guard !LocaleSpelling.isCanonical(text) else { return text }
        report(
            .warning, .localeSpelling, at: key, "the locale has the wrong spelling",
            expected: "a locale such as en_US or ar", found: self[key]?.found,
            hint: LocaleSpelling.corrected(text).map { "did you mean \($0)" }
        )
        return text
    }
}

extension RecordReader {
    /// Returns the price in a field, or nil where it is missing; an unreadable price is zero and reported.
    func price(_ key: FormatKey) -> Milliunits? {
        guard let place = self[key] else { return nil }
        guard let text = place.looseText else {
            report(
                .error, .wrongType, at: key, "\(key.rawValue) has the wrong type",
                expected: "a decimal in quotation marks", found: place.value.kind.name, hint: "it is read as 0.00"
            )
            return Milliunits(0)
        }
        let (price, problem) = PriceText.read(text)
        if place.value.text == nil {
            report(
                .error, .priceAsNumber, at: key, "\(key.rawValue) is a number and not a string",
                expected: "a decimal in quotation marks", found: place.found,
                hint: problem == nil ? "put it in quotation marks" : "it is read as \(price)"
            )
            return price
        }
        guard let problem else { return price }
        let (code, message, expected) = Self.words(problem, key.rawValue)
        report(.error, code, at: key, message, expected: expected, found: place.found, hint: "it is read as \(price)")
        return price
    }

    private static func words(
        _ problem: PriceText.Problem,
        _ key: String
    ) -> (code: LintFinding.Code, message: String, expected: String) {
        switch problem {
        case .loose, .unreadable: (.malformedPrice, "\(key) is not a decimal number", "a decimal such as 0.99")
        case .negative: (.negativePrice, "\(key) is negative", "zero or more")
        case .tooPrecise: (.priceTooPrecise, "\(key) has too many decimals", "at most three decimals")
        case .outOfRange:
            (.priceOutOfRange, "\(key) is too large", "at most \(Milliunits(ConfigurationBudget.price))")
        }
    }
}
