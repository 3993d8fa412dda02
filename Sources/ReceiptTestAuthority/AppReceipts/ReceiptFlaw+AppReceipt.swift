internal import ReceiptTypes
internal import ReceiptVerification

/// What is different from an app receipt without flaws.
enum AppReceiptChange: Sendable {
    /// Nothing; only the requirements of the verifier reject the receipt.
    case nothing
    /// The signer, which usually has other certificates.
    case signer(@Sendable (AppReceiptAuthority, Timestamp) throws(CryptoFault) -> AppReceiptSigner)
    /// The members of the payload, from which the attributes are made.
    case members(@Sendable (inout AppReceipt, Timestamp) -> Void)
    /// The attributes, before they are encoded.
    case attributes(@Sendable (inout TestAppReceipt) -> Void)
    /// The encoded attributes, before they are signed.
    case payload(@Sendable (inout [UInt8]) -> Void)
    /// The container.
    case container(@Sendable (inout AppReceiptSigner.Container, AppReceiptSigner) throws(CryptoFault) -> Void)
    /// The bytes of the signed receipt.
    case bytes(@Sendable (inout [UInt8]) -> Void)
}

extension ReceiptFlaw {
    func makeAppReceipt(
        _ change: AppReceiptChange, from members: JSONObject, by authority: AppReceiptAuthority, at time: Timestamp
    ) throws(CryptoFault) -> FlawedReceipt {
        var receipt = AppReceipt(members: members)
        if case .members(let change) = change { change(&receipt, time) }
        var contents = TestAppReceipt(receipt)
        if case .attributes(let change) = change { change(&contents) }
        var signer = try authority.signer()
        if case .signer(let makeSigner) = change { signer = try makeSigner(authority, time) }
        var container = signer.container
        if case .container(let change) = change { try change(&container, signer) }
        var payload = try contents.encoded(isSorted: container.isSorted)
        if case .payload(let change) = change { change(&payload) }
        var bytes = try signer.sign(payload: payload, in: container)
        if case .bytes(let change) = change { change(&bytes) }
        return FlawedReceipt(
            flaw: self, text: Base64.standard.encode(bytes), rootCertificate: authority.rootCertificate,
            leafCertificate: signer.chain.first, playKey: nil)
    }
}
