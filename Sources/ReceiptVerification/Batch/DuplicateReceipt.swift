public import ReceiptTypes

/// A purchase that the receipts of a batch present more than once.
///
/// An App Store transaction is identified by its ID, app and environment, and a Google Play purchase by its purchase
/// token and app, or by its order ID if it has no token. Receipts that are not verified count too, with the IDs that
/// they claim to have: a receipt that was copied and changed is a reason to check the copies. A notification does not
/// count, because it reports a transaction that the app can have presented already.
public struct DuplicateReceipt: Sendable, Hashable {
    /// The most occurrences that are listed; ``count`` is exact.
    public static let maximumOccurrences = 20

    /// A receipt that presents the purchase.
    public struct Occurrence: Sendable, Hashable {
        /// The name of the source.
        public let source: String
        /// The number of the record's first line in its source, from 1.
        public let line: Int
        /// The number of the record in its source, from 1.
        public let record: Int
        /// The number of the receipt in its record, from 1.
        public let item: Int
        /// The verdict of the receipt.
        public let verdict: Verdict
        /// The SHA-256 of what is signed, in hexadecimal: the first two segments of a JWS, or the data of a Google Play
        /// purchase; nil if there is none. A redaction replaces it by a pseudonym.
        public let signedDigest: String?
    }

    /// The bundle ID, or the package name on Google Play; nil if the receipts do not have it.
    public let bundleID: String?
    /// The environment; nil on Google Play.
    public let environment: String?
    /// The transaction ID, or the order ID of a Google Play purchase without a token.
    public let transactionID: String?
    /// The purchase token on Google Play.
    public let purchaseToken: String?
    /// The number of receipts that present the purchase, at least 2.
    public private(set) var count = 0
    /// The number of those that are verified.
    public private(set) var verifiedCount = 0
    /// Whether all of them have the same signed content: one receipt that was presented again.
    public private(set) var isSameReceipt = true
    /// The first of them, in the order of the input, at most ``maximumOccurrences``.
    public private(set) var occurrences: [Occurrence] = []

    init(_ purchase: DuplicateEntry.Purchase, _ redaction: Redaction?) {
        let id = redaction?.pseudonym(of: purchase.id) ?? purchase.id
        bundleID = purchase.bundleID
        environment = purchase.environment
        transactionID = purchase.isToken ? nil : id
        purchaseToken = purchase.isToken ? id : nil
    }

    mutating func add(_ entry: DuplicateEntry, from sources: [BatchSource], _ redaction: Redaction?) {
        count += 1
        if entry.verdict == .verified { verifiedCount += 1 }
        let source = sources.indices.contains(entry.source) ? sources[entry.source].name : ""
        let digest = entry.digest?.description
        let occurrence = Occurrence(
            source: redaction?.pseudonym(of: source) ?? source, line: entry.line, record: entry.record,
            item: entry.item,
            verdict: entry.verdict, signedDigest: digest.map { redaction?.pseudonym(of: $0) ?? $0 })
        if digest == nil || occurrence.signedDigest != occurrences.first?.signedDigest, count > 1 {
            isSameReceipt = false
        }
        if occurrences.count < Self.maximumOccurrences { occurrences.append(occurrence) }
    }
}

// MARK: - Output

extension DuplicateReceipt {
    /// The purchase and its occurrences as a JSON object.
    public var json: JSONObject {
        func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
        return [
            "type": .string("duplicate"), "bundleId": text(bundleID), "environment": text(environment),
            "transactionId": text(transactionID), "purchaseToken": text(purchaseToken),
            "count": .integer(Int64(count)), "verified": .integer(Int64(verifiedCount)),
            "sameReceipt": .boolean(isSameReceipt),
            "occurrences": .array(
                occurrences.map { occurrence in
                    .object([
                        "source": .string(occurrence.source), "line": .integer(Int64(occurrence.line)),
                        "record": .integer(Int64(occurrence.record)), "item": .integer(Int64(occurrence.item)),
                        "verdict": .string(occurrence.verdict.rawValue),
                        "signedSha256": text(occurrence.signedDigest),
                    ])
                }),
        ]
    }

    /// The header line of ``csv(keepsDigits:)``.
    public static let csvHeader = [UInt8](
        ("bundleId,environment,transactionId,purchaseToken,count,verified,sameReceipt,source,line,record,item,verdict,"
            + "signedSha256\r\n").utf8)

    /// Returns a line of CSV for each listed occurrence, which begins with the facts about the purchase.
    ///
    /// - Parameter keepsDigits: As ``ResultContents/keepsDigits``.
    public func csv(keepsDigits: Bool = false) -> [UInt8] {
        let writer = ValueWriter(format: .csv, keepsDigits: keepsDigits)
        var beginning: [UInt8] = []
        for text in [bundleID, environment, transactionID, purchaseToken] {
            writer.append(text, to: &beginning)
            beginning.append(CSV.comma)
        }
        for number in [count, verifiedCount] {
            writer.append(number, to: &beginning)
            beginning.append(CSV.comma)
        }
        writer.append(isSameReceipt as Bool?, to: &beginning)
        var lines: [UInt8] = []
        for occurrence in occurrences {
            lines += beginning
            lines.append(CSV.comma)
            writer.append(occurrence.source, to: &lines)
            for number in [occurrence.line, occurrence.record, occurrence.item] {
                lines.append(CSV.comma)
                writer.append(number, to: &lines)
            }
            for text in [occurrence.verdict.rawValue, occurrence.signedDigest] {
                lines.append(CSV.comma)
                writer.append(text, to: &lines)
            }
            lines += [0x0D, 0x0A]
        }
        return lines
    }
}
