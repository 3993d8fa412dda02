@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Containers of app receipts: the reader of DER and OpenSSL's parser of PKCS#7 agree on what is DER, and no container
/// that was never signed is verified.
final class ContainerTarget: FuzzTarget {
    static let name = "container"
    static let summary = "containers of app receipts, read in DER and by OpenSSL"
    static let maximumLength = 4096

    private let verifier = ReceiptVerifier()

    init() throws {}

    var seeds: [(name: String, bytes: [UInt8])] {
        let oid = Self.element(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])
        let data = Self.element(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])
        let sha256 = Self.element(
            0x30, Self.element(0x06, [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]) + [0x05, 0x00])
        let rsa = Self.element(
            0x30, Self.element(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]) + [0x05, 0x00])
        let name = Self.element(0x30, [])
        let one: [UInt8] = [0x02, 0x01, 0x01]
        let certificate = Self.element(0x30, Self.element(0x30, one + sha256 + name) + sha256 + [0x03, 0x01, 0x00])
        let signer = Self.element(
            0x30, one + Self.element(0x30, name + one) + sha256 + rsa + Self.element(0x04, [1, 2, 3]))
        func container(_ certificates: [UInt8], _ optional: [UInt8] = []) -> [UInt8] {
            let content = Self.element(0x30, data + Self.element(0xA0, Self.element(0x04, Self.attributes)))
            let body = one + Self.element(0x31, sha256) + content + certificates + optional
            return Self.element(
                0x30, oid + Self.element(0xA0, Self.element(0x30, body + Self.element(0x31, signer))))
        }
        let three = Self.element(0xA0, certificate + certificate + certificate)
        return [
            ("der", container(three)), ("one", container(Self.element(0xA0, certificate))), ("none", container([])),
            ("lists", container(three, Self.element(0xA1, []))), ("attributes", Self.attributes),
            ("ber", [0x30, 0x80] + oid + [0xA0, 0x80, 0x30, 0x80] + one + [0x31, 0x00, 0, 0, 0, 0, 0, 0]),
        ] + VectorSeeds.receipts(in: "container") + VectorSeeds.receipts(in: "regions")
    }

    private static let attributes: [UInt8] = {
        func attribute(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] {
            element(0x30, element(0x02, type) + [0x02, 0x01, 0x01] + element(0x04, value))
        }
        let product = element(0x31, attribute([0x06, 0xA6], element(0x0C, [0x61])))
        return element(
            0x31,
            attribute([0], element(0x0C, [0x58])) + attribute([2], element(0x0C, [0x61])) + attribute([17], product)
                + attribute([12], element(0x16, [UInt8]("2025-10-09T08:53:20Z".utf8))) + attribute([99], [1]))
    }()

    private static func element(_ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        guard contents.count > 127 else { return [identifier, UInt8(contents.count)] + contents }
        return [identifier, 0x82, UInt8(contents.count >> 8), UInt8(contents.count & 255)] + contents
    }

    func run(_ input: [UInt8]) throws {
        let parts = input.withRawSpan { span in try? SignedData(reading: span) }
        let rewritten = try input.withRawSpan { (span) throws(CryptoFault) in try SignedData.der(fromBER: span) }
        if let parts, parts.certificatePlaces.allSatisfy({ Self.isCertificate([UInt8](input[$0])) }) {
            // OpenSSL looks into names, algorithms and attributes, whose bytes the rules for containers compare.
            var examination = Examination(isTracing: false)
            let container = try AppReceiptContainer.read(input, &examination)
            require(container == nil || rewritten == input, "OpenSSL reads an accepted container differently")
        }
        if let parts {
            for place in [parts.content, parts.certificates, parts.signature] + parts.certificatePlaces {
                require(place.upperBound <= input.count, "a part is outside the container")
            }
        }
        let content = parts.map { [UInt8](input[$0.content]) } ?? input
        if let receipt = try? AppReceiptContent(reading: content) {
            require(receipt.payload != nil, "the attributes are not written as JSON")
        }
        _ = UntrustedAppReceipt(decoding: input)
        require(verifier.verify(.appReceipt(input)).verdict != .verified, "verified, although it was never signed")
    }

    private static func isCertificate(_ der: [UInt8]) -> Bool { (try? Certificate(der: der)) != nil }
}
