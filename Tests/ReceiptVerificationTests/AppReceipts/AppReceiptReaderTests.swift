import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Tests the reading of the attributes of an app receipt, whose signature is of no importance here.
@Suite("Attributes of app receipts")
struct AppReceiptReaderTests {
    private func read(_ content: [UInt8]) -> Result<AppReceiptContent, UnreadableAppReceipt> {
        Result { () throws(UnreadableAppReceipt) in try AppReceiptContent(reading: content) }
    }

    private func read(attributes: [[UInt8]]) -> Result<AppReceiptContent, UnreadableAppReceipt> {
        read(Element.set(Element.beginning + attributes))
    }

    private func receipt(_ attributes: [[UInt8]]) throws -> AppReceipt {
        AppReceipt(members: try #require(read(attributes: attributes).get().payload))
    }

    private func code(_ attributes: [[UInt8]]) -> VerificationFailure.Code? { code(of: read(attributes: attributes)) }

    private func code(
        of result: Result<AppReceiptContent, UnreadableAppReceipt>
    ) -> VerificationFailure.Code? {
        if case .failure(let failure) = result { failure.code } else { nil }
    }

    // MARK: Values

    @Test("each known attribute has the field of its name, with its value")
    func fields() throws {
        let values: [AppReceiptAttribute.Encoding: [UInt8]] = [
            .integer: Element.integer(7), .text: Element.text("text"), .asciiText: Element.asciiText("4+"),
            .date: Element.asciiText("2025-10-09T08:53:20Z"), .bytes: [1, 2, 3],
        ]
        func attributes(_ table: [AppReceiptAttribute]) -> [[UInt8]] {
            table.compactMap { attribute in values[attribute.encoding].map { Element.attribute(attribute.type, $0) } }
        }
        let content = Element.set(
            attributes(AppReceiptAttribute.ofReceipts) + [Element.purchase(attributes(AppReceiptAttribute.ofPurchases))]
        )
        let object = try #require(read(content).get().payload)
        #expect(Set(object.members.map(\.name)) == Set(AppReceiptAttribute.ofReceipts.map(\.name)))
        let purchase = try #require(object["inApp"]?.elements?.first?.object)
        #expect(purchase.members.map(\.name) == AppReceiptAttribute.ofPurchases.map(\.name))
        for (table, object) in [(AppReceiptAttribute.ofReceipts, object), (AppReceiptAttribute.ofPurchases, purchase)] {
            for attribute in table {
                switch attribute.encoding {
                case .integer: #expect(object[attribute.name]?.integer == 7)
                case .text: #expect(object[attribute.name]?.text == "text")
                case .asciiText: #expect(object[attribute.name]?.text == "4+")
                case .date: #expect(object[attribute.name]?.integer == 1_760_000_000_000)
                case .bytes: #expect(object[attribute.name]?.text == "AQID")
                case .purchase: break
                }
            }
        }
        #expect(AppReceipt.schema.firstMismatch(in: object) == nil)
        #expect(Set(AppReceipt.schema.fields.map(\.name)) == Set(object.members.map(\.name) + ["unknownAttributes"]))
        #expect(
            Set(AppReceiptPurchase.schema.fields.map(\.name))
                == Set(purchase.members.map(\.name) + ["unknownAttributes"])
        )
    }

    @Test("empty texts and dates are absent, and 0 is kept")
    func emptyValues() throws {
        let receipt = try receipt([
            Element.attribute(1, Element.integer(0)), Element.attribute(19, Element.text("")),
            Element.attribute(18, Element.asciiText("")), Element.attribute(21, Element.asciiText("")),
        ])
        #expect(receipt.appAppleId == 0)
        #expect(receipt.members["originalApplicationVersion"] == nil)
        #expect(receipt.members["originalPurchaseDate"] == nil)
        #expect(receipt.members["expirationDate"] == nil)
        #expect(receipt.inApp == [])
    }

    @Test("integers have the values of their bytes in two's complement, up to 8 bytes")
    func integers() throws {
        for value in [0, 1, 127, 128, 255, 256, -1, -128, -129, 1_000_000_029_801_036, .max, .min] as [Int64] {
            #expect(try receipt([Element.attribute(16, Element.integer(value))]).versionExternalIdentifier == value)
        }
    }

