internal import CReceiptCrypto
internal import ReceiptTypes

// The way of one Google Play purchase: key by package, RSA PKCS#1 v1.5 with SHA-1 over the data byte for byte, payload,
// claims, state. The package is read from data that is not verified yet, only to choose the key: a wrong package leads
// to a key that does not fit.
extension ReceiptVerifier {
    func check(
        playData data: RawSpan,
        signature: RawSpan,
        isTracing: Bool = false
    ) -> CheckedReceipt {
        var receipt = CheckedReceipt(isTracing: isTracing)
        do throws(CryptoFault) {
            try examine(playData: data, signature: signature, &receipt)
        } catch {
            receipt.examination.refuse(
                .internalError, "resources", expected: "memory and a working OpenSSL", actual: error.description
            )
        }
        return receipt
    }

    private func examine(
        playData data: RawSpan,
        signature: RawSpan,
        _ receipt: inout CheckedReceipt
    ) throws(CryptoFault) {
        guard
            try receipt.examination.require(
                .tooLarge, "size", data.byteCount <= policy.maximumSize && signature.byteCount <= policy.maximumSize,
                expected: "at most \(policy.maximumSize) bytes", actual: "\(data.byteCount) bytes"
            )
        else { return }
        switch try JSONDocument.read(data, maximumDepth: Budget.payloadDepth) {
        case .success(let document): try examine(document, data, signature, &receipt)
        case .failure(let fault):
            try examineUnreadable(data, signature, .payloadMalformed, found: fault.found, &receipt.examination)
        }
    }

    private func examine(
        _ document: JSONDocument,
        _ data: RawSpan,
        _ signature: RawSpan,
        _ receipt: inout CheckedReceipt
    ) throws(CryptoFault) {
        let payload = document.root
        guard payload.isObject else {
            try examineUnreadable(
                data, signature, .payloadNotAnObject, found: payload.kind.name, &receipt.examination
            )
            return
        }
        let package = payload.member("packageName")?.text ?? ""
        guard let key = try playKey(playKeys.key(forPackage: package), for: package, &receipt.examination),
            try requirePlaySignature(signature, over: data, by: key, &receipt.examination)
        else { return }
        try examinePlayPayload(payload, &receipt)
        receipt.document = document
    }

    /// Data that is no JSON object names no package; where there is only one key, that key still tells data that was changed from
    /// data that was signed as it is.
    private func examineUnreadable(
        _ data: RawSpan,
        _ signature: RawSpan,
        _ code: VerificationFailure.Code,
        found: String,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        if let only = playKeys.onlyKey {
            guard let key = try playKey(only, for: "", &examination),
                try requirePlaySignature(signature, over: data, by: key, &examination)
            else { return }
        }
        examination.refuse(code, "payload-json", expected: "a JSON object in UTF-8", actual: found)
    }

    // MARK: Key and signature

    private func playKey(
        _ key: PlayKey?,
        for package: String,
        _ examination: inout Examination
    ) throws(CryptoFault) -> PublicKey? {
        guard let key else {
            examination.refuse(
                .keyNotFound, "key", expected: "a key for the package \(package)",
                actual: playKeys.packages.isEmpty ? "no key at all" : playKeys.packages.joined(separator: ", ")
            )
            return nil
        }
        try examination.require(
            .keyInvalid, "key", key.usable != nil, expected: "an RSA key of at least \(Budget.playKeyBits) bits",
            actual: key.problem ?? "an RSA key of \(key.usable?.bits ?? 0) bits"
        )
        return key.usable
    }

    private func requirePlaySignature(
        _ text: RawSpan,
        over data: RawSpan,
        by key: PublicKey,
        _ examination: inout Examination
    ) throws(CryptoFault) -> Bool {
        let decoded = Base64.standard.decode(text)
        try examination.require(
            .encoding, "signature-encoding", decoded != nil,
            expected: "a signature in canonical standard base64", actual: decoded == nil ? "something else" : "it is"
        )
        guard let signature = decoded else { return false }
        let isValid = try signature.withRawSpan { (span) throws(CryptoFault) in
            try key.verifyRSA(span, over: data, hash: .RC_HASH_SHA1)
        }
        if isValid {
            examination.note(.signature, "signature", "RSA PKCS#1 v1.5 with SHA-1 over \(data.byteCount) bytes fits")
            return true
        }
        let others = try signature.withRawSpan { (span) throws(CryptoFault) in
            try playKeys.packages(verifying: span, over: data)
        }
        examination.refuse(
            .signatureInvalid, "signature", expected: "a signature over the exact bytes with the app's key",
            actual: signature.count * 8 == key.bits
                ? "it does not fit" : "\(signature.count) bytes, where the key makes \((key.bits + 7) / 8)",
            hint: Self.hint(others: others)
        )
        return false
    }

    private static func hint(others: [String]) -> String {
        if !others.isEmpty {
            return
                "the signature fits the key of \(others.joined(separator: ", ")): it is that app's purchase, or the keys"
                + " were mixed up"
        }
        return "the data must be the exact bytes that the store returned: parsing and writing the JSON again, adding or"
            + " losing a line break, or taking another field breaks the signature; check also that the key is this app's"
    }

    // MARK: Payload

    private func examinePlayPayload(
        _ payload: borrowing JSONNode,
        _ receipt: inout CheckedReceipt
    ) throws(CryptoFault) {
        receipt.kind = .playPurchase
        try examineClaims(
            of: payload, .playPurchase, expecting: nil, isLocalTesting: false, isNested: false, &receipt
        )
        let state = payload.member("purchaseState")?.integer
        let code: VerificationFailure.Code =
            switch state {
            case 1: .purchaseCancelled
            case 2: .purchasePending
            default: .purchaseStateUnknown
            }
        try receipt.examination.require(
            code, "purchase-state", state == 0, expected: "purchaseState 0",
            actual: state.map(String.init) ?? "no purchaseState"
        )
    }
}
