import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("The search for receipts")
struct ReceiptFinderTests {
    private func failure(_ text: String) throws -> VerificationFailure? {
        let found = SearchedInput([UInt8](text.utf8))
        #expect(found.receipts.count == 1)
        return try found.receipts.first.flatMap { try Fixture.verifier().verify($0).failure }
    }

    // MARK: Strictness

    @Test("a receipt with a flaw keeps its code in every shape: a search repairs nothing")
    func repairsNothing() throws {
        let jws = try Fixture.jws()
        let segments = jws.split(separator: ".").map(String.init)
        let flaws: [(String, VerificationFailure.Code)] = [
            (jws + "=", .encoding), (jws + "==", .encoding), (jws + "A", .signatureMalformed),
            (segments[0] + "+." + segments[1] + "." + segments[2], .encoding),
            (segments[0] + "." + segments[1] + "=." + segments[2], .encoding),
            (segments[0] + "." + segments[1] + "/." + segments[2], .encoding), (jws + ".AA", .segmentCount),
            (segments[0] + ".." + segments[2], .segmentCount),
        ]
        for (text, code) in flaws {
            let bare = try Fixture.verifier().verify(.jws([UInt8](text.utf8))).failure?.code
            #expect(bare == code)
            for wrapped in ["Receipt: \(text)", "“\(text)”", "> \(text)\n", "see \(text), thanks"] {
                #expect(try failure(wrapped)?.code == code, "\(wrapped.suffix(20))")
            }
        }
    }

    @Test(
        "a receipt that goes on in a wrapping is not verified: what strict detection refuses, a search does not repair",
        arguments: [
            "%41", "%2541", "%2EAA", "%3D", "&#65;", "&amp;#x41;", "\u{200B}A", "\u{AD}-", "\\u0041", "\\_",
            "%E2%80%8BA",
        ])
    func wrappedContinuations(wrapping: String) throws {
        let jws = try Fixture.jws()
        for text in ["\(jws)\(wrapping)", "see \(jws)\(wrapping) thanks", "\"\(jws)\(wrapping)\"\n"] {
            let found = SearchedInput([UInt8](text.utf8)).receipts
            #expect(!found.isEmpty)
            for input in found {
                #expect(try Fixture.verifier().verify(input).verdict == .unverified, "\(text.suffix(20))")
            }
        }
    }

    @Test(
        "a wrapping after a receipt that stands for no part of it leaves it verified",
        arguments: [
            "%20and", "%26b=c", "%2E", "&quot;", "&amp;b", "&lt;br&gt;", "\u{200B} ok", "\\n", "\\\"", "”", "\u{A0}and",
            "…",
        ])
    func wrappedSeparators(wrapping: String) throws {
        let found = SearchedInput([UInt8]("see \(try Fixture.jws())\(wrapping)".utf8)).receipts
        #expect(try found.map { try Fixture.verifier().verify($0).verdict } == [.verified])
    }

    @Test("a step of unwrapping that destroys a fragment and uncovers a receipt hides neither")
    func destroyedFragments() throws {
        let jws = try Fixture.jws()
        let damaged = "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.AAAA"
        let utf16 = "The receipt: \(jws) ".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let hidden = "&#101;" + jws.dropFirst()
        for text in [utf16 + [UInt8](damaged.utf8), [UInt8]("<a \(damaged)> \(hidden)".utf8)] {
            let found = SearchedInput(text).receipts
            #expect(found.contains(.jws([UInt8](jws.utf8))))
            #expect(found.contains(.jws([UInt8](damaged.utf8))))
        }
    }

    @Test("a receipt inside a damaged notification does not stand for it")
    func nestedReceiptDoesNotStandForNotification() throws {
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .subscribed
        notification.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        var data = NotificationData()
        data.signedTransactionInfo = try Fixture.jws()
        notification.data = data
        let jws = try #require(Fixture.authority).signer.sign(notification)
        let end = jws.lastIndex(of: ".") ?? jws.endIndex
        for damaged in [
            String(jws[..<end]), String(jws.dropLast(10)), String(jws.dropFirst(3)), "%22" + jws.dropLast(),
        ] {
            for text in [damaged, "Notification: \(damaged)", "\"\(damaged)\", please check"] {
                for input in SearchedInput([UInt8](text.utf8)).receipts {
                    #expect(try Fixture.verifier().verify(input).verdict != .verified, "\(text.prefix(30))")
                }
            }
        }
    }

    // MARK: Truncation

