@testable internal import ReceiptTestAuthority
@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Google Play purchases in every form that clients send, signed after the fuzzer has chosen their content.
///
/// Sections of an input: the choices; the purchase data; a replacement for the signature; the JSON around both, in
/// which `%D` and `%S` stand for data and signature.
final class PlayTarget: FuzzTarget {
    static let name = "play"
    static let summary = "Google Play purchases: forms, keys, signatures, payloads"
    static let maximumLength = 2048

    private static let package = "com.example.app"
    private let key: TestPlayKey
    private let otherKey: TestPlayKey
    private let verifier: ReceiptVerifier
    private let strictVerifier: ReceiptVerifier

    init() throws {
        key = try TestPlayKey(bits: 1024)
        otherKey = try TestPlayKey(bits: 1024)
        var ring = PlayKeyring()
        ring.add([UInt8](key.publicKey.utf8), forPackage: Self.package)
        ring.add([UInt8](otherKey.publicKey.utf8), forPackage: "com.example.other")
        ring.add([UInt8]("no key".utf8), forPackage: "com.example.bad")
        ring.add(FixedAuthority.rootKey.subjectPublicKeyInfo, forPackage: "com.example.curve")
        verifier = ReceiptVerifier(playKeys: ring, clock: { VerdictChecker.clock })
        var onlyRing = PlayKeyring()
        onlyRing.add([UInt8](key.publicKey.utf8), forPackage: Self.package)
        let policy = VerificationPolicy(apps: [.init(bundleID: Self.package)], productIDs: ["pro"], isStrict: true)
        strictVerifier = ReceiptVerifier(policy: policy, playKeys: onlyRing, clock: { VerdictChecker.clock })
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        let play = SamplePayload.playPurchase
        return [
            ("purchase", Sections.join([0], play)),
            ("pending", Sections.join([0], play.replacing("State\":0", with: "State\":2"))),
            ("no-state", Sections.join([0], #"{"packageName":"com.example.app","productIds":["pro","more"]}"#)),
            ("other-key", Sections.join([1], play)),
            ("other-app", Sections.join([1], #"{"packageName":"com.example.other","purchaseState":0}"#)),
            ("bad-key", Sections.join([0], #"{"packageName":"com.example.bad"}"#)),
            ("curve-key", Sections.join([0], #"{"packageName":"com.example.curve"}"#)),
            ("changed", Sections.join([2, 5, 9], play)), ("no-object", Sections.join([0], "[1]")),
            ("own-signature", Sections.join([3], play, "AAAA")),
            ("shape", Sections.join([0], play, "", #"{"originalJson":%D,"signatureAndroid":"%S","key":"x"}"#)),
            ("shape-list", Sections.join([0], play, "", #"[{"receipt":%D,"signature":"%S"}]"#)),
        ]
    }

    func run(_ input: [UInt8]) throws {
        let sections = Sections(input)
        var choices = Choices(sections[0])
        let data = sections[1]
        let mode = choices.number(below: 4)
        let signedText = String(decoding: data, as: UTF8.self)
        var signature = [UInt8](try (mode == 1 ? otherKey : key).sign(signedText).utf8)
        switch mode {
        case 2:
            let place = Int(choices.byte()) % signature.count
            signature[place] ^= choices.byte()
        case 3: signature = sections[2]
        default: break
        }
        let report = check(data, signature, mode, signedText)
        checkShape(sections[3], data, signature, report)
        // The fuzzer's own JSON cannot contain a valid signature.
        for found in ReceiptInput.detect(sections[3]) {
            require(verifier.verify(found).verdict != .verified, "verified, although it was never signed")
        }
    }

    // MARK: Properties

    private func check(_ data: [UInt8], _ signature: [UInt8], _ mode: Int, _ signedText: String) -> ReceiptReport {
        let input = ReceiptInput.play(data: data, signature: signature)
        let report = verifier.verify(input)
        let code = report.failure?.code
        require(code != .internalError, "an internal error of the verifier")
        requireEqual(verifier.explain(input).failure?.code, code, "the code of an explanation")
        let strict = strictVerifier.verify(input)
        require(strict.failure?.code != .internalError, "an internal error of the verifier")
        // Data that is not UTF-8 was repaired before it was signed.
        let isSigned = mode < 2 && [UInt8](signedText.utf8) == data
        let package = (try? JSONDocument.value(of: data))?.object?["packageName"]?.text
        let isGenuine = isSigned && package == (mode == 1 ? "com.example.other" : Self.package)
        if isGenuine { require(code != .signatureInvalid && code != .encoding, "a genuine signature is rejected") }
        guard report.verdict == .verified else {
            require(strict.verdict != .verified, "a stricter policy accepts more")
            return report
        }
        let wasChanged = mode >= 2 && [UInt8](((try? key.sign(signedText)) ?? "").utf8) != signature
        require(isGenuine || (mode >= 2 && !wasChanged), "verified, although it was never signed for \(package ?? "")")
        requireEqual(report.payload?["purchaseState"]?.integer ?? 0, 0, "the state of a verified purchase")
        if strict.verdict == .verified {
            requireEqual(package, Self.package, "the package of a verified purchase under the strict policy")
            requireEqual(
                report.payload?["purchaseState"]?.integer, 0, "the state of a verified purchase under the strict policy"
            )
            requireEqual(
                report.payload?["productId"]?.text ?? "pro", "pro",
                "the product of a verified purchase under the strict policy")
        }
        return report
    }

    /// Checks that the purchase in JSON has the same verdict.
    private func checkShape(_ frame: [UInt8], _ data: [UInt8], _ signature: [UInt8], _ report: ReceiptReport) {
        guard !frame.isEmpty, let text = String(validating: data, as: UTF8.self) else { return }
        let string = [UInt8](JSONValue.string(text).description.utf8)
        let framed = frame.replacing(UInt8(ascii: "D")) { string }.replacing(UInt8(ascii: "S")) { signature }
        for input in ReceiptInput.detect(framed) {
            guard case .play(data, signature) = input else { continue }
            requireEqual(
                verifier.verify(input).failure?.code, report.failure?.code, "the verdict on a purchase in JSON")
        }
        _ = verifier.verifyReceiptSignature(String(decoding: framed, as: UTF8.self), platform: .android)
    }
}
