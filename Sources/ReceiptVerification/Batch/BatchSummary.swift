public import ReceiptTypes

/// Counts of the results of a batch.
public struct BatchSummary: Sendable, Hashable {
    /// The number of results.
    public internal(set) var total = 0
    /// The number of results by verdict.
    public internal(set) var verdicts: [Verdict: Int] = [:]
    /// The number of results by failure code.
    public internal(set) var codes: [String: Int] = [:]
    /// The number of verified receipts by kind.
    public internal(set) var kinds: [String: Int] = [:]
    /// The number of verified receipts by environment, if they name one.
    public internal(set) var environments: [String: Int] = [:]
    /// The number of verified receipts by required claim that they do not have; see ``ReceiptReport/missingClaims``.
    public internal(set) var missingClaims: [String: Int] = [:]

    /// The number of verified receipts whose purchase the store has revoked, such as by a refund.
    ///
    /// They are verified receipts too, and counted with these. A notification counts if the transaction inside it is
    /// revoked.
    public internal(set) var revoked = 0

    /// The number of records that are not a receipt as they are, and in which a search finds one.
    ///
    /// A batch does not verify what only a search finds.
    public internal(set) var searchable = 0

    /// The number of results that are left out because a period is chosen (``ResultContents/period``) and they have no
    /// date.
    ///
    /// They are those of receipts that are not verified, and of verified ones without the date.
    public internal(set) var undated = 0

    /// The number of records without a receipt: blank ones, and those whose receipt is null, an array without elements,
    /// an empty cell, or a cell with `NULL`, `null` or `\N`.
    ///
    /// They have a result only if every record has one, and then the code `empty`.
    public internal(set) var empty = 0

    /// The number of rows of CSV in which a quotation mark opens a cell and none closes it: the next one, or the end of
    /// the source, can be many lines later.
    ///
    /// Lines that it may have joined to one row have one result, with the code `record-malformed` or `too-large`. So
    /// the results of a run with such rows are incomplete.
    public internal(set) var misquoted = 0

    /// A row of CSV in which no quotation mark closes a cell.
    public struct MisquotedRow: Sendable, Hashable {
        /// The name of the source.
        public let source: String
        /// The number of the first line of the row.
        public let line: Int
        /// The number of lines that were read as one row.
        public let lineCount: Int
    }

    /// The first of the misquoted rows in this run, which is not part of ``json``.
    public internal(set) var firstMisquoted: MisquotedRow?

    mutating func addMisquoted(_ row: MisquotedRow) {
        misquoted += 1
        firstMisquoted = firstMisquoted ?? row
    }

