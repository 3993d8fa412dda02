public import ReceiptTypes
internal import ReceiptVerification

extension ReceiptFlaw {
    /// All flaws, in the order of the steps of a verification, those of Google Play purchases and app receipts last.
    public static let all: [ReceiptFlaw] =
        input + certificates + signatures + dates + claims + nestedReceipts + googlePlay + appReceipts

    /// The failure codes that no flaw has, each with the reason.
    public static let codesWithoutFlaw: KeyValuePairs<VerificationFailure.Code, String> = [
        .searchIncomplete: "the code of a text whose search exceeds its limits, not of a receipt",
        .tooManyReceipts: "the code of a record with many receipts in a batch, not of a receipt",
        .empty: "the code of a record of a batch without a receipt",
        .receiptMissing: "the code of a record of a batch that lacks the named column or member",
        .recordMalformed: "the code of a record of a batch that is not readable JSON or CSV",
        .nothingToVerify: "the code of an input without a receipt",
        .noTrustAnchor: "the verifier trusts no root, so the receipt does not matter",
        .hashForbidden: "the system forbids signatures with SHA-1, so the receipt does not matter",
        .internalError: "the system failed, for example for lack of memory, so the receipt does not matter",
    ]

    private static let transaction: [ReceiptKind] = [.transaction]

    // MARK: Input, structure and header

