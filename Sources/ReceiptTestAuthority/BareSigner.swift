package import ReceiptVerification

/// Signs with a P-256 key that has no certificate, as the server of an app signs promotional offers.
package struct BareSigner: Sendable {
    private let signer: TestSigner
    private let key: PrivateKey
    /// The public key.
    package let publicKey: ES256PublicKey

    /// Reads an unencrypted PKCS#8 key in DER; nil unless ES256 can sign with it.
    package init?(pkcs8 der: [UInt8]) {
        guard let key = try? PrivateKey(pkcs8: der), let publicKey = try? key.publicKey(),
            (try? key.signES256([])) != nil
        else { return nil }
        self.key = key
        self.publicKey = ES256PublicKey(publicKey)
        signer = TestSigner(key: key, chain: [])
    }

    /// Signs a payload with the given header and returns the compact JWS.
    package func sign(header: [UInt8], payload: [UInt8]) throws(CryptoFault) -> [UInt8] {
        try signer.sign(header: header, payload: payload)
    }

    /// Signs a message and returns the signature in DER (RFC 3279 2.2.3), in base64.
    package func signDER(_ message: [UInt8]) throws(CryptoFault) -> String {
        guard let signature = try OpenSSL.der(ofES256: key.signES256(message)) else { throw .libraryFailure }
        return Base64.standard.encode(signature)
    }
}
