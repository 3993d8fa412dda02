internal import ReceiptTestAuthority
public import ReceiptTypes
internal import ReceiptVerification

extension LocalStore {
    /// Signs a promotional offer for an app, with the key that the configuration has for offers.
    ///
    /// - Parameters:
    ///   - appAccountToken: The account of the app that the offer is for.
    ///   - transactionID: A transaction of the customer that the offer is for.
    public func signedOffer(
        _ offerID: String, of productID: String, for appAccountToken: UUIDText? = nil, transactionID: String? = nil
    ) throws(LocalStoreError) -> SignedOffer {
        guard let key = configuration.offersKey else {
            throw LocalStoreError(.unusableKeys, "the configuration has no key for offers")
        }
        guard let der = Base64.standard.decode(key.privateKey), let signer = BareSigner(pkcs8: der) else {
            throw LocalStoreError(.unusableKeys, "the offers key \(key.id) is no P-256 key in PKCS#8")
        }
        return try locked { core throws(LocalStoreError) in
            let product = try core.engine.product(productID)
            let offers = product.subscription?.promotionalOffers ?? []
            guard offers.contains(where: { $0.id?.isIdentical(to: offerID) ?? false }) else {
                throw LocalStoreError(.unknownOffer, "there is no offer \(offerID)")
            }
            let nonce = try core.step { engine in UUIDText.random(using: &engine.state.generator) }
            let claims = Claims(
                app: core.engine.state.app, keyID: key.id, offerID: offerID, productID: productID, nonce: nonce,
                now: core.engine.state.now, appAccountToken: appAccountToken, transactionID: transactionID)
            do throws(CryptoFault) {
                return SignedOffer(
                    keyID: key.id, nonce: nonce, timestamp: claims.now,
                    signature: try signer.signDER([UInt8](claims.text.utf8)),
                    jws: String(
                        decoding: try signer.sign(
                            header: [UInt8](claims.header.description.utf8),
                            payload: [UInt8](claims.payload.description.utf8)), as: UTF8.self)
                )
            } catch {
                throw LocalStoreError(.notSigned, error.message, underlying: error)
            }
        }
    }

    private struct Claims {
        let app: LocalStoreApp
        let keyID: String
        let offerID: String
        let productID: String
        let nonce: UUIDText
        let now: Timestamp
        let appAccountToken: UUIDText?
        let transactionID: String?

        /// What the original signature is over: fields in a given order with invisible separators, UUIDs in lower case.
        var text: String {
            let account = appAccountToken?.rawValue.lowercased() ?? ""
            return [
                app.bundleID, keyID, productID, offerID, account, nonce.rawValue.lowercased(),
                "\(now.millisecondsSince1970)",
            ].joined(separator: "\u{2063}")
        }

        var header: JSONObject { ["alg": .string("ES256"), "typ": .string("JWT"), "kid": .string(keyID)] }

        var payload: JSONObject {
            var payload: JSONObject = [
                "iss": .string("local-store"), "bid": .string(app.bundleID), "aud": .string("promotional-offer"),
                "iat": .integer(now.millisecondsSince1970 / 1000), "nonce": .string(nonce.rawValue),
                "productId": .string(productID), "offerIdentifier": .string(offerID),
            ]
            payload["transactionId"] = transactionID.map { .string($0) }
            return payload
        }
    }
}
