internal import CommandLineInterface
internal import LocalStore

extension FaultPlan {
    /// The places that a process of one command passes.
    private static let changes: [FaultPoint] = [.beforeSaving, .afterSaving, .beforeAnswering]
    private static let calls: [FaultPoint] = [.history, .unfinishedTransactions, .subscriptionStatuses, .signing]

    /// What `--fault` asks for; nothing without it.
    static func of(_ arguments: Arguments) throws(UsageError) -> FaultPlan {
        let points = arguments.command == .entitlements ? calls : changes
        var faults: [Fault] = []
        for text in arguments.values(of: .fault) { faults.append(try fault(text, points)) }
        return FaultPlan(faults: faults)
    }

    private static func fault(_ text: String, _ points: [FaultPoint]) throws(UsageError) -> Fault {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let place = (parts.first ?? "").split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        let names = points.map(\.hyphenated)
        guard parts.count == 2, let name = WordSearch.match(place.first ?? "", in: names),
            let point = points.first(where: { $0.hyphenated == name })
        else {
            throw UsageError(
                "--fault does not take \(Escaped(text).quoted)",
                hint: "write PLACE=WHAT, where PLACE is one of \(names.joined(separator: ", "))"
            )
        }
        var occurrence = Fault.Occurrence.always
        if place.count == 2 {
            guard let number = Int(place[1]), number >= 1 else {
                throw UsageError("\(Escaped(place[1]).quoted) is no number from 1 on", hint: "write PLACE:N=WHAT")
            }
            occurrence = .nth(number)
        }
        return Fault(at: point, when: occurrence, do: try action(parts[1], at: point))
    }

    private static func action(_ text: String, at point: FaultPoint) throws(UsageError) -> FaultAction {
        switch (text.lowercased(), point) {
        case ("crash", _): return .crash
        case ("unknown-root", .signing): return .signUnderUnknownRoot
        case ("flip-bit", .signing): return .flipBit
        case (let code, .history), (let code, .unfinishedTransactions), (let code, .subscriptionStatuses):
            guard !code.isEmpty else { break }
            return .fail(code: code)
        default: break
        }
        throw UsageError(
            "\(point.hyphenated) cannot go wrong by \(Escaped(text).quoted)",
            hint: point == .signing ? "it takes crash, unknown-root or flip-bit" : "it takes crash"
        )
    }
}

extension FaultPoint {
    /// The name as the command line has it: `before-saving`.
    fileprivate var hyphenated: String {
        rawValue.reduce(into: "") { text, letter in
            text += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
        }
    }
}
