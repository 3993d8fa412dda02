import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// The steps of a search, which are counted by the budget that ends it.
@Suite("The cost of a search")
struct SearchCostTests {
    /// A text of any size that is made to be looked at many times.
    struct HostileShape: Sendable, CustomTestStringConvertible {
        let name: String
        let text: @Sendable (Int) -> [UInt8]
        /// Whether the budget ends the search, since what is inside itself is searched once for each time.
        let isNested: Bool
        var testDescription: String { name }

        init(_ pattern: String) {
            self.init(pattern.debugDescription) { pattern.repeatedText(to: $0) }
        }

        init(_ name: String, isNested: Bool = false, _ text: @escaping @Sendable (Int) -> String) {
            (self.name, self.isNested) = (name, isNested)
            self.text = { [UInt8](text($0).utf8) }
        }

        /// A text that repeats bytes.
        init(bytes pattern: [UInt8]) {
            (name, isNested) = ("\(pattern)", false)
            text = { size in
                Array((0..<max(size / pattern.count, 1)).map { _ in pattern }.joined())
            }
        }
    }

    private static let header = "eyJhbGciOiJFUzI1NiJ9"
    private static let signature = String(repeating: "A", count: 86)

    private static let purchase = #"{"packageName":"a.b","purchaseToken":"x","purchaseTime":1}"#
    private static let rsa = String(repeating: "A", count: 342)

