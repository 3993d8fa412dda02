import PurchaseCore
internal import ReceiptVerification
import SQLite

/// The signed content of a delivery as the database stores it: encrypted, once, under its digest.
struct SignedText {
    /// The SHA-256 digest of the text that identifies the delivery.
    let digest: [UInt8]
    /// The signed content: the JWS; the data and the signature of a Google Play purchase; or the name of the form, its
    /// version, and the base64 of an app receipt.
    ///
    /// The number of parts tells the forms apart.
    let parts: [String]

    init(_ text: String, _ parts: [String]) throws(DatabaseError) {
        digest = try Self.digest(of: text)
        self.parts = parts
    }

    init(jws: String) throws(DatabaseError) {
        try self.init(jws, [jws])
    }

    init(_ content: SignedContent) throws(DatabaseError) {
        switch content {
        case .jws(let jws): try self.init(jws: jws)
        case .play(let purchase): try self.init(purchase.json, [purchase.data, purchase.signature])
        case .appReceipt(let receipt): try self.init(receipt.base64, Self.appReceiptForm + [receipt.base64])
        }
    }

    fileprivate static let appReceiptForm = ["app-receipt", "1"]

    /// The condition of a row of `signed_texts` to which no other row refers.
    static let isUnused = ["deliveries", "renewal_infos", "purchases"].map {
        "NOT EXISTS (SELECT 1 FROM \($0) WHERE text_digest = signed_texts.digest)"
    }.joined(separator: " AND ")

    /// Returns the SHA-256 digest of a text's UTF-8 bytes.
    static func digest(of text: String) throws(DatabaseError) -> [UInt8] {
        do throws(CryptoFault) {
            return try SHA256Digest.of(bytes: Array(text.utf8)).bytes
        } catch {
            throw DatabaseError(.outOfMemory, error.message, underlying: error)
        }
    }
}

extension SignedContent {
    /// Creates the content from the parts of a ``SignedText``; nil if this version does not write such parts.
    init?(parts: [String]) {
        switch parts.count {
        case 1: self = .jws(parts[0])
        case 2: self = .play(SignedPlayPurchase(data: parts[0], signature: parts[1]))
        case 3 where Array(parts.prefix(2)) == SignedText.appReceiptForm:
            self = .appReceipt(SignedAppReceipt(base64: parts[2]))
        default: return nil
        }
    }
}

extension DatabaseSession {
    /// Stores a signed text unless it is stored already and can be read.
    func store(_ text: SignedText) throws(DatabaseError) {
        if let sealed = try sealedText(text.digest), try SignedTextRow.open(sealed, text.digest, key) != nil { return }
        try connection.execute(
            "INSERT INTO signed_texts (digest, sealed) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET sealed = ?2",
            [.blob(text.digest), .blob(try SignedTextRow.seal(text.parts, text.digest, key))])
        noteWritten("signed_texts", .blob(text.digest))
    }

    /// Returns the parts of a signed text; nil if it is missing or was changed, which is reported.
    func signedText(_ digest: [UInt8]) throws(DatabaseError) -> [String]? {
        if let sealed = try sealedText(digest), let parts = try SignedTextRow.open(sealed, digest, key) { return parts }
        report("signed_texts", .blob(digest))
        return nil
    }

    private func sealedText(_ digest: [UInt8]) throws(DatabaseError) -> [UInt8]? {
        try connection.first("SELECT sealed FROM signed_texts WHERE digest = ?", [.blob(digest)]) {
            (row) throws(DatabaseError) in try row.blob(0)
        }
    }

    /// Deletes a signed text that no row refers to any more.
    func deleteUnusedText(_ digest: [UInt8]) throws(DatabaseError) {
        try connection.execute(
            "DELETE FROM signed_texts WHERE digest = ? AND \(SignedText.isUnused)", [.blob(digest)])
    }
}