    @Test("dates with an offset from UTC, as Xcode writes them, are read")
    func offsets() throws {
        for text in ["2025-10-09T11:53:20+0300", "2025-10-09T01:23:20-0730", "2025-10-09T11:53:20+03:00"] {
            let receipt = try receipt([Element.attribute(18, Element.asciiText(text))])
            #expect(receipt.originalPurchaseDate == Timestamp(milliseconds: 1_760_000_000_000), "\(text)")
        }
    }

    @Test("unknown attributes are kept with their bytes, also twice")
    func unknownAttributes() throws {
        let odd = [Element.attribute(8, Element.asciiText("")), Element.attribute(9999, [0xFF], version: 2)]
        let receipt = try receipt(odd + odd + [Element.purchase([Element.attribute(1709, [])])])
        let kept = try #require(receipt.unknownAttributes)
        #expect(kept.map(\.type) == [8, 9999, 8, 9999])
        #expect(kept.map(\.version) == [1, 2, 1, 2])
        #expect(kept.map(\.value) == ["FgA=", "/w==", "FgA=", "/w=="])
        #expect(receipt.inApp?.first?.unknownAttributes?.map(\.type) == [1709])
    }

    @Test("text that would need escapes in JSON is kept")
    func specialCharacters() throws {
        let text = "a\"\\\u{8}\n\u{202E}é\u{1F600}"
        #expect(try receipt([Element.attribute(3, Element.text(text))]).applicationVersion == text)
    }

    // MARK: Rejections

    @Test("a known attribute of another encoding is rejected")
    func encodings() {
        let wrong: [(Int64, [UInt8])] = [
            (1, Element.text("1")), (1, [0x02, 0x00]), (1, [0x02, 0x02, 0x00, 0x01]), (1, [0x02, 0x81, 0x01, 0x01]),
            (1, Element.make(0x02, [UInt8](repeating: 1, count: 9))), (1, Element.integer(1) + [0]), (1, []),
            (3, Element.asciiText("1")), (3, [0x0C, 0x02, 0x41]), (3, Element.make(0x0C, [0xC3])),
            (3, Element.make(0x0C, [0x41, 0x00])), (3, Element.make(0x0C, [0xED, 0xA0, 0x80])), (3, [0x2C, 0x00]),
            (10, Element.text("4+")), (10, Element.make(0x16, [0x80])), (18, Element.text("2025-10-09T08:53:20Z")),
            (17, [0x30, 0x00]), (17, Element.set([]) + [0]), (18, Element.asciiText("yesterday")),
            (18, Element.asciiText("2025-13-09T08:53:20Z")),
        ]
        for (type, value) in wrong {
            #expect(code([Element.attribute(type, value)]) == .attributeInvalid, "\(type) \(value)")
        }
        for (type, value) in [(1701, Element.text("1")), (1702, Element.asciiText("x"))] as [(Int64, [UInt8])] {
            #expect(code([Element.purchase([Element.attribute(type, value)])]) == .attributeInvalid)
        }
    }

    @Test("a known attribute that occurs twice is rejected, in a receipt and in a purchase")
    func duplicates() {
        #expect(code([Element.attribute(2, Element.text("com.example.app"))]) == .attributeDuplicate)
        #expect(code([Element.attribute(4, [1]), Element.attribute(4, [1])]) == .attributeDuplicate)
        let product = Element.attribute(1702, Element.text("a"))
        #expect(code([Element.purchase([product, product])]) == .attributeDuplicate)
        #expect(code([Element.purchase([product]), Element.purchase([product])]) == nil)
    }

