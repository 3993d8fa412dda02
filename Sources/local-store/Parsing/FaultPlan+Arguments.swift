internal import CommandLineInterface
internal import LocalStore

extension FaultPlan {
    /// The places that a command passes when it changes the store.
    private static let placesOfChanges: [FaultPoint] = [.beforeSaving, .afterSaving, .beforeAnswering]
    /// The places that `entitlements` passes when it calls the store as an app.
    private static let placesOfCalls: [FaultPoint] = [
        .history, .unfinishedTransactions, .subscriptionStatuses, .signing,
    ]

    /// Creates the plan that the `--fault` flags describe; without the flag it is empty.
    init(_ arguments: Arguments) throws(UsageError) {
        let places = arguments.command == .entitlements ? Self.placesOfCalls : Self.placesOfChanges
        var faults: [Fault] = []
        for text in arguments.values(of: .fault) { faults.append(try Self.fault(text, places)) }
        self.init(faults: faults)
    }

    /// Parses `PLACE=WHAT` or `PLACE:N=WHAT`.
    private static func fault(_ text: String, _ places: [FaultPoint]) throws(UsageError) -> Fault {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let place = (parts.first ?? "").split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        let names = places.map(\.hyphenated)
        guard parts.count == 2, let name = WordSearch.match(place.first ?? "", in: names),
            let point = places.first(where: { $0.hyphenated == name })
        else {
            throw UsageError(
                "invalid value \(Escaped(text).quoted) for --fault",
                hint: "write PLACE=WHAT, where PLACE is one of \(names.joined(separator: ", "))"
            )
        }
        var occurrence = Fault.Occurrence.always
        if place.count == 2 {
            guard let number = Int(place[1]), number >= 1 else {
                throw UsageError(
                    "invalid occurrence \(Escaped(place[1]).quoted) in --fault",
                    hint: "write PLACE:N=WHAT, where N is 1 or greater"
                )
            }
            occurrence = .nth(number)
        }
        return Fault(at: point, when: occurrence, do: try action(parts[1], at: point))
    }

    private static func action(_ text: String, at point: FaultPoint) throws(UsageError) -> FaultAction {
        let hint: String
        switch (text.lowercased(), point) {
        case ("crash", _): return .crash
        case ("unknown-root", .signing): return .signUnderUnknownRoot
        case ("flip-bit", .signing): return .flipBit
        case (_, .signing):
            hint = "use crash, unknown-root or flip-bit"
        case (let code, .history), (let code, .unfinishedTransactions), (let code, .subscriptionStatuses):
            guard code.isEmpty else { return .fail(code: code) }
            hint = "use crash, or an error code such as network"
        default:
            hint = "use crash"
        }
        throw UsageError("invalid fault \(Escaped(text).quoted) for \(point.hyphenated)", hint: Escaped(hint))
    }
}

extension FaultPoint {
    /// The name as it is spelled on the command line: `before-saving` for `beforeSaving`.
    fileprivate var hyphenated: String {
        rawValue.reduce(into: "") { text, letter in
            text += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
        }
    }
}
