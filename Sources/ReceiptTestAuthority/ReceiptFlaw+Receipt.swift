public import ReceiptTypes
package import ReceiptVerification

extension ReceiptFlaw {
    /// What is different from a receipt without flaws.
    enum Change: Sendable {
        /// Nothing; only the requirements of the verifier reject the receipt.
        case nothing

        // App Store
        /// The signer, which usually has other certificates.
        case signer(@Sendable (TestAuthority, Timestamp) throws(CryptoFault) -> TestSigner)
        /// The root, and thereby all certificates.
        case root(CertificateShape)
        case header(@Sendable (inout JSONObject) -> Void)
        /// The members of the payload, before it is signed.
        case payload(@Sendable (inout JSONObject, Timestamp) -> Void)
        /// The receipts inside the payload, before it is signed.
        case nested(@Sendable (inout JSONObject, TestSigner) throws(CryptoFault) -> Void)
        /// The bytes of the payload, before it is signed.
        case payloadText(@Sendable (String) -> String)
        /// The JWS.
        case segments(@Sendable (inout [String]) throws(CryptoFault) -> Void)
        /// The text that arrives in place of the JWS.
        case replacement(@Sendable (JSONObject) -> String)

        // Google Play
        /// The members of the purchase, before it is signed.
        case purchase(@Sendable (inout JSONObject) -> Void)
        /// The data and the signature.
        case signedPurchase(@Sendable (_ data: inout String, _ signature: inout String) -> Void)
        /// The key that signs, with a number of bits.
        case strangerKey
        /// A key that is too short, under a package name of its own.
        case shortKey(bits: Int)

        // App receipts
        case appReceipt(AppReceiptChange)
    }

    /// Signs a payload and gives the receipt this flaw.
    ///
    /// - Parameters:
    ///   - payload: The members of a payload of one of the ``kinds``.
    ///   - authority: The authority whose receipts the flaw is to be found in.
    ///   - playKey: Returns the key of Google Play purchases; called for these only.
    ///   - appReceipts: Returns the authority of app receipts; called for these only.
    ///   - time: The time at which the receipt is signed, as the payload says.
    public func makeReceipt(
        from payload: JSONObject,
        by authority: TestAuthority,
        playKey: () throws -> TestPlayKey = { try TestPlayKey() },
        appReceipts: () throws -> AppReceiptAuthority = { try AppReceiptAuthority() },
        at time: Timestamp
    ) throws -> FlawedReceipt {
        if case .appReceipt(let change) = change {
            return try makeAppReceipt(change, from: payload, by: appReceipts(), at: time)
        }
        if kinds == [.playPurchase] { return try makePurchase(from: payload, playKey, authority) }
        var authority = authority
        var signer = authority.signer
        switch change {
        case .signer(let makeSigner): signer = try makeSigner(authority, time)
        case .root(let shape):
            authority = try TestAuthority(root: shape)
            signer = authority.signer
        default: break
        }
        return FlawedReceipt(
            flaw: self, text: try makeJWS(from: payload, by: signer, at: time),
            rootCertificate: authority.rootCertificate, leafCertificate: signer.chain.first, playKey: nil)
    }

    private func makeJWS(
        from payload: JSONObject, by signer: TestSigner, at time: Timestamp
    ) throws(CryptoFault) -> String {
        var header = signer.header
        var payload = payload
        switch change {
        case .header(let change): change(&header)
        case .payload(let change): change(&payload, time)
        case .nested(let change): try change(&payload, signer)
        case .replacement(let text): return text(payload)
        default: break
        }
        var text = payload.description
        if case .payloadText(let change) = change { text = change(text) }
        let jws = try signer.sign(header: [UInt8](header.description.utf8), payload: [UInt8](text.utf8))
        let signed = String(decoding: jws, as: UTF8.self)
        guard case .segments(let change) = change else { return signed }
        var segments = signed.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try change(&segments)
        return segments.joined(separator: ".")
    }

    private func makePurchase(
        from payload: JSONObject, _ playKey: () throws -> TestPlayKey, _ authority: TestAuthority
    ) throws -> FlawedReceipt {
        var key = try playKey()
        var payload = payload
        switch change {
        case .purchase(let change): change(&payload)
        case .shortKey(let bits):
            key = try TestPlayKey(bits: bits)
            payload["packageName"] = .string((payload["packageName"]?.text ?? "com.example.app") + ".short")
        default: break
        }
        var data = payload.description
        var signature = try (change.isStranger ? TestPlayKey() : key).sign(data)
        if case .signedPurchase(let change) = change { change(&data, &signature) }
        return FlawedReceipt(
            flaw: self, text: TestPlayKey.purchase(data: data, signature: signature),
            rootCertificate: authority.rootCertificate, leafCertificate: nil,
            playKey: .init(package: payload["packageName"]?.text ?? "", publicKey: key.publicKey))
    }
}

extension ReceiptFlaw.Change {
    fileprivate var isStranger: Bool { if case .strangerKey = self { true } else { false } }
}

extension TestPlayKey {
    /// Signs the members of a purchase and returns it as JSON with its signature.
    package func sign(_ purchase: JSONObject) throws(CryptoFault) -> String {
        let data = purchase.description
        return Self.purchase(data: data, signature: try sign(data))
    }

    /// Returns the data of a purchase and its signature as JSON.
    static func purchase(data: String, signature: String) -> String {
        let object: JSONObject = ["data": .string(data), "signature": .string(signature)]
        return object.description
    }
}
