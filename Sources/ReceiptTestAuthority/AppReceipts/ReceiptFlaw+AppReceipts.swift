internal import ReceiptTypes
internal import ReceiptVerification

extension ReceiptFlaw {
    /// The flaws of app receipts, in the order of the steps of a verification.
    static let appReceipts: [ReceiptFlaw] =
        appReceiptContainers + appReceiptCertificates + appReceiptSignatures + appReceiptAttributes + appReceiptClaims

    private static func app(
        _ name: String, _ code: VerificationFailure.Code, _ meaning: String, if condition: Condition = .none,
        _ change: AppReceiptChange
    ) -> ReceiptFlaw {
        .init("app-receipt-" + name, code, meaning, in: [.appReceipt], if: condition, .appReceipt(change))
    }

    // MARK: Container

    private static let appReceiptContainers: [ReceiptFlaw] = [
        app("truncated", .containerMalformed, "cut in the middle", .bytes { $0.removeLast($0.count / 2) }),
        app("trailing-bytes", .containerMalformed, "a byte follows the receipt", .bytes { $0.append(0) }),
        app(
            "no-signer", .containerMalformed, "the container has no signature",
            .container { container, _ in container.signers = [] }),
        app(
            "no-certificates", .containerMalformed, "the container has no certificates",
            .container { container, _ in container.certificates = [] }),
        app(
            "version", .containerUnsupported, "the container has version 3",
            .container { container, _ in container.version = 3 }),
        app(
            "content-type", .containerUnsupported, "the contents have the type of enveloped data",
            .container { container, _ in container.contentType = "1.2.840.113549.1.7.3" }),
        app(
            "signed-attributes", .containerUnsupported, "attributes with a digest are signed in place of the contents",
            .container { container, _ in container.signers[0].hasSignedAttributes = true }),
        app(
            "unsigned-attributes", .containerUnsupported, "the signer has attributes that no signature covers",
            .container { container, _ in container.signers[0].hasUnsignedAttributes = true }),
        app(
            "two-signers", .containerUnsupported, "the container has two signatures",
            .container { container, _ in container.signers += container.signers }),
        app(
            "other-signer", .signerMismatch, "the container names the intermediate as its signer",
            .container { container, signer in container.signers[0].certificate = signer.chain[1] }),
        app(
            "digests-differ", .receiptAlgorithm, "the container and its signer name different hash functions",
            .container { container, _ in container.hashes = [.sha1] }),
        app(
            "sha512", .receiptAlgorithm, "signed with SHA-512, which the App Store does not use",
            .container { container, _ in
                container.hashes = [.sha512]
                container.signers[0].hash = .sha512
            }),
    ]

    // MARK: Certificates and chain

    private static let appReceiptCertificates: [ReceiptFlaw] = [
        app(
            "ber", .chainLength, "the container is in BER, as only Xcode's, and has three certificates",
            .container { container, _ in container.isIndefinite = true }),
        app(
            "short-chain", .chainLength, "only two certificates: the root is missing",
            .container { container, _ in container.certificates.removeLast() }),
        app(
            "extra-certificate", .chainLength, "a fourth certificate, a second copy of the root",
            .container { container, signer in container.certificates.append(signer.chain[2]) }),
        app(
            "wrong-root", .untrustedRoot, "a chain under another root of the same name",
            .signer { authority, _ throws(CryptoFault) in try authority.makeStranger().signer() }),
        app(
            "wrong-issuer", .chainInvalid, "the key that signed the signing certificate is not the intermediate's",
            appReceiptLeaf { shape, _ in shape.isSignedByStranger = true }),
        app(
            "leaf-is-ca", .leafIsCA, "the signing certificate is a certificate authority",
            appReceiptLeaf { shape, _ in
                shape.isCA = true
                shape.keyUsages = ["digitalSignature", "keyCertSign"]
            }),
        app(
            "short-key", .leafKeyUnsupported, "the signing certificate has a key of 1024 bits",
            appReceiptLeaf { shape, _ in shape.key = .rsa(bits: 1024) }),
        app(
            "missing-marker", .leafMarkerMissing,
            "the signing certificate lacks the extension that marks those of App Store receipts",
            appReceiptLeaf { shape, time in
                shape.rawExtensions.removeLast()
                shape.notBefore = time.adding(months: -1, days: 0)
            }),
        app(
            "unmarked-generation", .unmarkedGeneration,
            "the signing certificate is from before 2012, and lacks the extension that marks those of receipts",
            appReceiptLeaf { shape, _ in shape.rawExtensions.removeLast() }),
        app(
            "intermediate-missing-marker", .intermediateMarkerMissing,
            "the intermediate lacks the extension that marks that of Apple Worldwide Developer Relations",
            .signer { authority, _ throws(CryptoFault) in
                var shape = CertificateShape.appReceiptIntermediate(.sha256)
                shape.rawExtensions = []
                return try authority.makeSigner(intermediate: shape)
            }),
        app(
            "expired-leaf", .certificateExpired,
            "the signing certificate had expired a day before the receipt was created",
            appReceiptLeaf { shape, time in
                shape.notBefore = time.adding(months: -13, days: 0)
                shape.notAfter = time.adding(months: 0, days: -1)
            }),
        app(
            "leaf-not-yet-valid", .certificateNotYetValid,
            "the signing certificate becomes valid a day after the receipt was created",
            appReceiptLeaf { shape, time in shape.notBefore = time.adding(months: 0, days: 1) }),
    ]

