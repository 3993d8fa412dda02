import ReceiptTestAuthority
import ReceiptTypes
import ReceiptVerification

// The examples in the documentation of ReceiptTestAuthority, so that they compile. ExampleTests compares the lines.

private func makeVerifier(for transaction: JWSTransactionDecodedPayload) throws -> (ReceiptVerifier, String) {
    let authority = try TestAuthority()
    let jws = try authority.signer.sign(transaction)
    var anchors = TrustAnchors()
    try anchors.add(authority.rootCertificate)
    let verifier = ReceiptVerifier(trustAnchors: anchors)
    return (verifier, jws)
}

private func makeExpiredSigner(_ authority: TestAuthority, yesterday: Timestamp) throws -> TestSigner {
    var leaf = CertificateShape.leaf
    leaf.notAfter = yesterday
    let expired = try authority.makeSigner(leaf: leaf)
    return expired
}

private func printFlaws(
    _ authority: TestAuthority, _ transaction: JWSTransactionDecodedPayload, now: Timestamp
) throws {
    for flaw in ReceiptFlaw.all where flaw.kinds.contains(.transaction) {
        let receipt = try flaw.makeReceipt(from: transaction.members, by: authority, at: now)
        print(flaw.name, flaw.code, receipt.text)
    }
}

private func rejectFlaws(
    _ authority: TestAuthority, _ transaction: JWSTransactionDecodedPayload, now: Timestamp,
    serverAccepts: (String) -> Bool
) throws {
    for flaw in ReceiptFlaw.all where flaw.kinds.contains(.transaction) && flaw.requirement == nil {
        let receipt = try flaw.makeReceipt(from: transaction.members, by: authority, at: now)
        if serverAccepts(receipt.text) { print("accepted: \(flaw.name), \(flaw.meaning)") }
    }
}

private func makeAppReceipt(_ receipt: AppReceipt) throws -> ([UInt8], TrustAnchors) {
    let authority = try AppReceiptAuthority()
    let der = try authority.signer(.sha1).sign(TestAppReceipt(receipt))
    var anchors = TrustAnchors()
    try anchors.add(authority.rootCertificate)
    return (der, anchors)
}

private func addAttribute(_ contents: AppReceipt) throws -> [UInt8] {
    let authority = try AppReceiptAuthority()
    var receipt = TestAppReceipt(contents)
    receipt[26] = .text("a new attribute")
    let der = try authority.signer(.sha1).sign(receipt)
    return der
}

private func makeWrongAppReceipt(_ contents: AppReceipt, _ authority: AppReceiptAuthority) throws -> [UInt8] {
    var receipt = TestAppReceipt(contents)
    receipt[2] = .integer(7)
    receipt.attributes.append(.init(26, .text("a new attribute")))
    let der = try authority.signer().sign(receipt)
    return der
}
