@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Any user input: the receipts that are found in it, and what `inspect` shows of them.
final class InputTarget: FuzzTarget {
    static let name = "input"
    static let summary = "receipts found in user input, and what inspect shows of them"
    static let maximumLength = 6144

    private let checker: VerdictChecker
    private let genuine: [UInt8]

    init() throws {
        checker = try VerdictChecker()
        genuine = FixedAuthority.signers[0].sign(payload: [UInt8](SamplePayload.transaction.utf8))
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
        require(!found.isEmpty, "detection returned an empty list")
        for receipt in found.prefix(4) { check(receipt) }
        if found == [.jws(input)], Self.isPlain(input) { checkWrappings(of: input) }
        let text = String(decoding: input, as: UTF8.self)
        for platform in ReceiptPlatform.allCases {
            if case .success = checker.verifier.verifyReceiptSignature(text, platform: platform) {
                require(found == [.jws(genuine)], "a purchase was accepted without a signature")
            }
        }
    }

    private func check(_ receipt: ReceiptInput) {
        guard case .jws(let jws) = receipt else {
            require(checker.verifier.verify(receipt).verdict != .verified, "verified, although it was never signed")
            return
        }
        // A damaged JWS is found as it is, also with line breaks, so that it gets the code of its flaw.
        if Self.isPlain(jws) { requireEqual(ReceiptInput.detect(jws), [receipt], "the detection in a detected JWS") }
        let outcome = checker.verdict(on: jws, [])
        require(!outcome.isVerified || jws == genuine, "verified, although it was never signed")
        inspect(jws, depth: 0)
    }

    /// Whether the bytes are three base64url segments, without what a tool may have added or damaged.
    private static func isPlain(_ jws: [UInt8]) -> Bool {
        let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
        return jws.allSatisfy(alphabet.contains) && jws.count { $0 == UInt8(ascii: ".") } == 2
    }

    /// Checks that a JWS is found in quotation marks, in base64, and with its dots escaped.
    private func checkWrappings(of jws: [UInt8]) {
        let quoted = [0x22] + jws + [0x22]
        let escaped = jws.flatMap { $0 == UInt8(ascii: ".") ? [UInt8]("%2e".utf8) : [$0] }
        for wrapped in [
            quoted, escaped, PlainBase64.standard.encode(jws), PlainBase64.url.encode(quoted), [0x20] + jws,
        ] {
            requireEqual(ReceiptInput.detect(wrapped), [.jws(jws)], "the detection in a wrapping")
        }
    }

    /// Decodes a JWS and the JWS inside it, as `inspect` does.
    private func inspect(_ jws: [UInt8], depth: Int) {
        guard depth < 3, let receipt = UntrustedReceipt(decoding: jws) else { return }
        for (index, certificate) in receipt.certificates {
            require((0..<16).contains(index), "the index of a certificate is out of range")
            require(
                certificate.notBefore <= .maximum && certificate.notAfter >= .minimum,
                "a date of a certificate is out of range")
        }
        guard let object = receipt.payload?.object else { return }
        for line in (receipt.kind ?? .transaction).schema.listing(of: object) {
            requireHarmless(line.name + line.text, "a listing contains a control character")
            if line.text.hasPrefix("eyJ") { inspect([UInt8](line.text.utf8), depth: depth + 1) }
        }
    }
}
