public import ReceiptTypes
public import ReceiptVerification

/// Signs payloads with the key of one certificate, as the App Store signs its JWS.
public struct TestSigner: Sendable {
    /// The certificates of `x5c` in DER, leaf first.
    public let chain: [[UInt8]]
    let key: PrivateKey
    /// Whether a payload always has the same signature.
    var isDeterministic = false
    /// The header segment and its dot, which all JWS of one leaf share.
    private let headerPrefix: [UInt8]

    init(key: PrivateKey, chain: [[UInt8]]) {
        self.key = key
        self.chain = chain
        headerPrefix = [UInt8]((Base64.url.encode([UInt8](Self.header(for: chain).description.utf8)) + ".").utf8)
    }

    /// The header that the App Store writes: the algorithm and the certificates.
    public var header: JSONObject { Self.header(for: chain) }

    private static func header(for chain: [[UInt8]]) -> JSONObject {
        ["alg": .string("ES256"), "x5c": .array(chain.map { .string(Base64.standard.encode($0)) })]
    }

    /// Signs the bytes of a payload and returns the compact JWS.
    public func sign(payload: [UInt8]) throws(CryptoFault) -> [UInt8] {
        try sign(headerPrefix + [UInt8](Base64.url.encode(payload).utf8))
    }

    /// Signs a JSON object and returns the compact JWS.
    public func sign(_ payload: JSONObject) throws(CryptoFault) -> String {
        String(decoding: try sign(payload: [UInt8](payload.description.utf8)), as: UTF8.self)
    }

    /// Signs a payload model and returns the compact JWS.
    public func sign(_ payload: some PayloadModel) throws(CryptoFault) -> String {
        try sign(payload.members)
    }

    /// Signs a payload with any header, for tests of receipts that a verifier must reject.
    public func sign(header: [UInt8], payload: [UInt8]) throws(CryptoFault) -> [UInt8] {
        try sign([UInt8]((Base64.url.encode(header) + "." + Base64.url.encode(payload)).utf8))
    }

    private func sign(_ signingInput: [UInt8]) throws(CryptoFault) -> [UInt8] {
        let signature = try key.signES256(signingInput, isDeterministic: isDeterministic)
        return signingInput + [UInt8](("." + Base64.url.encode(signature)).utf8)
    }
}
