public import PurchaseCore
internal import ReceiptTestAuthority
public import ReceiptTypes
internal import ReceiptVerification

extension StoreSimulator {
    /// Signs a promotional offer with the offers key of the configuration.
    ///
    /// - Parameters:
    ///   - offerID: The promotional offer.
    ///   - productID: The subscription that has the offer.
    ///   - appAccountToken: The app's account that the offer is for.
    ///   - transactionID: A transaction of the customer that the offer is for.
    /// - Throws: ``StoreSimulatorError`` with the code `unusable-keys`, `unknown-product`, `unknown-offer` or
    ///   `not-signed`.
    public func signedOffer(
        _ offerID: String, of productID: String, for appAccountToken: UUIDText? = nil, transactionID: String? = nil
    ) throws(StoreSimulatorError) -> SignedOffer {
        guard let key = configuration.offersKey else {
            throw StoreSimulatorError(.unusableKeys, "the configuration has no offers key")
        }
        guard let der = Base64.standard.decode(key.privateKey), let signer = BareSigner(pkcs8: der) else {
            throw StoreSimulatorError(.unusableKeys, "the offers key \(key.id) is not a P-256 private key in PKCS#8")
        }
        return try withCore { core throws(StoreSimulatorError) in
            let product = try core.engine.product(productID)
            let offers = product.subscription?.promotionalOffers ?? []
            guard offers.contains(where: { $0.id?.isIdentical(to: offerID) ?? false }) else {
                throw StoreSimulatorError(.unknownOffer, "product \(productID) has no promotional offer \(offerID)")
            }
            let nonce = try core.step { engine in UUIDText.random(using: &engine.state.generator) }
            let claims = Claims(
                app: core.engine.state.app, keyID: key.id, offerID: offerID, productID: productID, nonce: nonce,
                now: core.engine.state.now, appAccountToken: appAccountToken, transactionID: transactionID)
            do throws(CryptoFault) {
                return SignedOffer(
                    keyID: key.id, nonce: nonce, timestamp: claims.now,
                    signature: try signer.signDER([UInt8](claims.signatureInput.utf8)),
                    jws: String(
                        decoding: try signer.sign(
                            header: [UInt8](claims.header.description.utf8),
                            payload: [UInt8](claims.payload.description.utf8)), as: UTF8.self)
                )
            } catch {
                throw StoreSimulatorError(.notSigned, error.message, underlying: error)
            }
        }
    }

    private struct Claims {
        let app: SimulatedApp
        let keyID: String
        let offerID: String
        let productID: String
        let nonce: UUIDText
        let now: Timestamp
        let appAccountToken: UUIDText?
        let transactionID: String?

        /// The input of the signature: the fields in Apple's order, joined by U+2063, with lowercase UUIDs.
        var signatureInput: String {
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

/// A promotional offer that is signed as an app's server signs it, in both of Apple's forms.
public struct SignedOffer: Sendable, Hashable {
    /// The identifier of the offers key.
    public let keyID: String
    /// The nonce, unique to this signature.
    public let nonce: UUIDText
    /// The signing time.
    public let timestamp: Timestamp
    /// The DER signature in base64 over the fields, which are joined by U+2063.
    public let signature: String
    /// The same offer as compact JWS.
    public let jws: String
}
