import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Certificates that OpenSSL reads although they are not in DER. The verdicts about receipts with them are vectors.
@Suite("Encoding of certificates")
struct CertificateEncodingTests {
    /// A certificate of the vectors that must be rejected, and what is wrong with it.
    struct Flawed: Sendable, CustomTestStringConvertible {
        let comment: String
        let der: [UInt8]

        var testDescription: String { comment }
    }

    private static let position = ["leaf:", "intermediate:", "root:"]

    /// The flawed certificate of each vector.
    static let flawed: [Flawed] = {
        struct Document: Decodable {
            struct Group: Decodable {
                struct Test: Decodable {
                    let comment: String
                    let code: String?
                    let jws: String?
                }
                let tests: [Test]
            }
            let groups: [Group]
        }
        struct Header: Decodable { let x5c: [Data] }
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "TestVectors/certificate-der.json")
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(contentsOf: file)) else { return [] }
        return document.groups.flatMap(\.tests).compactMap { test in
            guard test.code == "certificate-malformed", let segment = test.jws?.split(separator: ".").first,
                let bytes = Base64.url.decode(String(segment)),
                let header = try? JSONDecoder().decode(Header.self, from: Data(bytes)), header.x5c.count == 3,
                let index = position.firstIndex(where: { test.comment.hasPrefix($0) })
            else { return nil }
            return Flawed(comment: test.comment, der: [UInt8](header.x5c[index]))
        }
    }()

    @Test("[CARD-2] a certificate that is not in DER in every field is no root, neither in DER nor in PEM")
    func givenRoots() throws {
        #expect(Self.flawed.count > 100)
        for certificate in Self.flawed {
            for bytes in [certificate.der, [UInt8](PEM.encode(certificate.der, label: "CERTIFICATE").utf8)] {
                var anchors = TrustAnchors()
                #expect(throws: TrustAnchorError(code: .notACertificate), "\(certificate.comment)") {
                    try anchors.add(bytes)
                }
                #expect(anchors.anchors.isEmpty)
            }
        }
    }

    @Test("[CARD-2] a key has one form: an uncompressed point on a named curve, or RSA with NULL as its parameters")
    func formsOfKeys() throws {
        let chain = try #require(Fixture.authority).signer.chain
        let receipts = try AppReceiptAuthority().signer().chain
        for der in chain + receipts {
            let same = try #require(EncodedCertificate.replacingKey(of: der) { ($0, $1) })
            #expect(same == der)
            #expect(try Certificate(der: same) != nil)
        }
        for der in chain {
            for first: (UInt8) -> UInt8 in [{ 2 + $0 & 1 }, { 6 + $0 & 1 }] {
                let changed = EncodedCertificate.replacingKey(of: der) { algorithm, point in
                    let form = first(point.last ?? 0)
                    return (algorithm, [0, form] + point.dropFirst(2).prefix(form < 4 ? (point.count - 2) / 2 : .max))
                }
                #expect(try Certificate(der: try #require(changed)) == nil)
            }
        }
        for der in receipts {
            for parameters: [UInt8] in [[], [0x04, 0x00]] {
                let changed = EncodedCertificate.replacingKey(of: der) { algorithm, key in
                    (algorithm.dropLast(2) + parameters, key)
                }
                #expect(try Certificate(der: try #require(changed)) == nil)
            }
        }
    }

    @Test("[CARD-2] an element of a certificate with a longer length than necessary is rejected, at every depth")
    func longLengths() throws {
        let authority = try #require(Fixture.authority)
        let receipts = try AppReceiptAuthority().signer()
        for der in authority.signer.chain + receipts.chain {
            #expect(try Certificate(der: der) != nil)
            let changed = DERElement.withLongLengths(der)
            #expect(changed.count > 40)
            for (place, bytes) in changed { #expect(try Certificate(der: bytes) == nil, "\(place)") }
        }
    }
}

/// An element of DER.
private struct DERElement {
    let identifier: UInt8
    let contents: ArraySlice<UInt8>

    /// Returns the elements that follow each other in bytes.
    static func all(in bytes: ArraySlice<UInt8>) -> [DERElement] {
        var (elements, rest) = ([DERElement](), bytes)
        while let identifier = rest.popFirst(), let first = rest.popFirst() {
            var length = Int(first)
            if first >= 0x80 {
                length = rest.prefix(Int(first & 0x7F)).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(Int(first & 0x7F))
            }
            elements.append(DERElement(identifier: identifier, contents: rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return elements
    }

    static func encode(_ identifier: UInt8, _ contents: [UInt8], isLong: Bool = false) -> [UInt8] {
        let length: [UInt8] =
            switch contents.count {
            case ..<0x80: isLong ? [0x81, UInt8(contents.count)] : [UInt8(contents.count)]
            case ..<0x100: (isLong ? [0x82, 0] : [0x81]) + [UInt8(contents.count)]
            default: (isLong ? [0x83, 0] : [0x82]) + [UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)]
            }
        return [identifier] + length + contents
    }

    /// Returns the encodings with one length too long each, by the identifiers on the way to it.
    static func withLongLengths(_ der: [UInt8]) -> [(place: String, der: [UInt8])] {
        all(in: der[...]).flatMap(\.withLongLengths)
    }

    private var withLongLengths: [(place: String, der: [UInt8])] {
        let name = Hexadecimal.encode([identifier])
        let own = (name, Self.encode(identifier, Array(contents), isLong: true))
        guard identifier & 0x20 != 0 else { return [own] }
        let children = Self.all(in: contents)
        return [own]
            + children.indices.flatMap { index in
                children[index].withLongLengths.map { place, changed in
                    let contents = children.enumerated().flatMap { offset, child in
                        offset == index ? changed : Self.encode(child.identifier, Array(child.contents))
                    }
                    return ("\(name) \(place)", Self.encode(identifier, contents))
                }
            }
    }
}
