internal import ReceiptTypes

/// The checks of one App Store app receipt, in their order: container, signer, signature, attributes, dates, claims.
///
/// No byte of the content is read before its signature has verified; therefore dates come after the signature.
enum AppStoreAppReceipt {
    /// Checks a receipt in DER, in BER as Xcode writes it, or in base64.
    static func check(
        _ receipt: [UInt8],
        isTracing: Bool,
        _ session: inout VerificationSession
    ) -> CheckedReceipt {
        var checked = CheckedReceipt(isTracing: isTracing)
        do throws(CryptoFault) {
            try check(receipt, &checked, &session)
        } catch {
            checked.examination.refuse(error)
        }
        return checked
    }

    private static func check(
        _ receipt: [UInt8],
        _ checked: inout CheckedReceipt,
        _ session: inout VerificationSession
    ) throws(CryptoFault) {
        guard let container = try AppReceiptContainer.read(receipt, &checked.examination) else { return }
        let parts = container.parts
        let lookup = SignerLookup(ContainerCertificates(parts))
        let signer = try container.der.withRawSpan { (der) throws(CryptoFault) in
            try lookup.signer(of: der.extracting(parts.certificates), &checked.examination, &session)
        }
        guard let signer, try requireSignature(of: container, by: signer, &checked.examination),
            let content = try read(container, &checked.examination)
        else { return }
        let time = signingTime(of: content)
        if case .at(let timestamp) = time { checked.signingTime = timestamp }
        let environment = content.claims.receiptType?.environment.rawValue
        guard
            let root = try lookup.requireDates(
                of: signer, signedAt: time, in: environment, &checked, session.rules
            )
        else { return }
        checked.kind = .appReceipt
        let policy = session.rules.claimsPolicy
        try policy.check(ofAppReceipt: ReceiptClaims(content), trust: root.trust, root: root.anchor, &checked)
        try requireDevice(content.binding, policy.policy.device, &checked.examination)
        try policy.requireStrictness(of: &checked)
        checked.appReceipt = content
    }

    private static func requireSignature(
        of container: AppReceiptContainer,
        by signer: Signer,
        _ examination: inout Examination
    ) throws(CryptoFault) -> Bool {
        let isValid = try container.der.withRawSpan { (der) throws(CryptoFault) in
            try signer.publicKey.verifyRSA(
                der.extracting(container.parts.signature), over: der.extracting(container.parts.content),
                hash: container.hash)
        }
        let name = "RSA PKCS#1 v1.5 with \(container.hash == .sha1 ? "SHA-1" : "SHA-256")"
        return try examination.require(
            .signatureInvalid, "signature", isValid,
            expected: "a signature over the attributes with the leaf's key, \(name)",
            actual: isValid ? "a valid signature with the leaf's key" : "a signature that does not match the leaf's key"
        )
    }

    private static func read(
        _ container: AppReceiptContainer,
        _ examination: inout Examination
    ) throws(CryptoFault) -> AppReceiptContent? {
        do throws(UnreadableAppReceipt) {
            let content = try AppReceiptContent(reading: container.der, at: container.parts.content)
            examination.note(.payload, "attributes", "attributes that can be read")
            return content
        } catch {
            examination.refuse(error.code, "attributes", expected: error.expected, actual: error.actual)
            return nil
        }
    }

    static func signingTime(of content: AppReceiptContent) -> ValidityPolicy.SigningTime {
        guard let text = content.claims.creationDate else { return .absent }
        guard let timestamp = content.claims.creationTime,
            Budget.signingTimes.contains(timestamp.millisecondsSince1970)
        else { return .invalid("the creation date \(text)") }
        return .at(timestamp)
    }

    // MARK: Device

    /// Requires that the receipt is bound to the policy's device, if the policy names one.
    private static func requireDevice(
        _ binding: AppReceiptContent.DeviceBinding?,
        _ device: DeviceID?,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        guard examination.continues else { return }
        guard let device else {
            guard examination.isTracing else { return }
            // The remark is not worth a failure, where the system forbids SHA-1.
            let isZero = (try? binding?.isBound(to: .zero)) ?? false
            return examination.skip(
                .claims, "device-hash",
                isZero
                    ? "the policy names no device; the receipt is bound to the UUID of zeros, as for a server"
                    : "the policy names no device")
        }
        let isBound = try binding?.isBound(to: device) ?? false
        let isZero = try binding?.isBound(to: .zero) ?? false
        try examination.require(
            .deviceMismatch, "device-hash", isBound,
            expected: "a receipt that is bound to the device \(Hexadecimal.encode(device.bytes))",
            actual: isBound
                ? "bound to the device"
                : binding == nil
                    ? "no device hash" : isZero ? "bound to the UUID of zeros" : "bound to another device",
            hint: isZero && !isBound
                ? "a server has fetched the receipt, which binds it to no device; identify the customer in another way"
                : nil
        )
    }
}
