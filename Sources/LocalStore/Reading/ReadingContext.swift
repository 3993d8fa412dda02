/// The shared state of the readers of one file: the findings, and the identifiers that must be unique.
///
/// A class, because every reader adds to the same findings. It does not leave ``ConfigurationReader``.
final class ReadingContext {
    /// A finding whose byte offset is not converted to line and column yet.
    private struct Entry {
        var finding: LintFinding
        var offset: Int
    }

    /// The major format version of the file; newer keys are reported.
    var formatVersion = FormatRecord.versions.upperBound
    private var entries: [Entry] = []
    /// The identifiers of all products.
    var productIDs = UniqueStrings()
    /// The identifiers of all groups.
    var groupIDs = UniqueStrings()
    /// All internal identifiers.
    var internalIDs = UniqueStrings()

    /// Whether the limit of findings is exceeded, so further ones are dropped.
    var isFull: Bool { entries.count > ConfigurationBudget.findingCount }

    /// Reports a finding at a byte offset.
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
                .warning, .tooManyFindings, line: 0, column: 0,
                message: "there are more findings than the \(ConfigurationBudget.findingCount) that are reported"
            )
        }
        entries.append(Entry(finding: finding, offset: offset))
    }

    /// Reports a finding about a value.
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

    /// Returns the findings in file order, with lines and columns; findings at one place keep their order.
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

/// A set of strings that must be unique, compared byte by byte, each with the path of its first use.
struct UniqueStrings {
    private var paths: [[UInt8]: String] = [:]

    /// Inserts a string; returns the path of its first use where it is already present.
    mutating func insert(_ string: String, at path: String) -> String? {
        let bytes = Array(string.utf8)
        if let first = paths[bytes] { return first }
        paths[bytes] = path
        return nil
    }
}
