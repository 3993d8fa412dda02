internal import ReceiptTypes

extension RecordReader {
    /// The price under a key; nil where there is none. One that says nothing is zero, and reported.
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
                .error, .priceAsNumber, at: key, "\(key.rawValue) is a number and not a text",
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
        case .loose, .unreadable: (.malformedPrice, "\(key) is no decimal", "a decimal such as 0.99")
        case .negative: (.negativePrice, "\(key) is negative", "zero or more")
        case .tooPrecise: (.priceTooPrecise, "\(key) has too many decimals", "three decimals at the most")
        case .outOfRange:
            (.priceOutOfRange, "\(key) is too large", "\(Milliunits(ConfigurationBudget.price)) at the most")
        }
    }
}
