@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Any text that somebody hands in: what is found in it, and what `inspect` shows of that.
final class InputTarget: FuzzTarget {
    static let name = "input"
    static let summary = "what is found in a text, and what is shown of it without judgement"
    static let maximumLength = 6144

    private let judge: Judge
    private let genuine: [UInt8]

    init() throws {
        judge = try Judge()
        genuine = FixedAuthority.signers[0].sign(payload: [UInt8](SampleText.transaction.utf8))
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        let jws = String(decoding: genuine, as: UTF8.self)
        let base64 = String(decoding: PlainBase64.standard.encode(genuine), as: UTF8.self)
        let lines = stride(from: 0, to: jws.count, by: 76).map { String(jws.dropFirst($0).prefix(76)) }
        let texts = [
            "jws": jws, "lines": lines.joined(separator: "\r\n"), "quoted": "\"\(jws)\"", "base64": base64,
            "escaped": jws.replacing(".", with: "%2E"), "notification": "{\"signedPayload\":\"\(jws)\"}",
            "play": #"{"data":"{}","signature":"AAAA"}"#, "list": "[\"\(jws)\",{\"a\":[\"eyJ.e.A\"]}]",
            "legacy": "MIIBHgYJKoZIhvcNAQcCoIIBDzCCAQsCAQExADALBgkqhkiG9w0BBwGggYM=", "mark": "\u{FEFF} eyJ9.e30.AA",
            "small": "eyJ4NWMiOlsiTUlJIl0sImFsZyI6IkVTMjU2In0.eyJ0cmFuc2FjdGlvbklkIjoiMSJ9.AA",
        ]
        return texts.sorted { $0.key < $1.key }.map { ($0.key, [UInt8]($0.value.utf8)) }
    }

    func run(_ input: [UInt8]) throws {
        let found = ReceiptInput.detect(input)
        require(!found.isEmpty, "neither a receipt nor nothing was found")
        for receipt in found.prefix(4) { check(receipt) }
        if found == [.jws(input)] { checkWrappings(of: input) }
        let text = String(decoding: input, as: UTF8.self)
        for platform in ReceiptPlatform.allCases {
            if case .success = judge.verifier.verifyReceiptSignature(text, platform: platform) {
                require(found == [.jws(genuine)], "a purchase was accepted that nobody has signed")
            }
        }
    }

    private func check(_ receipt: ReceiptInput) {
        guard case .jws(let jws) = receipt else {
            require(judge.verifier.verify(receipt).verdict != .verified, "verified, though nobody has signed it")
            return
        }
        require(!jws.contains { $0 == 0x0A || $0 == 0x0D }, "a line break in a JWS that was found")
        requireEqual(ReceiptInput.detect(jws), [receipt], "what was found, looked at again")
        let outcome = judge.verdict(on: jws, [])
        require(!outcome.isVerified || jws == genuine, "verified, though nobody has signed it")
        inspect(jws, depth: 0)
    }

    /// A JWS is found again in quotation marks, in base64, and with its dots escaped.
    private func checkWrappings(of jws: [UInt8]) {
        let quoted = [0x22] + jws + [0x22]
        let escaped = jws.flatMap { $0 == UInt8(ascii: ".") ? [UInt8]("%2e".utf8) : [$0] }
        for wrapped in [
            quoted, escaped, PlainBase64.standard.encode(jws), PlainBase64.url.encode(quoted), [0x20] + jws,
        ] {
            requireEqual(ReceiptInput.detect(wrapped), [.jws(jws)], "what was found in a wrapping")
        }
    }

    /// Decodes as `inspect` does, with the receipts inside.
    private func inspect(_ jws: [UInt8], depth: Int) {
        guard depth < 3, let receipt = UntrustedReceipt(decoding: jws) else { return }
        for (index, certificate) in receipt.certificates {
            require((0..<16).contains(index), "a certificate without a place")
            require(certificate.notBefore <= .maximum && certificate.notAfter >= .minimum, "a date out of range")
        }
        guard let object = receipt.payload?.object else { return }
        for line in (receipt.kind ?? .transaction).schema.listing(of: object) {
            requireHarmless(line.name + line.text, "a listing holds a character that a terminal obeys")
            if line.text.hasPrefix("eyJ") { inspect([UInt8](line.text.utf8), depth: depth + 1) }
        }
    }
}
