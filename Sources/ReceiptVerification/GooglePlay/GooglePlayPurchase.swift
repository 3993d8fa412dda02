internal import ReceiptTypes

/// The checks of one Google Play purchase, in their order: JSON, key of the package, signature, claims, state.
///
/// The signature is RSA PKCS#1 v1.5 with SHA-1 over the data, byte for byte. The package name comes from data that is
/// not verified yet, and only chooses the key: a wrong name leads to a key under which the signature is not valid.
enum GooglePlayPurchase {
    /// Checks purchase data, as the store returned it, and its signature in base64.
    static func check(
        _ data: RawSpan,
        _ signature: RawSpan,
        by keys: PlayKeyring,
        isTracing: Bool,
        _ session: borrowing VerificationSession
    ) -> CheckedReceipt {
        var receipt = CheckedReceipt(isTracing: isTracing)
        do throws(CryptoFault) {
            try check(data, signature, by: keys, &receipt, session.rules)
        } catch {
            receipt.examination.refuse(error)
        }
        return receipt
    }

    private static func check(
        _ data: RawSpan,
        _ signature: RawSpan,
        by keys: PlayKeyring,
        _ receipt: inout CheckedReceipt,
        _ rules: borrowing VerificationRules
    ) throws(CryptoFault) {
        let maximumSize = rules.maximumSize
        guard
            try receipt.examination.require(
                .tooLarge, "size", data.byteCount <= maximumSize && signature.byteCount <= maximumSize,
                expected: "at most \(maximumSize) bytes", actual: "\(data.byteCount) bytes"
            )
        else { return }
        switch try JSONDocument.read(data, maximumDepth: Budget.payloadDepth) {
        case .success(let document): try check(document, data, signature, by: keys, &receipt, rules)
        case .failure(let fault):
            try reject(.payloadMalformed, found: fault.found, data, signature, by: keys, &receipt.examination)
        }
    }

    private static func check(
        _ document: JSONDocument,
        _ data: RawSpan,
        _ signature: RawSpan,
        by keys: PlayKeyring,
        _ receipt: inout CheckedReceipt,
        _ rules: borrowing VerificationRules
    ) throws(CryptoFault) {
        let payload = document.root
        guard payload.isObject else {
            let found = payload.kind.name
            return try reject(.payloadNotAnObject, found: found, data, signature, by: keys, &receipt.examination)
        }
        let package = payload.member("packageName")?.text ?? ""
        guard let key = try publicKey(keys.key(forPackage: package), for: package, keys, &receipt.examination),
            try requireSignature(signature, over: data, by: key, keys, &receipt.examination)
        else { return }
        try checkPayload(payload, &receipt, rules)
        receipt.document = document
    }

    /// Rejects data that is not a JSON object and therefore names no package.
    ///
    /// If exactly one key is configured, the signature shows whether the data was changed after signing or was signed
    /// in this form.
    private static func reject(
        _ code: VerificationFailure.Code,
        found: String,
        _ data: RawSpan,
        _ signature: RawSpan,
        by keys: PlayKeyring,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        if let only = keys.onlyKey {
            guard let key = try publicKey(only, for: "", keys, &examination),
                try requireSignature(signature, over: data, by: key, keys, &examination)
            else { return }
        }
        examination.refuse(code, "payload-json", expected: "a JSON object in UTF-8", actual: found)
    }

    // MARK: Key and signature

    private static func publicKey(
        _ key: PlayKey?,
        for package: String,
        _ keys: PlayKeyring,
        _ examination: inout Examination
    ) throws(CryptoFault) -> PublicKey? {
        guard let key else {
            examination.refuse(
                .keyNotFound, "key", expected: "a key for the package \(package)",
                actual: keys.packages.isEmpty ? "no key" : keys.packages.joined(separator: ", ")
            )
            return nil
        }
        try examination.require(
            .keyInvalid, "key", key.usable != nil, expected: PlayKey.requirement,
            actual: key.problem ?? "an RSA key of \(key.usable?.bits ?? 0) bits"
        )
        return key.usable
    }

