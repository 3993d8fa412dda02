import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Google Play")
struct PlayTests {
    private static let key = try? TestPlayKey(bits: 1024)
    private let data =
        #"{"orderId":"GPA.1","packageName":"com.example.app","productId":"pro","purchaseTime":1760000000000,"purchaseState":0,"purchaseToken":"t"}"#

    private func verifier(_ key: TestPlayKey, package: String = "com.example.app") -> ReceiptVerifier {
        var keys = PlayKeyring()
        keys.add([UInt8](key.publicKey.utf8), forPackage: package)
        return ReceiptVerifier(playKeys: keys)
    }

    @Test("[OTP-7.4] a purchase verifies with the key of its app, and one added byte makes the signature invalid")
    func purchaseVerifies() throws {
        let key = try #require(Self.key)
        let signature = try key.sign(data)
        let purchase = try #require(verifier(key).verifyPurchase(data: data, signature: signature).verifiedPayload)
        #expect(purchase.productId == "pro")
        let changed = verifier(key).verifyPurchase(data: data + "\n", signature: signature)
        #expect(changed.failure?.code == .signatureInvalid)
        #expect(changed.failure?.hint.contains("exact bytes") == true)
        let newline = try key.sign(data + "\n")
        #expect(verifier(key).verifyPurchase(data: data + "\n", signature: newline).verdict == .verified)
    }

    @Test("[OTP-7.4] a purchase that another app's key has signed is rejected, and the hint names that app")
    func mixedUpKeysGetAHint() throws {
        let key = try #require(Self.key)
        let other = try TestPlayKey(bits: 1024)
        var keys = PlayKeyring()
        keys.add([UInt8](other.publicKey.utf8), forPackage: "com.example.app")
        keys.add([UInt8](key.publicKey.utf8), forPackage: "com.example.second")
        let failure = ReceiptVerifier(playKeys: keys).verifyPurchase(data: data, signature: try key.sign(data)).failure
        #expect(failure?.code == .signatureInvalid)
        #expect(failure?.hint.contains("com.example.second") == true)
    }

    @Test("a signature in letters of one case is named")
    func lostCase() throws {
        let key = try #require(Self.key)
        let signature = try key.sign(data)
        for changed in [signature.lowercased(), signature.uppercased()] {
            let result = verifier(key).verifyPurchase(data: data, signature: changed)
            #expect(result.verdict == .unverified)
            #expect(result.failure?.hint.hasPrefix("base64 needs both cases") == true)
        }
    }

    @Test("a purchase without data or without a signature is no receipt, and the part that is empty is named")
    func emptyParts() throws {
        let key = try #require(Self.key)
        let signature = try key.sign(data)
        for empty in ["", " \n", "null", "undefined"] {
            for (data, signature, part) in [
                (empty, signature, "data are"), (data, empty, "signature is"), (empty, empty, "data and signature are"),
            ] where data != "null" || part != "data are" {
                let failure = verifier(key).verifyPurchase(data: data, signature: signature).failure
                #expect(failure?.code == .notAReceipt && failure?.verdict == .undecided)
                #expect(failure?.actual == "a Google Play purchase whose \(part) empty")
            }
        }
    }

    @Test("[CARD-4] a purchase is undecided if the key of its app is missing or unusable")
    func keysAreRequired() throws {
        let key = try #require(Self.key)
        let missing = verifier(key, package: "com.example.second").verifyPurchase(
            data: data, signature: try key.sign(data))
        #expect(missing.failure?.code == .keyNotFound)
        #expect(missing.verdict == .undecided)
        for bad in ["", "not base64", "AAAA", try TestPlayKey(bits: 512).publicKey] {
            var keys = PlayKeyring()
            keys.add([UInt8](bad.utf8), forPackage: "com.example.app")
            let result = ReceiptVerifier(playKeys: keys).verifyPurchase(data: data, signature: try key.sign(data))
            #expect(result.failure?.code == .keyInvalid)
            #expect(result.verdict == .undecided)
            #expect(PlayKeyring.problem(ofKey: [UInt8](bad.utf8)) != nil)
        }
    }

    @Test("[OTP-9.2] a purchase in any state but purchased is rejected with a code for its state")
    func stateIsChecked() throws {
        let key = try #require(Self.key)
        for (state, code) in [
            ("1", VerificationFailure.Code.purchaseCancelled), ("2", .purchasePending), ("4", .purchasePending),
            ("7", .purchaseStateUnknown),
        ] {
            let data = data.replacing("\"purchaseState\":0", with: "\"purchaseState\":\(state)")
            #expect(verifier(key).verifyPurchase(data: data, signature: try key.sign(data)).failure?.code == code)
        }
    }

    @Test("a purchase without a state is verified with a warning, and a strict policy rejects it")
    func absentState() throws {
        let key = try #require(Self.key)
        for member in ["", "\"purchaseState\":null,"] {
            let data = data.replacing("\"purchaseState\":0,", with: member)
            let input = ReceiptInput.play(data: [UInt8](data.utf8), signature: [UInt8](try key.sign(data).utf8))
            var verifier = verifier(key)
            let report = verifier.verify(input)
            #expect(report.verdict == .verified && report.warnings.map(\.code) == [.purchaseStateAbsent])
            #expect(report.warnings.first?.message.contains("no purchaseState") == true)
            verifier.policy = VerificationPolicy(apps: [.init(bundleID: "com.example.app")], isStrict: true)
            let strict = verifier.verify(input)
            #expect(strict.failure?.code == .purchaseStateUnknown && strict.warnings.isEmpty)
            #expect(strict.failure?.hint.contains("do not be strict") == true)
        }
    }

    @Test("the token of a purchase that names it token identifies the purchase")
    func tokenName() throws {
        let key = try #require(Self.key)
        let data = data.replacing("\"orderId\":\"GPA.1\",", with: "").replacing("purchaseToken", with: "token")
        let result = verifier(key).verifyPurchase(data: data, signature: try key.sign(data))
        #expect(result.verifiedPayload?.purchaseToken == "t")
    }
}
