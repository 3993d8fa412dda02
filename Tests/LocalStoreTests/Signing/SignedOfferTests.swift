import LocalStore
import PurchaseCore
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Signed offers")
struct SignedOfferTests {
    private func store(key: OffersKey?) throws -> StoreSimulator {
        var configuration = SampleStore.configuration
        configuration.offersKey = key
        return StoreSimulator(
            configuration: configuration, signer: try #require(SampleStore.signer), state: SampleStore.state())
    }

    /// Returns the two integers of a DER signature, 32 bytes each.
    private func raw(_ der: [UInt8]) throws -> [UInt8] {
        try #require(der.first == 0x30 && Int(der[1]) == der.count - 2)
        var rest = der.dropFirst(2)
        var numbers: [UInt8] = []
        for _ in 0..<2 {
            let (tag, length) = (rest.popFirst(), rest.popFirst())
            try #require(tag == 0x02)
            let count = Int(try #require(length))
            let digits = rest.prefix(count)
            try #require(digits.first.map { $0 < 0x80 } ?? false)
            let significant = digits.drop { $0 == 0 }
            numbers += [UInt8](repeating: 0, count: 32 - significant.count) + significant
            rest = rest.dropFirst(count)
        }
        try #require(rest.isEmpty)
        return numbers
    }

    @Test("an offer is signed in both forms with the offers key and a new nonce")
    func signs() throws {
        let key = try PrivateKey(generating: .p256)
        let publicKey = ES256PublicKey(try key.publicKey())
        let store = try store(key: OffersKey(id: "KEY1", privateKey: Base64.standard.encode(try key.pkcs8())))
        let token = UUIDText("3F2C7A4E-0F5C-4A7E-9A0E-0D7F6F0C1A2B")
        var nonces: Set<UUIDText> = []
        // Enough signatures for integers of every encoded length.
        for _ in 0..<300 {
            let offer = try store.signedOffer("half", of: "pro.basic", for: token, transactionID: "7")
            #expect(nonces.insert(offer.nonce).inserted)
            #expect(offer.nonce.isUUID)
            let text =
                "com.example.app\u{2063}KEY1\u{2063}pro.basic\u{2063}half\u{2063}3f2c7a4e-0f5c-4a7e-9a0e-0d7f6f0c1a2b"
                + "\u{2063}\(offer.nonce)\u{2063}\(SampleStore.start.millisecondsSince1970)"
            let signature = try raw(try #require(Base64.standard.decode(offer.signature)))
            #expect(publicKey.isValidSignature(signature, for: [UInt8](text.utf8)))
        }
        let offer = try store.signedOffer("half", of: "pro.basic")
        let parts = offer.jws.split(separator: ".").map(String.init)
        let signature = try #require(Base64.url.decode(parts[2]))
        #expect(publicKey.isValidSignature(signature, for: [UInt8]("\(parts[0]).\(parts[1])".utf8)))
        let payload = try #require(Base64.url.decode(parts[1]).flatMap { try? JSONDocument.value(of: $0) }?.object)
        #expect(payload["aud"] == .string("promotional-offer"))
        #expect(payload["offerIdentifier"] == .string("half"))
        #expect(payload["transactionId"] == nil)
    }

    @Test("an offer is not signed without a usable key or without the offer")
    func rejects() throws {
        let p384 = Base64.standard.encode(try PrivateKey(generating: .p384).pkcs8())
        let good = Base64.standard.encode(try PrivateKey(generating: .p256).pkcs8())
        func code(_ key: OffersKey?, _ offer: String, _ product: String) -> StoreSimulatorError.Code? {
            LocalStoreTests.errorCode { _ = try store(key: key).signedOffer(offer, of: product) }
        }
        #expect(code(nil, "half", "pro.basic") == .unusableKeys)
        for text in ["", "x", p384] {
            #expect(code(OffersKey(id: "K", privateKey: text), "half", "pro.basic") == .unusableKeys)
        }
        let key = OffersKey(id: "K", privateKey: good)
        #expect(code(key, "none", "pro.basic") == .unknownOffer)
        #expect(code(key, "half", "coins") == .unknownOffer)
        #expect(code(key, "half", "nothing") == .unknownProduct)
        #expect(code(key, "half", "pro.basic") == nil)
    }
}