    /// Purchases, complete or not, and signatures.
    private static let purchases: [String] = [
        purchase, "\(purchase)\n", "'\(purchase)' ", "'\(purchase)", "\(purchase)\(rsa) ", "\(rsa) ", rsa,
        "'\(rsa)' + '", "AAAAAAAAAAAAAAAAAA\n", "\(purchase)A A", "\(purchase)AAAAAAAAAAAAAAAAAAAAAAAA  ",
        "AAAAAAAAAAAAAAAAAAA ", "{\"\"packageName\"\":", "\"packageName\":",
        "{\"packageName\":{\"token\":{\"purchaseTime\":", "{'\\\\", "{\"packageName\":1,\"token\":2,\"a\":",
        "\"\(purchase.replacing("\"", with: "\\\""))\",", "\"\(purchase.replacing("\"", with: "\"\""))\",\(rsa)\n",
        "gpa. 1234 - 5678 - ", "GPA.",
    ]

    /// Beginnings of app receipts in base64, printed as numbers, and as bytes.
    private static let appReceipts: [String] = [
        "MI", "mi", "MI ", "MIIVKQYJKOZIHVCNAQCC", "MIIVkQYJKoZIhvcNAQcD", "M ", "M               ",
        "miivkqyjkozihvcnaqccoiiv", "MIIVkQYJKoZIhvcNAQcCoIIVgjCCFX4C ",
        "MIIVkQYJKoZIhvcNAQcCoIIVgjCCFX4C!AAAAAAAAAAAAAAAAA", "MIAGCSqGSIb3DQEHAqCAMIACAQExDzAN",
        "MIAGCSqGSIb3DQEHAqCAMIACAQExDzAN AAAAAAAA ", "MIT/////BgkqhkiG9w0BBwKgggq7MIIK",
        "MI VkQYJKoZIhvcNAQcCoIIVgjCCFX4C ",
        "30", "30 ", "30 82 ", "30,", "30:82:", "308215910609", "30821591 06092a86 4886f70d 010702a0 ",
        "\\x3082159106092a864886f70d010702", "3084ffffffff06092a864886f70d010702 ", "308006092a864886f70d010702",
        "00000000: 3082 1591 0609 2a86 4886 f70d 0107 02a0  0.....*.H.......\n", "00000000: 3082\n00000010: 3082\n",
        "0x30, 0x82, 0x15, 0x91, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02, ", "48,",
        "48,130,",
        "8030 ", "8030", "82300991 ", "101060 ", "100060 110225 ", "060 ", "060202", "\\060", "00110000", "00110000 ",
        "0\\202",
        "0\\x82", "b'0\\x82\\x15\\x91\\x06\\x09*\\x86H\\x86\\xf7\\x0d\\x01\\x07\\x02", "{\"0\":48,\"1\":130,",
        "0: 48\n1: 130\n",
        "48,130,21,145,6,9,42,134,72,134,247,13,1,7,2,", "48 -126 21 -111 6 9 42 -122 72 -122 -9 13 1 7 2 ",
    ]

    private static let binaryReceipts: [[UInt8]] = [
        [0x30], [0x30, 0x80], [0x30, 0x82], [0x30, 0x82, 0x15, 0x91] + oid, [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] + oid,
        [0x30, 0x80] + oid,
    ]

    /// The OID of a SignedData in DER.
    private static let oid: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    static let repeated =
        (texts + purchases + appReceipts).map { HostileShape($0) } + binaryReceipts.map { HostileShape(bytes: $0) }

    private static let texts: [String] = [
        // What begins like a JWS, with and without what joins or ends words.
        "eyJ", "eyJ ", "eyJ.", "=eyJ", "+eyJ", "/eyJ", "+eyJ\n", "-a\n+eyJ",
        "\u{1B}[1m", "\u{1B}[", "\u{1B}", "\\x30\"\n\"", "==eyJ=", "e", "e ", "e y J ", "e               ",
        header, header + ".", header + " ", header + "=", header + "+", header + ". ", header + ".\n\n", "a=" + header,
        header.dropLast() + "=", "=" + header.dropLast() + ".e.", header + ".e.", header + "." + header + " a ",
        header + ".AA." + signature + ".", header + ".AA." + signature + "%41", header + ".A=." + signature + " ",
        header + ".AA.\n" + signature + "A\n", header + "." + header + ".",
        // Words, lines and white space.
        ".", ". ", "..eyJ", "A", "A ", "QUJD\n", "a.b.c ", "0123456789abcdef\t1\n", "\n", " ", "\r\n \t", "word ",
        String(repeating: "A", count: 16) + " a" + String(repeating: " ", count: 250),
        String(repeating: "A", count: 64) + ".", String(repeating: "A", count: 64) + "." + signature + " ",
        // Base64 and hexadecimal.
        "MII", "MII ", "MIIB", "MIIVkQYJKoZIhvcNAQcCoIIV", "MIIVkQYJKoZIhvcNAQcCoIIV\n", "3082", "\\x3082", "0x3082 ",
        "e30", "e30=\n", "ZXlK", "IiIi", String(repeating: "QUJD", count: 19) + "\n",
        // Parts of strings, and lines with something around them.
        "\" + \"", "' '", "'\n'", "\"\n\"AAAA", "\"" + String(repeating: " ", count: 250), "1: AAAAAAAAAAAAAAAAA\n",
        "// AAAAAAAAAAAAAAAAA\n", "+AAAAAAAAAAAAAAAAAAAA\n", " AAAAAAAAAAAAAAAAAAAA+\n", "A +\n", "12:\n", " 1 |\n",
        // JSON, complete or not.
        "{", "}", "[", "{\"a\":", "{\"a\":\"", "\"{\\\"", "{}", "{\"a\":1} ", "{{\"", "\"", "'", "\\\"", ":", ",",
        "{\"data\":\"\",\"signature\":\"\"", "{\"data\":\"\",\"signature\":\"\"}", "{\"signature\":\"\",\"data\":{",
        "\"" + String(repeating: "\\\"signature", count: 8), "{\"packageName\":", "{\"a\":\"a\nb\"",
        // Wrappings.
        "%", "%25", "%7B", "%7B+", "%2", "%41", "\\", "\\\\", "\\u002b", "\\x2", "&", "&#43;", "&#x2B;", "&amp;", "&;",
        "=", "=\n", "=3D", String(repeating: "A", count: 75) + "=\n", "<", "<a", "<a>", "</", ">", "> ", "# ",
        "\u{200B}",
        "\u{A0}", "\u{AD}e", "\u{0}", "\u{0}a", "data:", "1,\"{\"\"a\"\":\"\"b\"\"}\",2\n", ";", ",,,,\n",
        // Labels.
        "-----BEGIN ", "-----BEGIN X-----\n", "-----BEGIN \u{0}", "-", "-\u{0}\u{0}\u{0}\u{0}", "-----END X-----",
    ]

    static let grown = [
        HostileShape("one fragment and many short ones") { size in
            header + "." + String(repeating: "A", count: size / 2) + "+\n"
                + " \(header).x".repeatedText(to: size / 2).replacing("x", with: "y%20")
        },
        HostileShape("many fragments that a wrapping destroys") { " <a \(header).AAAA>".repeatedText(to: $0) },
        HostileShape("nested objects with purchases", isNested: true) { size in
            let part = "{\"data\":\"\",\"signature\":\"\",\"a\":"
            return String(repeating: part, count: size / 2 / part.count)
                + String(repeating: "}", count: size / 2 / part.count)
        },
        HostileShape("strings in strings", isNested: true) { size in
            var text = "\\\"signature\\\":".repeatedText(to: size / 16)
            while text.utf8.count < size / 2 { text = PasteShape.json("a", text) }
            return text
        },
        HostileShape("base64 in base64") { size in
            var text = header.repeatedText(to: size / 4)
            while text.utf8.count < size / 2 { text = "{" + PasteShape.base64(text) }
            return text
        },
        HostileShape("a word that ends far away") { size in
            "=\(header.dropLast())".repeatedText(to: size / 2) + String(repeating: "A", count: size / 2)
        },
        HostileShape("a table of base64") {
            "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm8=,1\n".repeatedText(to: $0)
        },
    ]

    private static func steps(_ text: [UInt8]) -> (steps: Int, isExceeded: Bool) {
        let budget = SearchBudget(forTextOf: text.count)
        _ = ReceiptFinder(ScannedText(text, budget))
        return (budget.steps, budget.isExceeded)
    }

    @Test("twice the text takes at most about twice the steps", arguments: repeated + grown)
    func isLinear(shape: HostileShape) {
        let counts = [6_000, 12_000, 24_000].map { Self.steps(shape.text($0)) }
        for (half, whole) in zip(counts, counts.dropFirst()) {
            #expect(whole.steps * 10 <= half.steps * 22 + 22_000, "\(counts.map(\.steps))")
        }
        let isExceeded = counts.contains(where: \.isExceeded)
        #expect(shape.isNested || !isExceeded, "\(counts.map(\.steps))")
    }

    @Test(
        "a text of 1 MB of what begins like base64 of an app receipt takes a small number of steps for each byte",
        arguments: ["MI", "MIIVkQYJKoZIhvcNAQcD", "MI ", "M I", "MIIB\n", "\"MI\","])
    func beginningsOfBase64(pattern: String) {
        let text = [UInt8](pattern.repeatedText(to: 1_000_000).utf8)
        let (steps, isExceeded) = Self.steps(text)
        #expect(!isExceeded && steps < 140 * text.count, "\(Double(steps) / Double(text.count)) for each byte")
    }

    @Test("the budget suffices for each way in which a receipt is pasted, several times", arguments: PasteShape.all)
    func sufficesForReceipts(shape: PasteShape) throws {
        let text = shape.wrap(try Fixture.jws() + "\n" + Fixture.jws(2))
        let (steps, isExceeded) = Self.steps(text)
        #expect(!isExceeded && steps * 2 < text.count * SearchBudget.stepsPerByte, "\(steps / text.count)")
    }

    @Test("a search that exceeds its budget ends at once, keeps what it has found, and says that there may be more")
    func exceedsBudget() throws {
        let jws = try Fixture.jws()
        let text = [UInt8]("\(jws)\n\("see \(jws) ".repeatedText(to: 60_000))".utf8)
        for limit in [0, 1, 100, 10_000, 300_000, 1_000_000] {
            let budget = SearchBudget(maximum: limit)
            let finder = ReceiptFinder(ScannedText(text, budget))
            #expect(budget.steps <= limit)
            #expect(finder.isComplete == !budget.isExceeded)
            #expect(finder.findings.receipts.allSatisfy { $0 == .jws([UInt8](jws.utf8)) })
            let searched = SearchedInput(text, SearchBudget(maximum: limit))
            if budget.isExceeded { #expect(searched.receipts.last == .unsearched(text)) }
        }
        let failure = try #require(try Fixture.verifier().verify(.unsearched(text)).failure)
        #expect(failure.code == .searchIncomplete && failure.verdict == .undecided)
    }
}

extension String {
    fileprivate func repeatedText(to size: Int) -> String {
        String(repeating: self, count: Swift.max(size / utf8.count, 1))
    }

}
