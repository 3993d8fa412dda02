import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// A search adds results and takes none away: what looks like a receipt has a result.
@Suite("Receipts beside others in a searched text")
struct SearchedInputTests {
    private let jws: String
    private let second: String
    private let segments: [String]
    private let verifier: ReceiptVerifier

    init() throws {
        jws = try Fixture.jws()
        second = try Fixture.jws(2)
        segments = jws.split(separator: ".").map(String.init)
        verifier = try Fixture.verifier()
    }

    private func verdicts(_ text: String) -> [Verdict] {
        SearchedInput([UInt8](text.utf8)).receipts.map { verifier.verify($0).verdict }
    }

    private func fold(_ text: String, _ width: Int = 72) -> String {
        PasteShape.lines(text, width).joined(separator: "\n")
    }

    // MARK: Lines

    private func lines(_ text: String) -> [Int?] {
        let input = [UInt8](text.utf8)
        return SearchedInput(input).lines(in: input)
    }

    @Test("each receipt that stands in the text as it is has the line in which it begins")
    func lines() throws {
        #expect(lines(jws) == [1])
        #expect(lines("id,text\n1,\(jws)\n2,none\n3,see \(second).\n") == [2, 4])
        #expect(lines("a\nb") == [1])
        let encoded = PasteShape.base64("first\n\(jws)\n")
        #expect(lines("x:\n\(encoded)") == [nil], "a receipt in an encoding has no line of its own")
    }

