internal import ReceiptTypes

/// Something that is often passed for a receipt and is none, such as an order ID: what it is, and where to look it up.
///
/// Only inputs without a receipt are compared, so a name never stands for a receipt. The kinds are tables of functions:
/// files by their first bytes, texts of keys and certificates, JSON by its members, and the words of a short text.
package struct ForeignInput: Sendable, Hashable {
    /// What the input is, with an article: "an Apple order ID".
    package let name: String
    /// Where to find the receipt, in one sentence without a final full stop.
    package let hint: String
    /// Whether the input is a secret that must not be passed on.
    package let isSecret: Bool

    init(_ name: String, _ hint: String, isSecret: Bool = false) {
        self.name = name
        self.hint = hint
        self.isSecret = isSecret
    }

    /// An identifier of a purchase.
    init(_ kind: FoundIdentifier.Kind) {
        self.init(kind.name, kind.lookup)
    }

    /// The bytes of a large input that are compared.
    private static let maximumSize = 262_144

    /// Recognizes an input; nil if it is of no known kind.
    package init?(recognizing text: [UInt8]) {
        let head = Array(text.prefix(Self.maximumSize))
        let isCut = head.count < text.count
        guard let found = (isCut ? Self.privateKey(in: text) : nil) ?? Self.recognize(head, depth: 0) else {
            return nil
        }
        self = found
    }

    /// Recognizes the base64 of JSON in what begins like a JWS; nil if it has a dot or can be the header of a JWS.
    package init?(encodedIn jws: [UInt8]) {
        guard jws.firstIndex(of: ".", from: 0) == nil, let content = InputDetector.looseBase64(jws),
            let object = (try? JSONDocument.value(of: content))?.object, object["alg"] == nil, object["x5c"] == nil
        else { return nil }
        self =
            Self.recognize(jws, depth: 0)
            ?? ForeignInput(
                "the base64 of JSON",
                "decode it to see what it is; a receipt is the signed text that the store has issued")
    }

    /// Returns the private key in a text of any length that can contain receipts too; nil if there is none.
    package static func privateKey(in text: [UInt8]) -> ForeignInput? {
        PEMLabels.contain("PRIVATE KEY", in: ScannedText(text)) ? privateKey : nil
    }

    /// Recognizes an input, or what it encodes in base64.
    static func recognize(_ bytes: [UInt8], depth: Int) -> ForeignInput? {
        let text = CharacterWrappings.withoutUTF16(ScannedText(bytes)) ?? bytes
        let printed = file(bytes) ?? pemFile(text) ?? printedReceipt(text)
        if let found = printed ?? json(text, depth: depth) ?? words(text) { return found }
        let trimmed = InputDetector.trimmed(text)
        guard depth < 2, trimmed.count >= 16, let content = InputDetector.looseBase64(trimmed),
            let found = recognize(content, depth: depth + 1)
        else { return nil }
        // It comes in base64 from the store.
        if found == externalPurchaseToken { return found }
        return ForeignInput("the base64 of \(found.name)", found.hint, isSecret: found.isSecret)
    }
}