    private static func appReceiptLeaf(
        _ change: @escaping @Sendable (inout CertificateShape, Timestamp) -> Void
    ) -> AppReceiptChange {
        .signer { authority, time throws(CryptoFault) in
            var shape = CertificateShape.appReceiptLeaf(.sha256)
            change(&shape, time)
            return try authority.makeSigner(leaf: shape)
        }
    }

    // MARK: Signature

    private static let appReceiptSignatures: [ReceiptFlaw] = [
        app(
            "signature", .signatureInvalid, "one byte of the signature is changed",
            // The signature is the last element.
            .bytes { $0[$0.count - 100] ^= 1 }),
        app(
            "wrong-key", .signatureInvalid, "signed with another key than that of the signing certificate",
            .signer { authority, _ throws(CryptoFault) in
                AppReceiptSigner(.sha256, key: authority.keys.intermediate, chain: try authority.signer().chain)
            }),
    ]

    // MARK: Attributes

    private static let appReceiptAttributes: [ReceiptFlaw] = [
        app(
            "payload-sequence", .attributesMalformed, "the attributes are a SEQUENCE, not a SET",
            .payload { $0[0] = 0x30 }),
        app(
            "too-many-attributes", .tooManyAttributes, "300 attributes of types that this version does not know",
            .attributes { $0.attributes += (1000..<1300).map { .init($0, .integer($0)) } }),
        app(
            "too-many-purchases", .tooManyPurchases, "more than 20,000 in-app purchases",
            .attributes {
                let purchase = TestAppReceipt.Attribute(AppReceiptAttribute.inApp.type, .attributes([]))
                $0.attributes += Array(repeating: purchase, count: Budget.appReceiptPurchases)
            }),
        app(
            "attribute-type", .attributeInvalid, "the bundle ID is an INTEGER",
            .attributes { $0[AppReceiptAttribute.bundleID.type] = .integer(7) }),
        app(
            "long-integer", .attributeInvalid, "an INTEGER of nine bytes",
            .attributes {
                $0[AppReceiptAttribute.downloadID.type] = .bytes([0x02, 9] + [UInt8](repeating: 0x7F, count: 9))
            }),
        app(
            "purchase-text", .attributeInvalid, "an in-app purchase is a text, not a SET of attributes",
            .attributes { $0.attributes.append(.init(AppReceiptAttribute.inApp.type, .text("purchase"))) }),
        app(
            "duplicate-attribute", .attributeDuplicate, "two bundle IDs",
            .attributes {
                $0.attributes.append(.init(AppReceiptAttribute.bundleID.type, .text("com.example.other")))
            }),
        app(
            "missing-bundle-id", .attributeMissing, "no bundle ID",
            .attributes { $0[AppReceiptAttribute.bundleID.type] = nil }),
    ]

    // MARK: Dates and claims

    private static let appReceiptClaims: [ReceiptFlaw] = [
        app(
            "creation-date", .signingTimeInvalid, "the creation date is no date",
            .attributes { $0[AppReceiptAttribute.receiptCreationDate.type] = .asciiText("yesterday") }),
        app(
            "future", .signedInTheFuture, "created in the future, on 1 December 2038",
            .members { receipt, _ in receipt.receiptCreationDate = Timestamp(milliseconds: 2_174_774_400_000) }),
        app(
            "wrong-bundle", .bundleIDMismatch, "a receipt of another app",
            .members { receipt, _ in receipt.bundleId = (receipt.bundleId ?? "com.example") + ".other" }),
        app(
            "wrong-environment", .environmentMismatch, "a receipt of another environment",
            .members { receipt, _ in
                receipt.receiptType = receipt.environment == .sandbox ? .xcode : .sandbox
            }),
        app(
            "wrong-product", .productIDMismatch, "purchases of other products only",
            .members { receipt, _ in
                receipt.inApp = receipt.inApp?.map { purchase in
                    var purchase = purchase
                    purchase.productId = (purchase.productId ?? "product") + ".other"
                    return purchase
                }
            }),
        app(
            "other-device", .deviceMismatch, "a receipt that is bound to another device", if: .otherDevice, .nothing),
    ]
}
