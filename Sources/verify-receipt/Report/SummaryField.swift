internal import ReceiptTypes

/// A line of a summary: a field of the payload, or what follows from some of them, and its label.
struct SummaryField {
    /// A payload, and what the verifier has found out about it.
    struct Source {
        let kind: ReceiptKind
        let payload: JSONObject
        /// The environment that the verifier has derived; nil if the payload is not verified or tells none.
        var environment: StoreEnvironment?
        /// The time with which dates are compared; nil to compare none.
        var now: Timestamp?

        var currency: String? { payload["currency"]?.text }
    }

    let label: String
    /// The paths of the members that the line is made of.
    let paths: [[String]]
    private let make: (Source) -> [String]

    /// Creates the line of a member.
    ///
    /// - Parameter remark: Returns what follows the value.
    init(_ label: String, _ path: String..., remark: @escaping (Source) -> String = { _ in "" }) {
        self.init(label, of: [path]) { source in
            Self.text(at: path, in: source).map { [$0 + remark(source)] } ?? []
        }
    }

    /// Creates lines that are made of several members; the first one has the label.
    init(_ label: String, of paths: [[String]], _ make: @escaping (Source) -> [String]) {
        self.label = label
        self.paths = paths
        self.make = make
    }

    /// Returns the texts of the lines; none if the payload has nothing for them.
    func texts(in source: Source) -> [String] { make(source) }

    // MARK: Values

    /// Returns the value at a path for display; nil if it is absent.
    private static func text(at path: [String], in source: Source) -> String? {
        var object = source.payload
        var schema = source.kind.schema
        for name in path.dropLast() {
            guard let inner = object[name]?.object else { return nil }
            object = inner
            if case .object(let innerSchema)? = schema[name]?.shape { schema = innerSchema }
        }
        guard let name = path.last, let value = object[name], value != .null else { return nil }
        if schema[name]?.isMoney == true, let amount = value.integer {
            return amountText(Milliunits(amount), source.currency)
        }
        if let elements = value.elements, !elements.isEmpty, elements.allSatisfy({ $0.text != nil }) {
            return listText(elements.compactMap(\.text))
        }
        return schema[name]?.displayText(of: value) ?? value.displayText
    }

    /// The most elements of a list that are shown; `--json` has all.
    private static let listedElements = 20

    static func listText(_ elements: [String]) -> String {
        let rest = elements.count - listedElements
        return elements.prefix(listedElements).joined(separator: ", ") + (rest > 0 ? ", and \(rest) more" : "")
    }

    static func amountText(_ amount: Milliunits, _ currency: String?) -> String {
        amount.text(decimals: CurrencyDecimals.count(of: currency)) + (currency.map { " \($0)" } ?? "")
    }

    static func dateText(_ date: Timestamp, _ source: Source) -> String {
        "\(date)" + (source.now.map { date < $0 } ?? false ? " (in the past)" : "")
    }
}