    private static func requireSignature(
        _ text: RawSpan,
        over data: RawSpan,
        by key: PublicKey,
        _ keys: PlayKeyring,
        _ examination: inout Examination
    ) throws(CryptoFault) -> Bool {
        let decoded = PlayValue.signature(text)
        let hasBlanks = PlayValue.hasBlanks(text) && decoded?.count != (key.bits + 7) / 8
        let isReadable = decoded != nil && !hasBlanks
        try examination.require(
            .encoding, "signature-encoding", isReadable, expected: "a signature in base64",
            actual: isReadable ? "base64" : hasBlanks ? "base64 with blanks" : "another encoding",
            hint: hasBlanks
                ? "blanks stand where base64 has plus signs, as after decoding a form that was not escaped, or twice; "
                    + "escape the signature before it is sent" : lostCase(of: text)
        )
        guard isReadable else { return false }
        guard let signature = decoded else { return false }
        let isValid = try signature.withRawSpan { (span) throws(CryptoFault) in
            try key.verifyRSA(span, over: data, hash: .sha1)
        }
        if isValid {
            examination.note(.signature, "signature", "valid RSA PKCS#1 v1.5 with SHA-1 over \(data.byteCount) bytes")
            return true
        }
        let others = try signature.withRawSpan { (span) throws(CryptoFault) in
            try keys.packages(verifying: span, over: data)
        }
        examination.refuse(
            .signatureInvalid, "signature", expected: "a signature over the exact bytes with the app's key",
            actual: signature.count * 8 == key.bits
                ? "a signature that does not match"
                : "\(signature.count) bytes, but signatures with the key have \((key.bits + 7) / 8)",
            hint: others.isEmpty ? lostCase(of: text) ?? hint(others: others) : hint(others: others)
        )
        return false
    }

    private static func lostCase(of signature: RawSpan) -> String? {
        LostCase.isEvident(in: signature.array) ? LostCase.hint : nil
    }

    private static func hint(others: [String]) -> String {
        if !others.isEmpty {
            return
                "the signature is valid under the key of \(others.joined(separator: ", ")): the purchase belongs to "
                + "that app, or the keys were mixed up"
        }
        return "pass the exact bytes that the store returned: parsing and writing the JSON again, adding or removing a"
            + " line break, or taking another field breaks the signature; check also that the key is this app's"
    }

    // MARK: Payload

    private static func checkPayload(
        _ payload: borrowing JSONNode,
        _ receipt: inout CheckedReceipt,
        _ rules: borrowing VerificationRules
    ) throws(CryptoFault) {
        receipt.kind = .playPurchase
        try rules.claimsPolicy.check(
            payload, .playPurchase, expecting: nil, trust: .unlimited, root: nil, isNested: false, &receipt
        )
        try rules.claimsPolicy.requireStrictness(of: &receipt)
        guard let state = payload.member("purchaseState")?.integer else {
            receipt.warnings.insert(.purchaseStateAbsent)
            let isStrict = rules.claimsPolicy.isStrict(for: receipt)
            try receipt.examination.require(
                .purchaseStateUnknown, "purchase-state", !isStrict,
                expected: "purchaseState 0", actual: "no purchaseState, which Google's library reads as purchased",
                hint: "ask the Play Developer API about the purchase token, or do not be strict")
            return
        }
        if rules.claimsPolicy.policy.leavesPlayStateToCaller { return }
        let code: VerificationFailure.Code =
            switch state {
            case 1: .purchaseCancelled
            // The Play Developer API writes 2; the Play Billing Library takes only 4 in the signed data for pending.
            case 2, 4: .purchasePending
            default: .purchaseStateUnknown
            }
        try receipt.examination.require(
            code, "purchase-state", state == 0, expected: "purchaseState 0", actual: "\(state)"
        )
    }
}
