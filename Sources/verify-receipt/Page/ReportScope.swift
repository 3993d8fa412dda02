internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// What a run was about: its inputs, and what it has required and chosen.
struct ReportScope {
    /// The most inputs that are named.
    private static let maximumInputs = 5

    /// The names of the first inputs, or their pseudonyms.
    let inputs: [String]
    let inputCount: Int
    /// The number of files of folders that were not read.
    let unreadableCount: Int
    let policy: VerificationPolicy
    /// The flags that choose results and receipts, with their values.
    let choices: [String]
    let isRedacted: Bool
    /// The name of the time zone of days and months.
    let zone: String

    init(
        _ inputs: [BatchInput], unreadableCount: Int, _ redaction: Redaction?, _ policy: VerificationPolicy,
        _ arguments: Arguments
    ) {
        self.inputs = inputs.prefix(Self.maximumInputs).map { redaction?.pseudonym(of: $0.path) ?? $0.path }
        inputCount = inputs.count
        self.unreadableCount = unreadableCount
        self.policy = policy
        let flags: [Flag] = [
            .bundleID, .environment, .kind, .productID, .only, .since, .until, .timeZone, .dateField,
        ]
        choices = flags.filter(arguments.mentions).map {
            "\($0.spelling) \(arguments.values(of: $0).joined(separator: ","))"
        }
        isRedacted = redaction != nil
        zone = arguments.value(of: .timeZone) ?? "UTC"
    }

    /// The inputs in words.
    var inputText: String {
        let names = inputs.map { $0 == "-" ? "standard input" : PageText.shown($0) }.joined(separator: ", ")
        return inputCount > inputs.count ? "\(names) and \(PageText.number(inputCount - inputs.count)) more" : names
    }

    /// What a reader has to know about the verdicts.
    func notes(_ summary: BatchSummary) -> [String] {
        let kinds = summary.kinds.keys.compactMap(ReceiptKind.init(rawValue:))
        var notes: [String] = []
        if !kinds.isEmpty {
            notes +=
                (PolicyWarning.warnings(for: policy, kinds: kinds)
                + PolicyWarning.warnings(forMissing: summary.missingClaims.keys)).map { $0.message }
        }
        if summary.undated > 0 {
            notes.append(
                "\(PageText.count(summary.undated, "result")) without the date that --since and --until compare: "
                    + "left out"
            )
        }
        if summary.searchable > 0 {
            notes.append(
                "\(PageText.count(summary.searchable, "record")) with a receipt among other text: not verified")
        }
        if summary.empty > 0 { notes.append("\(PageText.count(summary.empty, "record")) without a receipt: no result") }
        if summary.misquoted > 0 {
            notes.append(
                "\(PageText.count(summary.misquoted, "row")) with a quotation mark that is not closed: the receipts in "
                    + "such rows have no results of their own")
        }
        if unreadableCount > 0 {
            notes.append("\(PageText.count(unreadableCount, "entry of a folder", "entries of folders")): not read")
        }
        if isRedacted { notes.append("IDs, tokens and the names of inputs are replaced by pseudonyms") }
        return notes.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    }
}
