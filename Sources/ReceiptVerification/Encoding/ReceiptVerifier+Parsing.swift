package import ReceiptTypes

// The verifier's parsers, for the tools of this package.
extension ReceiptVerifier {
    /// The maximum nesting depth of a document that a tool reads.
    private static let documentDepth = 64

    /// Parses a JSON document; nil if the bytes are not JSON.
    package static func parseJSON(_ text: [UInt8]) -> JSONValue? {
        try? text.withRawSpan { (span) throws(JSONDocument.Fault) in
            let document = try JSONDocument(parsing: span, maximumDepth: documentDepth)
            return document.root.value
        }
    }

    /// Parses a JSON document; the error has the reason and its position.
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

    /// Returns whether the bytes are an unencrypted PKCS#8 PrivateKeyInfo with a P-256 key.
    package static func isES256PrivateKey(pkcs8 der: [UInt8]) -> Bool {
        guard let key = try? PrivateKey(pkcs8: der) else { return false }
        // Signing fails for any other key.
        return (try? key.signES256([])) != nil
    }

    /// Decodes canonical standard base64.
    package static func decodeStandardBase64(_ text: String) -> [UInt8]? { Base64.standard.decode(text) }

    /// Decodes canonical base64url.
    package static func decodeBase64URL(_ text: String) -> [UInt8]? { Base64.url.decode(text) }

    /// Encodes bytes in base64url.
    package static func encodeBase64URL(_ bytes: [UInt8]) -> String { Base64.url.encode(bytes) }
}
