public import ReceiptTypes

/// Replaces the identifiers of purchases and customers by pseudonyms, in results that leave the company.
///
/// A pseudonym is `r-` and the first half of the HMAC-SHA256 of the identifier in hexadecimal. Under one key, an
/// identifier has the same pseudonym wherever it is, so that results can still be joined; without the key, it cannot be
/// guessed.
///
/// In payloads, the IDs of transactions, orders and requests, the tokens of purchases and accounts, and signed receipts
/// are replaced, and so is every text and number in a member that this version does not know. Apps, products, prices,
/// dates and certificates are kept.
public struct Redaction: Sendable {
    /// The smallest number of bytes in a key.
    public static let minimumKeyCount = 32

    private static let prefix = "r-"
    private static let digitCount = 32
    /// The digits of which a word has fewer unless it is an identifier: a date and an App Store ID have at most ten.
    private static let digitsOfIdentifiers = 11
    /// The length from which an identifier is replaced within words too.
    private static let lengthOfDistinctText = 6

    private let key: HMACKey

    /// Creates a redaction under a key of at least ``minimumKeyCount`` bytes; nil if the key is shorter.
    public init?(key: [UInt8]) {
        guard key.count >= Self.minimumKeyCount, let key = try? HMACKey(key) else { return nil }
        self.key = key
    }

    /// Returns a redaction under a random key, which only this process knows.
    public static func random() throws(CryptoFault) -> Redaction {
        guard let redaction = Redaction(key: try OpenSSL.randomBytes(minimumKeyCount)) else { throw .libraryFailure }
        return redaction
    }

    // MARK: Values

    /// Returns the pseudonym of an identifier.
    public func pseudonym(of identifier: String) -> String { pseudonym(of: [UInt8](identifier.utf8)) }

    /// Returns the pseudonym of an identifier in UTF-8.
    func pseudonym(of identifier: [UInt8]) -> String {
        guard let code = try? key.code(of: identifier) else { return "\(Self.prefix)unknown" }
        return Self.prefix + Hexadecimal.encode(code.bytes.prefix(Self.digitCount / 2))
    }

    /// Returns a payload with a pseudonym in place of each identifier.
    public func redacted(_ payload: JSONObject) -> JSONObject {
        var object = JSONObject()
        for member in payload.members { object.append(member.name, redacted(member.value, named: member.name)) }
        return object
    }

    /// The parser bounds the depth of the recursion.
    func redacted(_ value: JSONValue, named name: String) -> JSONValue {
        switch value {
        case .object(let object): .object(redacted(object))
        case .array(let elements): .array(elements.map { redacted($0, named: name) })
        case .null, .boolean: value
        case .string(let text): keeps(name) || text.isEmpty ? value : .string(pseudonym(of: text))
        case .integer(let number): keeps(name) ? value : .string(pseudonym(of: String(number)))
        case .decimal(let number): keeps(name) ? value : .string(pseudonym(of: number.description))
        }
    }

    // MARK: Members

    private static let identifiers: Set<String> = [
        "transactionId", "originalTransactionId", "previousOriginalTransactionId", "webOrderLineItemId",
        "appTransactionId", "appAccountToken",
        "notificationUUID", "requestIdentifier", "requestReferenceId", "consistencyToken", "externalPurchaseId",
        "deviceVerification", "deviceVerificationNonce",
        "signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
        "downloadId", "opaqueValue", "deviceHash", "value",
        "orderId", "purchaseToken", "token", "developerPayload", "obfuscatedAccountId", "obfuscatedProfileId",
    ]

    private static let keptNames = Set(ReceiptKind.allCases.flatMap { names(in: .object($0.schema)) })
        .subtracting(identifiers)

    /// No model contains itself, which bounds the recursion.
    private static func names(in shape: FieldShape) -> [String] {
        switch shape {
        case .object(let schema): schema.fields.flatMap { [$0.name] + names(in: $0.shape) }
        case .list(let element): names(in: element)
        default: []
        }
    }

    /// Returns whether the values of a member stay as they are.
    func keeps(_ name: String) -> Bool { Self.keptNames.contains(name) }

    /// Returns the identifiers in a payload, as failures write them.
    func identifiers(in payload: JSONObject) -> [String] {
        payload.members.flatMap { identifiers(in: $0.value, named: $0.name) }
    }