    /// A name that no record, or no receipt, has.
    public struct AbsentName: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The name that may be meant: the most similar one that is there.
        public let suggestion: String?
    }

    /// The members to keep (``KeptInput/names``) that no record of JSON has, which are probably misspelled.
    ///
    /// They are known at the end of a run from the beginning; ``json`` does not have them. A column that is not in the
    /// header line of CSV ends a run instead.
    public package(set) var absentNames: [AbsentName] = []

    /// The chosen fields `payload.NAME` (``ResultFields``) whose member no verified receipt has, which are probably
    /// misspelled.
    ///
    /// Like ``absentNames``, they are known at the end of a run from the beginning.
    public package(set) var absentFields: [AbsentName] = []

    /// Creates a summary without results.
    public init() {}

    /// Adds the counts of another summary.
    package mutating func add(_ other: BatchSummary) {
        total += other.total
        verdicts.merge(other.verdicts, uniquingKeysWith: +)
        codes.merge(other.codes, uniquingKeysWith: +)
        kinds.merge(other.kinds, uniquingKeysWith: +)
        environments.merge(other.environments, uniquingKeysWith: +)
        revoked += other.revoked
        searchable += other.searchable
        undated += other.undated
        empty += other.empty
        misquoted += other.misquoted
        firstMisquoted = firstMisquoted ?? other.firstMisquoted
        missingClaims.merge(other.missingClaims, uniquingKeysWith: +)
    }

    mutating func add(_ result: BatchResult) {
        let receipt = result.receipt
        total += 1
        verdicts[receipt.verdict, default: 0] += 1
        if let code = receipt.examination.failure?.code { codes[code.rawValue, default: 0] += 1 }
        guard receipt.isVerified else { return }
        if let kind = receipt.kind { kinds[kind.rawValue, default: 0] += 1 }
        if let environment = result.claims?.environment { environments[environment, default: 0] += 1 }
        if result.isRevoked { revoked += 1 }
        for name in receipt.missing.names { missingClaims[name, default: 0] += 1 }
    }

    /// The summary as a JSON object; `searchable`, `undated`, `empty` and `misquoted` are members only if there are
    /// such records.
    public var json: JSONObject {
        var object: JSONObject = [
            "type": .string("summary"),
            "total": .integer(Int64(total)),
            "verdicts": Self.counts(
                Dictionary(uniqueKeysWithValues: Verdict.allCases.map { ($0.rawValue, verdicts[$0] ?? 0) })),
            "codes": Self.counts(codes),
            "kinds": Self.counts(kinds),
            "environments": Self.counts(environments),
            "revoked": .integer(Int64(revoked)),
            "missing": Self.counts(missingClaims),
        ]
        if searchable > 0 { object.append("searchable", .integer(Int64(searchable))) }
        if undated > 0 { object.append("undated", .integer(Int64(undated))) }
        if empty > 0 { object.append("empty", .integer(Int64(empty))) }
        if misquoted > 0 { object.append("misquoted", .integer(Int64(misquoted))) }
        return object
    }

    /// The largest count that is read: far above any file, and far below an overflow when further results are added.
    static let maximumCount: Int64 = 1 << 56

    /// Reads a summary from its ``json`` form; nil if a member is missing or has an unexpected value.
    ///
    /// Each count must be possible: none is larger than the total, and the verdicts add up to it.
    package init?(json object: JSONObject) {
        guard let total = object["total"]?.integer, let verdicts = Self.counts(object["verdicts"]),
            let codes = Self.counts(object["codes"]), let kinds = Self.counts(object["kinds"]),
            let environments = Self.counts(object["environments"]),
            let missing = Self.counts(object["missing"]),
            let revoked = object["revoked"]?.integer, (0...Self.maximumCount).contains(total),
            [verdicts, codes, kinds, environments, missing].allSatisfy({ $0.values.allSatisfy { $0 <= total } }),
            verdicts.count <= Verdict.allCases.count, verdicts.values.reduce(0, +) == total,
            (0...Int64(verdicts[Verdict.verified.rawValue] ?? 0)).contains(revoked),
            (0...total).contains(object["searchable"].map { $0.integer ?? -1 } ?? 0),
            (0...total).contains(object["undated"].map { $0.integer ?? -1 } ?? 0),
            (0...Self.maximumCount).contains(object["empty"].map { $0.integer ?? -1 } ?? 0),
            (0...Self.maximumCount).contains(object["misquoted"].map { $0.integer ?? -1 } ?? 0)
        else { return nil }
        self.total = Int(total)
        searchable = Int(object["searchable"]?.integer ?? 0)
        undated = Int(object["undated"]?.integer ?? 0)
        empty = Int(object["empty"]?.integer ?? 0)
        misquoted = Int(object["misquoted"]?.integer ?? 0)
        self.revoked = Int(revoked)
        for (name, count) in verdicts where count > 0 {
            guard let verdict = Verdict(rawValue: name) else { return nil }
            self.verdicts[verdict] = count
        }
        self.codes = codes
        self.kinds = kinds
        self.environments = environments
        missingClaims = missing
    }

    private static func counts(_ value: JSONValue?) -> [String: Int]? {
        guard let object = value?.object else { return nil }
        var counts: [String: Int] = [:]
        for member in object.members {
            guard let count = member.value.integer, (0...maximumCount).contains(count) else { return nil }
            counts[member.name] = Int(count)
        }
        return counts
    }

    private static func counts(_ counts: [String: Int]) -> JSONValue {
        var object = JSONObject()
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) { object.append(name, .integer(Int64(count))) }
        return .object(object)
    }
}
