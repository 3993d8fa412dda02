/// What one walk through a file gathers: findings, and the ids that may appear only once.
///
/// A reference, since everything that reads a part of the file adds to it; it never leaves the walk.
final class ConfigurationWalk {
    /// A finding whose place is not counted in lines yet.
    private struct Entry {
        var finding: LintFinding
        var offset: Int
    }

    /// The major version of the file, by which its keys are judged.
    var formatVersion = FormatRecord.versions.upperBound
    private var entries: [Entry] = []
    /// The ids of all products.
    var productIDs = UniqueTexts()
    /// The ids of all groups.
    var groupIDs = UniqueTexts()
    /// The internal ids of everything that has one.
    var internalIDs = UniqueTexts()

    /// Whether no more findings are told.
    var isFull: Bool { entries.count > ConfigurationBudget.findingCount }

    /// Reports something at a place in the text.
    func report(
        _ severity: LintFinding.Severity,
        _ code: LintFinding.Code,
        at offset: Int,
        path: String,
        _ message: String,
        expected: String? = nil,
        found: String? = nil,
        hint: String? = nil
    ) {
        guard !isFull else { return }
        var finding = LintFinding(
            severity, code, line: 0, column: 0, path: path, message: message, expected: expected, found: found,
            hint: hint
        )
        if entries.count == ConfigurationBudget.findingCount {
            finding = LintFinding(
                .warning, .tooManyFindings, line: 0, column: 0, message: "there are more findings than are told"
            )
        }
        entries.append(Entry(finding: finding, offset: offset))
    }

    /// Reports something about a value.
    func report(
        _ severity: LintFinding.Severity,
        _ code: LintFinding.Code,
        at value: SourceValue,
        _ message: String,
        expected: String? = nil,
        found: String? = nil,
        hint: String? = nil
    ) {
        report(
            severity, code, at: value.range.lowerBound, path: value.path, message, expected: expected, found: found,
            hint: hint
        )
    }

    /// The findings in the order of their places; of one place, in the order in which they were found.
    func findings(in bytes: [UInt8]) -> [LintFinding] {
        let sorted = entries.enumerated().sorted {
            ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
        }
        let places = SourceText.places(of: sorted.map(\.element.offset), in: bytes)
        return zip(sorted, places).map { entry, place in
            var finding = entry.element.finding
            finding.line = place.line
            finding.column = place.column
            return finding
        }
    }
}