    /// The parser bounds the depth of the recursion.
    private func identifiers(in value: JSONValue, named name: String) -> [String] {
        switch value {
        case .object(let object): identifiers(in: object)
        case .array(let elements): elements.flatMap { identifiers(in: $0, named: name) }
        case .null, .boolean: []
        case .string(let text): keeps(name) || text.isEmpty ? [] : [text]
        case .integer(let number): keeps(name) ? [] : [String(number)]
        case .decimal(let number): keeps(name) ? [] : [number.description]
        }
    }

    // MARK: Words

    /// Returns a message with pseudonyms in place of the given identifiers, and of the words that have the form of one:
    /// a UUID, or eleven digits and more.
    func redacted(_ message: String, identifiers: [String]) -> String {
        var message = message
        let identifiers = Set(identifiers.filter { $0.contains { $0.isLetter || $0.isNumber } })
        let words = identifiers.filter { $0.utf8.count < Self.lengthOfDistinctText && $0.allSatisfy(Self.isInWord) }
        // The longest first, so that no part of one stays where a shorter one was replaced.
        for identifier in identifiers.subtracting(words).sorted(by: { ($1.utf8.count, $0) < ($0.utf8.count, $1) }) {
            message = message.replacing(identifier, with: pseudonym(of: identifier))
        }
        var result = ""
        var word = ""
        for character in message + " " {
            if Self.isInWord(character) {
                word.append(character)
                continue
            }
            result += redacted(word: word, words)
            result.append(character)
            word = ""
        }
        return String(result.dropLast())
    }

    private static func isInWord(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.:".contains(character))
    }

    private func redacted(word: String, _ identifiers: Set<String>) -> String {
        let end = word.reversed().prefix { $0 == "." || $0 == ":" }.count
        let core = String(word.dropLast(end))
        guard identifiers.contains(core) || Self.isIdentifier(core) else { return word }
        return pseudonym(of: core) + word.suffix(end)
    }

    private static func isIdentifier(_ word: String) -> Bool {
        if UUIDText(word).isUUID { return true }
        guard word.count(where: \.isNumber) >= digitsOfIdentifiers else { return false }
        // Digests, serial numbers of certificates, times and pseudonyms.
        let isSerialNumber = word.allSatisfy { $0.isHexDigit && !$0.isLowercase } && word.contains(where: \.isLetter)
        let isPseudonym = word.hasPrefix(prefix) && word.dropFirst(prefix.count).count == digitCount
        return !isSerialNumber && !isPseudonym && SHA256Digest(hexadecimal: word) == nil
            && Timestamp(rfc3339: word) == nil
    }
}

// MARK: - Reports

extension Redaction {
    /// Returns a report with pseudonyms in place of the identifiers in its payload, its failure and its checks.
    public func redacted(_ report: ReceiptReport) -> ReceiptReport { redacted(report, identifiers: []) }

    /// A notification has no receipts inside the receipts in it, which bounds the recursion.
    private func redacted(_ report: ReceiptReport, identifiers outer: [String]) -> ReceiptReport {
        let identifiers = outer + self.identifiers(in: report)
        var copy = report
        copy.payload = report.payload.map { redacted($0) }
        copy.failure = report.failure.map { redacted($0, identifiers: identifiers) }
        copy.nested = report.nested.map {
            .init(name: $0.name, report: redacted($0.report, identifiers: identifiers))
        }
        copy.trace = VerificationTrace()
        for event in report.trace.events {
            var event = event
            event.expected = event.expected.map { redacted($0, identifiers: identifiers) }
            event.actual = event.actual.map { redacted($0, identifiers: identifiers) }
            event.note = event.note.map { redacted($0, identifiers: identifiers) }
            copy.trace.append(event)
        }
        return copy
    }

    private func identifiers(in report: ReceiptReport) -> [String] {
        let payloads = [report.payload, report.failure?.untrustedPayload].compactMap(\.self)
        return payloads.flatMap { identifiers(in: $0) } + report.nested.flatMap { identifiers(in: $0.report) }
    }

    /// Returns a failure with pseudonyms in place of the identifiers in it.
    func redacted(_ failure: VerificationFailure, identifiers: [String]) -> VerificationFailure {
        VerificationFailure(
            code: failure.code, expected: failure.expected.map { redacted($0, identifiers: identifiers) },
            actual: failure.actual.map { redacted($0, identifiers: identifiers) },
            certificateIndex: failure.certificateIndex, hint: redacted(failure.hint, identifiers: identifiers),
            identifiers: failure.identifiers.map { FoundIdentifier($0.kind, pseudonym(of: $0.value)) },
            untrustedPayload: failure.untrustedPayload.map { redacted($0) })
    }
}