    @Test("a receipt without a type or a bundle ID is rejected")
    func missing() {
        for index in 0..<2 {
            var attributes = Element.beginning
            attributes.remove(at: index)
            #expect(code(of: read(Element.set(attributes))) == .attributeMissing)
        }
        #expect(code(of: read(Element.set([]))) == .attributeMissing)
        #expect(
            code(
                of: read(
                    Element.set([Element.attribute(0, Element.text("")), Element.attribute(2, Element.text("a"))])))
                == .attributeMissing)
    }

    @Test("a content that is no SET of attributes in DER is rejected")
    func malformed() {
        let good = Element.set(Element.beginning)
        let bad: [[UInt8]] = [
            [], [0x31], good + [0], [UInt8](good.dropLast()), [0x30] + good.dropFirst(),
            [0x31, 0x80] + good.dropFirst(2) + [0, 0], Element.set([[0x05, 0x00]]),
            Element.set([Element.make(0x30, Element.integer(1) + Element.integer(1))]),
            Element.set([Element.make(0x30, Element.integer(1) + Element.integer(1) + [0x24, 0x00])]),
            Element.set([Element.make(0x30, Element.integer(1) + Element.integer(1) + [0x04, 0x00, 0x05, 0x00])]),
            Element.set([
                Element.make(0x30, Element.make(0x02, [UInt8](repeating: 1, count: 9)) + Element.integer(1) + [4, 0])
            ]),
            Element.set(Element.beginning + [Element.attribute(17, Element.set([[0x30, 0x00]]))]),
        ]
        for content in bad { #expect(code(of: read(content)) == .attributesMalformed, "\(content)") }
    }

    @Test("lengths that exceed the bytes, or that are not the shortest, are rejected")
    func hostileLengths() {
        let lengths: [[UInt8]] = [
            [0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x88] + [UInt8](repeating: 0xFF, count: 8),
            [0x84, 0x7F, 0xFF, 0xFF, 0xFF],
            [0x80], [0x81, 0x05], [0x82, 0x00, 0x85], [0xFF], [0x85, 0, 0, 0, 0, 5],
            [0x8F] + [UInt8](repeating: 0, count: 15),
        ]
        for length in lengths {
            for identifier: UInt8 in [0x31, 0x30, 0x02, 0x04] {
                let element = [identifier] + length + [1, 2, 3, 4, 5]
                #expect(code(of: read(element)) == .attributesMalformed)
                #expect(code(of: read(Element.set([element]))) == .attributesMalformed)
                #expect(code(of: read(Element.set([Element.make(0x30, element)]))) == .attributesMalformed)
            }
        }
    }

    @Test("the limits of purchases and attributes are exact")
    func limits() throws {
        let purchase = Element.purchase([Element.attribute(1702, Element.text("a"))])
        let many = [[UInt8]](repeating: purchase, count: Budget.appReceiptPurchases)
        #expect(try receipt(many).inApp?.count == Budget.appReceiptPurchases)
        #expect(code(many + [purchase]) == .tooManyPurchases)
        let odd = Element.attribute(9999, [])
        let rest = Budget.appReceiptAttributes - Element.beginning.count
        let attributes = [[UInt8]](repeating: odd, count: rest)
        #expect(code(attributes) == nil)
        #expect(code(attributes + [odd]) == .tooManyAttributes)
        let inside = [[UInt8]](repeating: odd, count: Budget.purchaseAttributes)
        #expect(code([Element.purchase(inside)]) == nil)
        #expect(code([Element.purchase(inside + [odd])]) == .tooManyAttributes)
    }

    // MARK: Device

    @Test("a UUID and a MAC address are read, and nothing else")
    func devices() {
        #expect(DeviceID("00000000-0000-0000-0000-000000000000") == .zero)
        #expect(DeviceID("8F3B1D0A-52C7-4E0B-9A41-6D2E7C9F0B13")?.bytes.count == 16)
        #expect(DeviceID("3c:22:fb:0A:91:5e")?.bytes == [0x3C, 0x22, 0xFB, 0x0A, 0x91, 0x5E])
        #expect(DeviceID("3c-22-fb-0a-91-5e") == DeviceID("3c:22:fb:0a:91:5e"))
        for text in ["", "3c22fb0a915e", "3c:22:fb:0a:91", "3c:22:fb:0a:91:5g", "8F3B1D0A-52C7-4E0B-9A41-6D2E7C9F0B1"] {
            #expect(DeviceID(text) == nil)
        }
        #expect(DeviceID(bytes: [UInt8](repeating: 1, count: 15)) == nil)
    }

    @Test("the hash of a receipt is over device, opaque value and the encoded bundle ID")
    func deviceHash() throws {
        let device = try #require(DeviceID("3c:22:fb:0a:91:5e"))
        let opaque: [UInt8] = [1, 2, 3, 4]
        let hash = try HashAlgorithm.sha1.digest(of: device.bytes + opaque + Element.text("com.example.app"))
        let content = try read(attributes: [Element.attribute(4, opaque), Element.attribute(5, hash)]).get()
        #expect(try content.binding?.isBound(to: device) == true)
        #expect(try content.binding?.isBound(to: .zero) == false)
        #expect(try read(attributes: [Element.attribute(5, hash)]).get().binding == nil)
    }
}
