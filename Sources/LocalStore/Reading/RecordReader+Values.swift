internal import PurchaseCore
internal import ReceiptTypes

extension RecordReader {
    /// The period under a key, exactly; nil where there is none that can be read, and then `otherwise` says what becomes
    /// of that.
    func period(_ key: FormatKey, otherwise: String) -> BillingPeriod? {
        guard let text = text(key), self[key]?.value.text != nil else { return nil }
        if let period = BillingPeriod(iso8601: text) { return period }
        let plain = text.utf8.count <= 16 ? String(text.uppercased().filter { $0 != " " }) : ""
        let reading = BillingPeriod(iso8601: plain)
        report(
            .error, .malformedPeriod, at: key, "\(key.rawValue) is no ISO 8601 period",
            expected: "a period such as P1M", found: self[key]?.found,
            hint: reading.map { "it is read as \($0)" } ?? otherwise
        )
        return reading
    }

    /// The value under a key that has one of a few names; reported where it has none of them, with what it is read as,
    /// or else with what `otherwise` says.
    ///
    /// - Parameter others: Names from elsewhere, each with the one that it stands for.
    func choice<Value>(
        _ key: FormatKey,
        of names: [(name: String, value: Value)],
        others: [(other: String, name: String)] = [],
        otherwise: String? = nil
    ) -> Value? {
        guard let text = text(key) else { return nil }
        if let exact = names.first(where: { $0.name.isIdentical(to: text) }) { return exact.value }
        let meant = Self.meant(text, in: names, others: others)
        report(
            .error, .unknownValue, at: key, "\(key.rawValue) has no such value",
            expected: Quotation.choice(names.map(\.name)), found: self[key]?.found,
            hint: meant.map { "it is read as \($0.name)" } ?? otherwise
        )
        return meant?.value
    }

    /// The name that a text spells, or stands for, without regard to case and hyphens.
    static func meant<Value>(
        _ text: String,
        in names: [(name: String, value: Value)],
        others: [(other: String, name: String)] = []
    ) -> (name: String, value: Value)? {
        let letters = plain(text)
        guard !letters.isEmpty else { return nil }
        let name = others.first { plain($0.other) == letters }.map { plain($0.name) } ?? letters
        return names.first { plain($0.name) == name }
    }

    private static func plain(_ text: String) -> [UInt8] {
        guard text.utf8.count <= ConfigurationBudget.quotedSize else { return [] }
        return text.lowercased().utf8.filter { ![0x20, UInt8(ascii: "-"), UInt8(ascii: "_")].contains($0) }
    }

    /// Takes note of the internal id, which nothing else in the file may have.
    @discardableResult
    func internalID() -> String {
        let id = text(.internalID) ?? ""
        guard !id.isEmpty, let first = walk.internalIDs.insert(id, at: place.path) else { return id }
        report(
            .warning, .duplicateInternalID, at: .internalID, "the internal id is that of something else",
            found: self[.internalID]?.found, hint: "it is that of \(first)"
        )
        return id
    }

    /// The names by language, those of a language that is there already left out.
    func localizations(_ record: FormatRecord) -> [Localization] {
        var locales = UniqueTexts()
        let limit = ConfigurationBudget.localizationCount
        return records(.localizations, record, atMost: limit).compactMap { reader in
            guard let locale = reader.locale(.locale) else { return nil }
            if let first = locales.insert(locale, at: reader.place.path) {
                reader.report(
                    .warning, .duplicateLocale, at: .locale, "the language is there already",
                    found: reader[.locale]?.found, hint: "\(first) counts"
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

    /// The language under a key, as the file spells it.
    func locale(_ key: FormatKey) -> String? {
        guard let text = text(key) else { return nil }
        guard !LocaleSpelling.isGood(text) else { return text }
        report(
            .warning, .localeSpelling, at: key, "the language is not spelled as the format does it",
            expected: "a language such as en_US or ar", found: self[key]?.found,
            hint: LocaleSpelling.corrected(text).map { "did you mean \($0)" }
        )
        return text
    }
}
