package import ReceiptTypes

// What the package's own tools need of the parsers that the verifier uses, so that there is one of each.
extension ReceiptVerifier {
    /// Levels of arrays and objects in a document that a tool reads.
    private static let documentDepth = 64

    /// A JSON document as a tree; nil when it is none.
    package static func parseJSON(_ text: [UInt8]) -> JSONValue? {
        try? text.withRawSpan { (span) throws(JSONDocument.Fault) in
            let document = try JSONDocument(parsing: span, maximumDepth: documentDepth)
            return document.root.value
        }
    }

    /// A JSON document as a tree, or why it is none and where.
    package static func readJSON(_ text: [UInt8], maximumDepth: Int) throws(JSONTextFault) -> JSONValue {
        do throws(JSONDocument.Fault) {
            return try text.withRawSpan { (span) throws(JSONDocument.Fault) in
                let document = try JSONDocument(parsing: span, maximumDepth: maximumDepth)
                return document.root.value
            }
        } catch {
            throw JSONTextFault(error)
        }
    }

    /// Whether the bytes are an unencrypted PKCS#8 PrivateKeyInfo with a key that ES256 signs with.
    package static func isES256PrivateKey(pkcs8 der: [UInt8]) -> Bool {
        guard let key = try? PrivateKey(pkcs8: der) else { return false }
        // Only a key on P-256 signs; no other way to tell is as sure.
        return (try? key.signES256([])) != nil
    }

    /// The bytes of canonical standard base64.
    package static func decodeStandardBase64(_ text: String) -> [UInt8]? { Base64.standard.decode(text) }

    /// The bytes of canonical base64url.
    package static func decodeBase64URL(_ text: String) -> [UInt8]? { Base64.url.decode(text) }

    /// Bytes in base64url.
    package static func encodeBase64URL(_ bytes: [UInt8]) -> String { Base64.url.encode(bytes) }
}