    @Test("a folded receipt has the line in which it begins, however short its last line is", arguments: 60...90)
    func linesOfFolded(width: Int) {
        #expect(
            lines("a\n\n\(fold(jws, width))\nthanks\n> \(fold(second, width).replacing("\n", with: "\n> "))\n") == [
                3, jws.utf8.count / width + (jws.utf8.count % width == 0 ? 0 : 1) + 4,
            ])
    }

    @Test("lines of a text that is made to be compared many times are found in time that grows with the text")
    func linesOfHostileText() {
        let digits = String(repeating: "A", count: 20_000)
        let receipt = ReceiptInput.jws([UInt8]("eyJhIjoiMSJ9.\(digits)".utf8))
        let text = [UInt8](String(repeating: "A ", count: 200_000).utf8)
        #expect(ReceiptLines.lines(of: [receipt], in: text) == [nil])
    }

    @Test("lines of many receipts that end alike are found in time that grows with the text")
    func linesOfTwins() throws {
        let ending = String(repeating: "A", count: 86)
        let twins = (0..<400).map { ReceiptInput.jws([UInt8]("eyJhIjoiMSJ9.\($0)AAAAAAAAAAAA.\(ending)".utf8)) }
        let text = twins.flatMap { if case .jws(let bytes) = $0 { bytes + [0x0A] } else { [UInt8]() } }
        #expect(ReceiptLines.lines(of: twins, in: text) == (1...400).map { $0 })
        #expect(ReceiptLines.lines(of: twins.reversed(), in: text).count == 400)
    }

    // MARK: Changes

    private func hint(_ text: String) -> String? { verifier.verify(.jws([UInt8](text.utf8))).failure?.hint }

    @Test("characters before a JWS are counted, and a missing beginning is called missing")
    func gluedBeginnings() {
        #expect(hint("x\(jws)")?.hasPrefix("1 character stands before the JWS") == true)
        #expect(hint("token\(jws)")?.hasPrefix("5 characters stand before the JWS") == true)
        #expect(hint(String(jws.dropFirst(8)))?.hasPrefix("the beginning of the JWS is missing") == true)
    }

    @Test("a replaced hyphen is named, and so is any other character that no JWS has")
    func replacedCharacters() {
        for (character, name) in [("\u{2010}", "U+2010"), ("\u{2013}", "U+2013"), ("é", "U+00E9")] {
            for place in [1, 2] {
                var changed = segments
                changed[place] = "\(changed[place].prefix(20))\(character)\(changed[place].dropFirst(21))"
                let report = verifier.verify(.jws([UInt8](changed.joined(separator: ".").utf8)))
                #expect(report.verdict == .unverified && report.failure?.code == .encoding)
                #expect(report.failure?.hint.contains("the character \(name), ") == true)
            }
        }
    }

    @Test("JWS that are joined are counted, and none of them is verified")
    func joined() {
        let two = verifier.verify(.jws([UInt8]((jws + second).utf8)))
        #expect(two.failure?.code == .segmentCount)
        #expect(two.failure?.hint.hasPrefix("2 JWS are joined") == true)
        #expect(hint(jws + second + jws)?.hasPrefix("3 JWS are joined") == true)
        #expect(hint("\(jws).a.b")?.contains("joined") == false)
    }

    @Test("letters of one case are named", arguments: [true, false])
    func lostCase(isLower: Bool) {
        let changed = isLower ? jws.lowercased() : jws.uppercased()
        let report = verifier.verify(.jws([UInt8](changed.utf8)))
        #expect(report.verdict == .unverified)
        #expect(report.failure?.hint.hasPrefix("base64 needs both cases") == true)
        #expect(verdicts(changed) == [.unverified])
    }

    // MARK: Words

    @Test(
        "a JWS with words on the lines around it has one result, also in a string of JSON",
        arguments: [
            "\nSent from my iPhone", "\nBob Smith", "\n\nBest regards\nBob", "\nuser 42", "\nBob",
            "\r\nThanks a lot\r\n", "  \n--\nBob Smith", "\nA A A A",
        ])
    func wordsBehind(words: String) {
        func texts(_ jws: String) -> [String] {
            let strings = [jws + words, fold(jws) + words, "Hello\n" + jws, "Hello you\n" + jws + words]
            return strings + strings.map { "{\"text\":\"\(PasteShape.escaped($0))\"}" }
                + strings.map { "\"\(PasteShape.escaped($0))\"" }
        }
        for text in texts(jws) { #expect(SearchedInput([UInt8](text.utf8)).receipts == [.jws([UInt8](jws.utf8))]) }
        let (header, payload, signature) = (segments[0], segments[1], segments[2])
        let other = second.split(separator: ".")[1]
        for damaged in [
            "\(header).\(other).\(signature)", "\(header).\(payload).\(String(signature.reversed()))",
        ] {
            for text in texts(damaged) { #expect(verdicts(text) == [.unverified], "\(text.suffix(120))") }
        }
        for text in [String(jws.dropLast(40)) + words, "\(jws)==" + words] {
            #expect(verdicts(text) == [.unverified], "\(text.suffix(120))")
        }
    }

    // MARK: Cost

    @Test(
        "base64 of a JWS is found before any short word",
        arguments: ["\nBye", "\nok", " ok", " end", "\n--\nPeter", "\nok\nok", " so is it", "\n\nthanks\n"])
    func wordsAfterBase64(rest: String) throws {
        for suffix in ["", "\n", "\r\n"] {
            let jws = try Fixture.jws()
            let encoded = PasteShape.base64(jws + suffix)
            for text in [encoded, encoded.replacing("=", with: ""), "receipt: \(encoded)"] {
                #expect(SearchedInput([UInt8]((text + rest).utf8)).receipts == [.jws([UInt8](jws.utf8))])
            }
        }
    }

    @Test("a table of long numbers is read once, and a receipt behind it is found", .timeLimit(.minutes(15)))
    func tableOfNumbers() {
        let table = String(repeating: "2000000123456789\t1\n", count: 40_000)
        #expect(verdicts(table + jws) == [.verified])
        #expect(!verdicts(table).contains(.verified))
    }

    @Test("an app receipt in JSON is found once, however its base64 is written")
    func appReceiptInJSON() {
        // The beginning of a SignedData (RFC 2315), which is enough to recognize one.
        let der: [UInt8] =
            [0x30, 0x80, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02] + Array(0...100)
        let base64 = Base64.standard.encode(der)
        let escaped = base64.replacing("/", with: "\\/")
        let lines = fold(base64, 64).replacing("\n", with: "\\r\\n")
        for text in [base64, escaped, lines] {
            let receipts = SearchedInput([UInt8]("{\"receipt-data\":\"\(text)\"}".utf8)).receipts
            #expect(receipts.count == 1, "\(text)")
        }
    }

    // MARK: Flaws

    @Test("the padding of a segment at the end of a line is no soft line break: the receipt keeps its flaw")
    func paddingIsNoSoftBreak() {
        let (header, payload, signature) = (segments[0], segments[1], segments[2])
        for text in [
            "Receipt:\n\(header).\(payload)=\n.\(signature)\n", "Receipt:\n\(header)=\n.\(payload)==\n.\(signature)\n",
            "Receipt:\n\(fold(header + "." + payload))=\n.\(signature)\n",
            "Receipt:\n\(header.dropLast(70))\n\(header.suffix(70))=\n.\(payload)\n.\(signature)\n",
            "\(header).\(payload)=\n.\(signature)",
        ] { #expect(!verdicts(text).contains(.verified), "\(text.suffix(120))") }
    }

    @Test("soft line breaks are removed without =3D too")
    func softBreaks() {
        #expect(verdicts("Receipt:\r\n" + PasteShape.lines(jws, 75).joined(separator: "=\r\n") + "\n") == [.verified])
        #expect(verdicts(PasteShape.lines(jws, 75).joined(separator: "=\n")) == [.verified])
    }

    @Test("a sign of another alphabet at the beginning of a word is a flaw, and after a name an assignment or a path")
    func signsBeforeReceipt() {
        for sign in ["=", "+", "/", "==", "."] {
            for text in [sign + jws, "see \(sign)\(jws) please", "\(second)\n\(sign)\(jws)"] {
                let verdicts = verdicts(text)
                #expect(verdicts.filter { $0 == .verified }.count == (text.hasPrefix("eyJ") ? 1 : 0), "\(sign)")
                #expect(verdicts.contains(.unverified), "\(sign)")
            }
        }
        for text in ["r=\(jws)", "https://example.com/r/\(jws)", "a=1&r=\(jws)&b=2"] {
            #expect(verdicts(text) == [.verified])
        }
    }

    @Test("the last line of base64 is left out only if nothing is found with it: a signature that is too long stays so")
    func lastLineOfBase64() {
        // The receipt ends with a line of 57 bytes.
        let blanks = String(repeating: " ", count: (57 - jws.utf8.count % 57) % 57)
        let whole = PasteShape.base64(blanks + jws)
        #expect(verdicts("x:\n" + fold(whole, 76) + "\n\n(end)") == [.verified])
        #expect(verdicts("x:\n" + fold(whole, 76) + "\nQUFB\n") == [.unverified])
        #expect(verdicts("x: \(whole)Q") == [.unverified])
    }

    @Test("a text file of Windows can end with Control-Z", arguments: ["\u{1A}", "\r\n\u{1A}"])
    func controlZ(end: String) throws {
        let texts = [jws, PasteShape.json("signedPayload", jws), PasteShape.base64(jws), "Receipt: \(jws)"]
        for text in texts {
            #expect(verdicts(text + end) == [.verified])
        }
        let truncated = String(jws.dropLast(10))
        let found = SearchedInput([UInt8]((truncated + end).utf8))
        #expect(found.receipts == [.jws([UInt8](truncated.utf8))])
        #expect(SearchedInput([0x30, 0x1A]).receipts == [.unrecognized([0x30, 0x1A])])
    }

    // MARK: Others

    @Test("a damaged receipt has a result beside a genuine one, for each damage in each wrapping")
    func damagedIsNotHidden() {
        let (header, payload, signature) = (segments[0], segments[1], segments[2])
        let damaged = [
            "x" + jws.dropFirst(), "!" + jws.dropFirst(), String(jws.dropFirst(40)), String(jws.dropLast(10)),
            "\(header).\(payload)", "\(header).", "\(header).\(payload).", header, "\(header).\(payload)+.\(signature)",
            "\(header.dropLast(9))!\(header.suffix(8)).\(payload).\(signature)", "\(header).\(payload).\(signature)A",
            "\(header).\(payload.prefix(20))*\(payload.dropFirst(20)).\(signature)",
            "\(header)x\(payload).\(signature)",
            "..\(jws)", "\(jws).AA",
        ]
        let wrappings: [(String) -> String] = [
            { $0 }, { "> \($0)" }, { "“\($0)”" }, { self.fold($0) }, { "{\"a\":\"\($0)\",\"b\":[1" },
            { "r=" + PasteShape.percentEncoded($0) }, { PasteShape.json("b", PasteShape.json("a", $0)) },
            { PasteShape.base64($0) }, { PasteShape.base64("see " + $0) },
            { PasteShape.base64(PasteShape.json("a", $0)) },
        ]
        for (number, text) in damaged.enumerated() {
            for (shape, wrap) in wrappings.enumerated() {
                let isFirst = (number + shape).isMultiple(of: 2)
                let verdicts = verdicts(isFirst ? "\(wrap(text))\nand \(second)" : "\(second)\n\n\(wrap(text))\n")
                #expect(verdicts.filter { $0 == .verified }.count == 1, "\(number), \(shape): \(verdicts)")
                #expect(verdicts.contains(.unverified), "\(number), \(shape): \(verdicts)")
            }
        }
    }

    @Test("a fragment that a step of unwrapping destroys has a result")
    func destroyedFragment() {
        let cut = [UInt8](jws.prefix(200).utf8)
        for text in [[0xFF, 0xFE] + cut + [0x0A], [UInt8]("<".utf8) + cut + [UInt8](">\n".utf8)] {
            let found = SearchedInput(text + [UInt8](second.utf8)).receipts
            #expect(found == [.jws([UInt8](second.utf8)), .jws(cut)])
        }
    }

    @Test("a refused receipt in JSON keeps its result beside one that only a search finds")
    func strictItemsStay() {
        let refused = jws + "="
        let text = "{\"a\":\"\(refused)\",\"b\":\"\(second)\",\"c\":\"see \(second), \(second)\"}"
        #expect(verdicts(text).sorted { "\($0)" < "\($1)" } == [.unverified, .verified, .verified, .verified])
        let twoSegments = "{\"jws\":\"abc.\(segments[2])\",\"note\":\"see \(second)\"}"
        #expect(verdicts(twoSegments).contains(.verified) && verdicts(twoSegments).contains(.unverified))
        #expect(!verdicts("{\"signedPayload\":\"\(jws)\\u0041\"}").allSatisfy { $0 == .verified })
        let base64 = "{\"a\":\"\(second)\",\"b\":\"\(PasteShape.base64(refused))\"}"
        #expect(verdicts(base64) == [.verified, .unverified])
    }

    @Test("a receipt behind an incomplete one is found: in the same word, after a dot, or after a few words")
    func receiptBehindFragment() {
        let cut = String(jws.dropLast(10))
        for text in [
            "\(cut)=\(second)", "\(segments[0]).\n\(second)", "\(segments[0]).\(segments[1]).\n\(second)",
            "\(cut) for id=\(second)", "eyJhbGciOiJFUzI1NiJ9 for id=\(second)", "\(cut)\n\(second)",
        ] {
            let verdicts = verdicts(text)
            #expect(verdicts.filter { $0 == .verified }.count == 1, "\(text.prefix(60))")
            #expect(verdicts.contains(.unverified), "\(text.prefix(60))")
        }
    }

    @Test("a purchase that is no JSON is unverified beside a genuine receipt, and a JWS beside a purchase is found")
    func purchases() throws {
        let key = try TestPlayKey(bits: 1024)
        let data = #"{"orderId":"GPA.1","packageName":"com.example.app","purchaseState":0,"productId":"pro"}"#
        let purchase = "{\"data\":\"\(PasteShape.escaped(data))\",\"signature\":\"\(try key.sign(data))\"}"
        let input = ReceiptInput.play(data: [UInt8](data.utf8), signature: [UInt8](try key.sign(data).utf8))
        func found(_ text: String) -> [ReceiptInput] { SearchedInput([UInt8](text.utf8)).receipts }
        let duplicate = purchase.replacing("{\"data\"", with: "{\"data\":\"x\",\"data\"")
        for text in [duplicate, "see \(duplicate)", PasteShape.json("a", duplicate)] {
            let found = found("\(jws)\n\(text)")
            #expect(found.count == 2 && found[0] == .jws([UInt8](jws.utf8)), "\(text.prefix(40))")
            #expect(!found.contains(input))
        }
        for length in [3, 12, 40] {
            let cut = found("\(jws)\n\(purchase.dropLast(length))")
            #expect(cut.count == 2 && cut[0] == .jws([UInt8](jws.utf8)), "cut within the signature")
        }
        let cut = String(jws.dropLast(10))
        let both = "see \(purchase.dropLast()),\"signedPayload\":\"\(cut)\"}"
        #expect(found(both) == [input, .jws([UInt8](cut.utf8))])
        #expect(found("say \"{\" or {\"x\":\(purchase)") == [input])
        #expect(found(PasteShape.json("a", PasteShape.json("b", purchase)) + " " + jws).contains(input))
    }

    @Test(
        "a token that authorizes requests is no receipt, and hides none; a receipt without certificates is unverified")
    func tokens() {
        let token = ForeignInputTests.Sample.token
        let hash = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dyt0CoTl4WoVjAHI9Q_CwSKhl6d_9rhM3NrXuJttkao"
        for token in [token, hash] {
            let found = SearchedInput([UInt8]("Authorization: Bearer \(token)\n\n\(jws)".utf8))
            #expect(found.receipts == [.jws([UInt8](jws.utf8))])
            #expect(found.summary == "one JWS")
        }
        let payload = Base64.url.encode([UInt8](#"{"iss":"1","transactionId":"1"}"#.utf8))
        #expect(verdicts("\(jws)\n\neyJhbGciOiJub25lIn0.\(payload).AAAA") == [.verified, .unverified])
    }

    // MARK: Limits

    @Test("a text that exceeds a limit has a result of its own beside those that were found")
    func limits() {
        let deep = (0..<12).reduce("Receipt: " + second) { text, _ in PasteShape.base64(text) }
        let layers = (0..<16).reduce(second + "%") { text, _ in text.replacing("%", with: "%25") }
        for text in ["\(jws)\n\n\(deep)", "\(jws)\n\n\(layers)"] {
            let found = SearchedInput([UInt8](text.utf8))
            #expect(!found.isSearchComplete)
            #expect(found.receipts.last == .unsearched([UInt8](text.utf8)))
            #expect(found.receipts.first == .jws([UInt8](jws.utf8)))
        }
    }

    @Test(
        "braces and quotation marks of any number do not end the search",
        arguments: ["{", "{\"a\":", "}", "\"", "{\"{"])
    func braces(sign: String) {
        let text = String(repeating: sign, count: 20_000) + " \(jws) " + String(repeating: sign, count: 20_000)
        let found = SearchedInput([UInt8](text.utf8))
        #expect(found.receipts == [.jws([UInt8](jws.utf8))])
        #expect(found.isSearchComplete)
    }
}