    private static let input: [ReceiptFlaw] = [
        .init(
            "object-text", .formatUnrecognized,
            "the text [object Object] in place of the receipt, as JavaScript writes an object that was not serialized",
            .replacement { _ in "[object Object]" }),
        .init(
            "transaction-id", .notAReceipt, "the transaction ID in place of the receipt", in: transaction,
            .replacement { $0["transactionId"]?.text ?? "2000000000000000" }),
        .init(
            "payload-only", .notAReceipt, "the decoded payload in place of the receipt, without its signature",
            in: [.transaction, .renewalInfo, .appTransaction], .replacement { $0.description }),
        .init(
            "legacy-receipt", .legacyReceiptUnsupported,
            "the receipt of one transaction from before iOS 7, a property list", in: transaction,
            .replacement { _ in transactionReceipt }),
        .init(
            "too-large", .tooLarge, "a member of 256 KiB, which makes the receipt too large",
            .payload { payload, _ in
                payload["padding"] = .string(String(repeating: "x", count: VerificationPolicy.defaultMaximumSize))
            }),
        .init(
            "truncated", .segmentCount, "cut in the middle of the payload",
            .segments { segments in
                segments.removeLast()
                let payload = segments.removeLast()
                segments.append(String(payload.prefix(payload.count / 2)))
            }),
        .init(
            "spare-bits", .encoding, "the last character of the signature has a spare bit that is not zero",
            .segments { segments in
                // 64 bytes end with a character of which only the first two bits are used.
                let last = segments.removeLast()
                segments.append(String(last.dropLast()) + (["A": "B", "Q": "R", "g": "h"][last.last ?? "w"] ?? "x"))
            }),
        .init("missing-x5c", .headerMalformed, "no certificates in the header", .header { $0["x5c"] = nil }),
        .init(
            "alg-none", .algorithm, "the header names the algorithm none, and there is no signature",
            .segments { segments in
                guard segments.count == 3, let header = Base64.url.decode(segments[0]) else { return }
                let text = String(decoding: header, as: UTF8.self)
                let changed = text.replacing(#""alg":"ES256""#, with: #""alg":"none""#)
                segments = [Base64.url.encode([UInt8](changed.utf8)), segments[1], ""]
            }),
        .init(
            "alg-hs256", .algorithm, "the header names HS256, for which the public key would be the secret",
            .header { $0["alg"] = .string("HS256") }),
        .init(
            "critical-header", .headerUnsupported, "the header requires an extension that the App Store does not use",
            .header { header in
                header["crit"] = .array([.string("exp")])
                header["exp"] = .integer(2_145_916_800)
            }),
    ]

    /// The form of `transactionReceipt` in StoreKit before iOS 7, without a signature.
    private static let transactionReceipt = """
        {
        \t"signature" = "AA==";
        \t"purchase-info" = "e30=";
        \t"environment" = "Sandbox";
        \t"pod" = "100";
        \t"signing-status" = "0";
        }
        """

    // MARK: Certificates and chain

    private static let certificates: [ReceiptFlaw] = [
        .init(
            "short-chain", .chainLength, "only two certificates: the root is missing",
            .header { $0["x5c"] = .array([JSONValue](($0["x5c"]?.elements ?? []).dropLast())) }),
        .init(
            "malformed-certificate", .certificateMalformed, "the signing certificate is cut",
            .header { header in
                let chain = header["x5c"]?.elements ?? []
                let leaf = chain.first?.text ?? ""
                header["x5c"] = .array([.string(String(leaf.prefix(leaf.count / 8 * 4)))] + chain.dropFirst())
            }),
        .init(
            "distrusted-leaf", .certificateDistrusted, "the key of the signing certificate counts as stolen",
            if: .distrustedLeaf, leaf { _, _ in }),
        .init(
            "wrong-issuer", .chainInvalid, "the key that signed the signing certificate is not the intermediate's",
            leaf { shape, _ in shape.isSignedByStranger = true }),
        .init(
            "wrong-root", .untrustedRoot, "a chain under another root of the same name",
            .signer { authority, _ throws(CryptoFault) in
                try authority.makeStranger().signer
            }),
        .init(
            "leaf-is-ca", .leafIsCA, "the signing certificate is a certificate authority",
            leaf { shape, _ in
                shape.isCA = true
                shape.keyUsages = ["digitalSignature", "keyCertSign"]
            }),
        .init(
            "leaf-key", .leafKeyUnsupported, "the signing certificate has a key on P-384",
            .signer { authority, _ throws(CryptoFault) in
                var shape = CertificateShape.leaf
                shape.key = .p384
                // ES256 cannot sign with that key, and the chain is checked before the signature.
                return TestSigner(key: authority.signer.key, chain: try authority.makeSigner(leaf: shape).chain)
            }),
        .init(
            "leaf-key-usage", .leafKeyUsage, "the key of the signing certificate is for key agreement, not signatures",
            leaf { shape, _ in shape.keyUsages = ["keyAgreement"] }),
        .init(
            "missing-marker", .leafMarkerMissing,
            "the signing certificate lacks the extension that marks those of App Store receipts",
            leaf { shape, _ in shape.rawExtensions = [] }),
        .init(
            "intermediate-not-ca", .intermediateNotCA, "the intermediate is not a certificate authority",
            intermediate { shape in
                shape.isCA = false
                shape.pathLength = nil
            }),
        .init(
            "root-cannot-issue", .rootCannotIssue, "the key usage of the root does not allow signing certificates",
            if: .ownRoot, root { $0.keyUsages = ["cRLSign"] }),
        .init(
            "root-path-length", .intermediatePathLength, "the root does not allow an intermediate below it",
            if: .ownRoot, root { $0.pathLength = 0 }),
        .init(
            "intermediate-key-usage", .intermediateKeyUsage,
            "the key usage of the intermediate does not allow signing certificates",
            intermediate { $0.keyUsages = ["cRLSign"] }),
        .init(
            "intermediate-missing-marker", .intermediateMarkerMissing,
            "the intermediate lacks the extension that marks that of Apple Worldwide Developer Relations",
            intermediate { $0.rawExtensions = [] }),
        .init(
            "critical-extension", .certificateCriticalExtension,
            "the signing certificate has a critical extension that no verifier knows",
            leaf { shape, _ in
                shape.rawExtensions.append(.init(oid: "1.3.6.1.4.1.99999.1", isCritical: true))
            }),
        .init(
            "sha1-certificate", .certificateAlgorithm, "the signing certificate is signed with SHA-1",
            leaf { shape, _ in shape.hash = .sha1 }),
    ]

    private static func leaf(
        _ change: @escaping @Sendable (inout CertificateShape, Timestamp) -> Void
    ) -> Change {
        .signer { authority, time throws(CryptoFault) in
            var shape = CertificateShape.leaf
            change(&shape, time)
            return try authority.makeSigner(leaf: shape)
        }
    }

    private static func intermediate(_ change: @escaping @Sendable (inout CertificateShape) -> Void) -> Change {
        .signer { authority, _ throws(CryptoFault) in
            var shape = CertificateShape.intermediate
            change(&shape)
            return try authority.makeSigner(under: shape)
        }
    }

    private static func root(_ change: (inout CertificateShape) -> Void) -> Change {
        var shape = CertificateShape.root
        change(&shape)
        return .root(shape)
    }

    // MARK: Signature and payload

    private static let signatures: [ReceiptFlaw] = [
        .init(
            "der-signature", .signatureMalformed, "the signature is in DER, not r and s of 32 bytes each",
            .segments { segments throws(CryptoFault) in
                guard let signature = Base64.url.decode(segments.removeLast()),
                    let der = try OpenSSL.der(ofES256: signature)
                else { throw .libraryFailure }
                segments.append(Base64.url.encode(der))
            }),
        .init(
            "signature", .signatureInvalid, "one character of the signature is changed",
            .segments { segments in segments.append(changingMiddle(of: segments.removeLast())) }),
        .init(
            "changed-payload", .signatureInvalid, "one member of the payload was added after signing",
            .segments { segments in
                guard segments.count == 3, let payload = Base64.url.decode(segments[1]) else { return }
                segments[1] = Base64.url.encode([UInt8](payload.dropLast()) + [UInt8](#","changed":true}"#.utf8))
            }),
        .init(
            "wrong-key", .signatureInvalid, "signed with another key than that of the signing certificate",
            .signer { authority, _ throws(CryptoFault) in
                TestSigner(key: try authority.makeSigner().key, chain: authority.signer.chain)
            }),
        .init(
            "duplicate-member", .payloadMalformed, "a member of the payload occurs twice, with two values",
            .payloadText { #"\#($0.dropLast()),"environment":"Production","environment":"Sandbox"}"# }),
        .init("payload-null", .payloadNotAnObject, "the payload is null", .payloadText { _ in "null" }),
    ]

    /// Returns a segment with another character in its middle.
    private static func changingMiddle(of segment: String) -> String {
        let middle = segment.count / 2
        let character = segment.dropFirst(middle).first
        return segment.prefix(middle) + (character == "A" ? "B" : "A") + segment.dropFirst(middle + 1)
    }

    // MARK: Dates

    private static let dates: [ReceiptFlaw] = [
        .init(
            "signing-time", .signingTimeInvalid, "the signing time is a date as text, not milliseconds since 1970",
            .payload { payload, time in payload[signingTimeField(of: payload)] = .string("\(time)") }),
        .init(
            "future", .signedInTheFuture, "signed in the future, on 1 December 2038",
            .payload { payload, _ in payload[signingTimeField(of: payload)] = .integer(2_174_774_400_000) }),
        .init(
            "leaf-not-yet-valid", .certificateNotYetValid,
            "the signing certificate becomes valid a day after the signing time",
            leaf { shape, time in shape.notBefore = time.adding(months: 0, days: 1) }),
        .init(
            "expired-leaf", .certificateExpired, "the signing certificate had expired a day before the signing time",
            leaf { shape, time in
                shape.notBefore = time.adding(months: -13, days: 0)
                shape.notAfter = time.adding(months: 0, days: -1)
            }),
    ]

    private static func signingTimeField(of payload: JSONObject) -> String {
        payload["receiptCreationDate"] == nil ? "signedDate" : "receiptCreationDate"
    }

    // MARK: Claims

    private static let claims: [ReceiptFlaw] = [
        .init(
            "unknown-kind", .kindUnrecognized, "a payload of no known kind, correctly signed", in: transaction,
            .payload { payload, time in
                payload = ["greeting": .string("hello"), "signedDate": .integer(time.millisecondsSince1970)]
            }),
        .init(
            "wrong-kind", .kindMismatch, "a renewal info where a transaction is expected", in: [.renewalInfo],
            if: .kind(.transaction), .nothing),
        .init(
            "claim-type", .claimType, "quantity is a text, not a number", in: transaction,
            .payload { payload, _ in payload["quantity"] = .string("two") }),
        .init(
            "wrong-bundle", .bundleIDMismatch, "a receipt of another app",
            in: [.transaction, .notification, .appTransaction],
            app { $0["bundleId"] = .string(($0["bundleId"]?.text ?? "com.example") + ".other") }),
        .init(
            "wrong-app-apple-id", .appAppleIDMismatch, "the right bundle ID with the App Store ID of another app",
            in: [.notification, .appTransaction, .realtimeRequest],
            app { $0["appAppleId"] = .integer(($0["appAppleId"]?.integer ?? 0) ^ 1) }),
        .init(
            "wrong-environment", .environmentMismatch, "a receipt of another environment",
            app { app in
                let name = app["receiptType"] == nil ? "environment" : "receiptType"
                let isProduction = app[name]?.text == StoreEnvironment.production.rawValue
                app[name] = (isProduction ? StoreEnvironment.sandbox : .production).json
            }),
        .init(
            "root-environment", .rootEnvironmentMismatch, "the root must not verify receipts of this environment",
            if: .rootOfOtherEnvironment, .nothing),
        .init(
            "production-under-test-root", .givenRootForProduction,
            "a receipt of Production under a test root that stands beside Apple's", in: transaction,
            if: .strictnessBesideBuiltInRoot,
            .payload { payload, _ in payload["environment"] = StoreEnvironment.production.json }),
        .init(
            "wrong-product", .productIDMismatch, "a purchase of another product",
            in: [.transaction, .renewalInfo, .realtimeRequest],
            .payload { payload, _ in
                payload["productId"] = .string((payload["productId"]?.text ?? "product") + ".other")
            }),
        .init(
            "revoked", .purchaseRevoked, "a purchase that the store has revoked", in: transaction,
            if: .noRevokedPurchases,
            .payload { payload, time in
                payload["revocationDate"] = .integer(time.millisecondsSince1970)
                payload["revocationReason"] = RevocationReason.issue.json
            }),
        .init(
            "unchecked-claim", .uncheckedClaim, "a renewal info, which names no app", in: [.renewalInfo],
            if: .strictness, .nothing),
    ]

    /// Changes the object that names the app: the payload, or the one inside a notification.
    private static func app(_ change: @escaping @Sendable (inout JSONObject) -> Void) -> Change {
        .payload { payload, _ in
            let names = ["data", "summary", "externalPurchaseToken", "appData"]
            // A member that is null or of another type names no app.
            guard let name = names.first(where: { payload[$0]?.object != nil }), var inner = payload[name]?.object
            else { return change(&payload) }
            change(&inner)
            payload[name] = .object(inner)
        }
    }

    // MARK: Receipts inside notifications

    private static let nestedReceipts: [ReceiptFlaw] = [
        .init(
            "nested-mismatch", .nestedMismatch,
            "the renewal info inside belongs to another purchase than the transaction", in: [.notification],
            nested("signedRenewalInfo") { jws, signer throws(CryptoFault) in
                var payload = UntrustedReceipt(decoding: [UInt8](jws.utf8))?.payload?.object ?? JSONObject()
                payload["originalTransactionId"] = .string((payload["originalTransactionId"]?.text ?? "") + "1")
                return try signer.sign(payload)
            }),
        .init(
            "nested-signature", .nestedUnverified, "the signature of the transaction inside is changed",
            in: [.notification],
            nested("signedTransactionInfo") { jws, _ in
                var segments = jws.split(separator: ".").map(String.init)
                segments.append(changingMiddle(of: segments.popLast() ?? ""))
                return segments.joined(separator: ".")
            }),
    ]

    private static func nested(
        _ name: String, _ change: @escaping @Sendable (String, TestSigner) throws(CryptoFault) -> String
    ) -> Change {
        .nested { payload, signer throws(CryptoFault) in
            var data = payload["data"]?.object ?? JSONObject()
            data[name] = .string(try change(data[name]?.text ?? "", signer))
            payload["data"] = .object(data)
        }
    }

    // MARK: Google Play

    private static let googlePlay: [ReceiptFlaw] = [
        .play(
            "play-other-app", .keyNotFound, "a purchase in another app, for which the verifier has no key",
            .purchase { $0["packageName"] = .string(($0["packageName"]?.text ?? "com.example") + ".other") }),
        .play(
            "play-short-key", .keyInvalid, "the key of the app is too short to trust", if: .ownPlayKey,
            .shortKey(bits: 512)),
        .play(
            "play-signature-encoding", .encoding, "the signature has blanks where base64 has +",
            .signedPurchase { _, signature in
                signature = "A " + signature.dropFirst(2).replacing("+", with: " ")
            }),
        .play("play-wrong-key", .signatureInvalid, "signed with another key", .strangerKey),
        .play(
            "play-reencoded", .signatureInvalid, "the data was parsed and written again, with spaces after the commas",
            .signedPurchase { data, _ in data.replace(",", with: ", ") }),
        .play(
            "play-claim-type", .claimType, "quantity is a text, not a number",
            .purchase { $0["quantity"] = .string("two") }),
        .play(
            "play-wrong-product", .productIDMismatch, "a purchase of another product",
            .purchase { $0["productId"] = .string(($0["productId"]?.text ?? "product") + ".other") }),
        .play(
            "play-cancelled", .purchaseCancelled, "a purchase that was cancelled",
            .purchase { $0["purchaseState"] = PlayPurchaseState.cancelled.json }),
        .play(
            "play-pending", .purchasePending, "a purchase that is not paid yet",
            .purchase { $0["purchaseState"] = PlayPurchaseState.pendingOnDevice.json }),
        .play(
            "play-unknown-state", .purchaseStateUnknown, "a purchase in the state 3, which this version does not know",
            .purchase { $0["purchaseState"] = .integer(3) }),
    ]

    private static func play(
        _ name: String, _ code: VerificationFailure.Code, _ meaning: String, if condition: Condition = .none,
        _ change: Change
    ) -> ReceiptFlaw {
        .init(name, code, meaning, in: [.playPurchase], if: condition, change)
    }
}