    @Test("a truncated JWS keeps its code, alone and in a sentence, and the hint says what is missing")
    func truncation() throws {
        let jws = try Fixture.jws()
        let dots = jws.indices.filter { jws[$0] == "." }
        let payload = jws.distance(from: jws.startIndex, to: dots[0]) + 1
        let signature = jws.distance(from: jws.startIndex, to: dots[1]) + 1
        let cuts: [(Int, VerificationFailure.Code, String)] = [
            (payload / 2, .segmentCount, "in its header, after \(payload / 2) characters: payload and signature"),
            (payload, .segmentCount, "after its header: payload and signature"),
            (payload + 40, .segmentCount, "in its payload, after \(payload + 40) characters: the 86 of the signature"),
            (signature + 41, .encoding, "in its signature: the last 45 of its 86 characters"),
        ]
        for (length, code, hint) in cuts {
            for text in [String(jws.prefix(length)), "The receipt is “\(jws.prefix(length))”, is it valid?"] {
                let failure = try #require(try failure(text))
                #expect(failure.code == code)
                #expect(failure.verdict == .unverified)
                #expect(failure.hint.contains(hint), "\(failure.hint)")
            }
        }
        let short = try #require(try failure(String(jws.prefix(signature + 64))))
        #expect(short.code == .signatureMalformed)
        #expect(short.hint.contains("16 of its 64 bytes are missing"))
        #expect(try failure(jws + ".AA")?.hint == VerificationFailure.Code.segmentCount.hint)
        for length in [1, 2, 3, 4, 40] {
            let hint = try failure(String(jws.dropFirst(length)))?.hint
            #expect(hint?.hasPrefix("the beginning of the JWS is missing") == true, "\(length): \(hint ?? "verified")")
        }
        for dots in ["...", "…", ".."] {
            let hint = try failure("\(jws.prefix(40))\(dots)\(jws.suffix(40))")?.hint
            #expect(hint?.hasPrefix("the JWS was shortened") == true, "\(dots): \(hint ?? "verified")")
        }
    }

    // MARK: Cost

    @Test("base64 in base64 and strings in strings are searched to a fixed depth, and nothing deeper")
    func depthIsFixed() throws {
        let jws = try Fixture.jws()
        func nested(_ count: Int, _ wrap: (String) -> String) -> Int {
            let text = (0..<count).reduce(jws) { text, _ in wrap(text) }
            return ReceiptFinder([UInt8](text.utf8)).findings.receipts.count
        }
        for count in 1...4 { #expect(nested(count, PasteShape.base64) == 1, "\(count)") }
        for count in 1...4 { #expect(nested(count) { PasteShape.json("a", $0) } == 1, "\(count)") }
        #expect(nested(12, PasteShape.base64) == 0)
    }

    @Test("no bytes stop the search: random ones, changed receipts, and texts that end anywhere")
    func survivesAnything() throws {
        var random = SplitMix64(seed: 20_261_122)
        let jws = [UInt8](try Fixture.jws().utf8)
        let alphabet = [UInt8]("eyJ.{}\"\\%=&<>+/-_ \n\r\t'ab0u{7B:,[]".utf8) + [0, 0xE2, 0x80, 0x8B, 0xC2, 0xFF, 0xFE]
        for round in 0..<200 {
            let count = Int(random.next() % 400)
            let bytes = (0..<count).map { _ in
                round % 2 == 0
                    ? UInt8(truncatingIfNeeded: random.next()) : alphabet[Int(random.next() % UInt64(alphabet.count))]
            }
            #expect(ReceiptFinder(bytes).findings.receipts.isEmpty)
            _ = ForeignInput(recognizing: bytes)
        }
        let shapes = PasteShape.all.map { $0.wrap(String(decoding: jws.suffix(200), as: UTF8.self)) }
        for text in shapes {
            for end in stride(from: 0, to: text.count, by: 97) { _ = SearchedInput(Array(text[..<end])) }
        }
    }

    // MARK: Batch

    @Test("a batch does not search: a line with text around its receipt keeps its code and says where the receipt is")
    func batchDoesNotSearch() throws {
        let jws = try Fixture.jws()
        let lines = ["Bearer \(jws)", "receipt=\(jws)", jws, "nothing here"].joined(separator: "\n")
        var output: [UInt8] = []
        let source = BatchSource(name: "lines", bytes: [UInt8](lines.utf8))
        let summary = try BatchVerifier(verifier: try Fixture.verifier()).run([source]) { lines, _ in output += lines }
        let results = String(decoding: output, as: UTF8.self).split(separator: "\n")
        let remark = "a receipt is among other text, where a batch does not search"
        #expect(results.map { $0.contains(remark) } == [true, true, false, false])
        #expect(results.map { $0.contains("\"verdict\":\"verified\"") } == [false, false, true, false])
        #expect(summary.searchable == 2)
        #expect(summary.codes == ["format-unrecognized": 2, "encoding": 1])
        #expect(BatchSummary(json: summary.json) == summary)
    }
}
