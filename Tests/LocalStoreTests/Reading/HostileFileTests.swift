import LocalStore
import ReceiptTypes
import Testing

/// For any bytes, reading terminates and no finding reveals the private key.
struct HostileFileTests {
    /// Returns a part of the private key in a file; no finding may contain it.
    private func secret(of bytes: [UInt8]) throws -> String {
        let key = try #require(try StoreConfiguration(reading: bytes).offersKey)
        return String(key.privateKey.dropFirst(40).prefix(16))
    }

    private func shown(_ bytes: [UInt8]) -> String {
        StoreConfiguration.lint(bytes).map(\.description).joined(separator: "\n")
    }

    @Test("a file truncated at any byte has one finding, without the private key")
    func truncation() throws {
        let original = try StorekitFixture.bytes("Lantern-4")
        let secret = try secret(of: original)
        let end = try #require(original.lastIndex(of: UInt8(ascii: "}")))
        for count in 0...end {
            let bytes = Array(original.prefix(count))
            let findings = StoreConfiguration.lint(bytes)
            // Some cuts are inside of a code point.
            let codes: [LintFinding.Code] = [.notJSON, .notUTF8]
            #expect(findings.count == 1 && findings.allSatisfy { codes.contains($0.code) }, "cut at \(count)")
            #expect(!findings.contains { $0.description.contains(secret) }, "cut at \(count)")
        }
    }

    @Test("a file with any byte changed is read or rejected, and its findings never contain the private key")
    func flippedBytes() throws {
        let key = try #require(try StorekitFixture.configuration("Lantern-4").offersKey).privateKey
        let original = Array(
            #"""
            {"identifier":"A","version":{"major":4,"minor":0},"settings":{"_timeRate":15,"_storefront":"USA"},
            "subscriptionOffersKeyPair":{"id":"K","privateKey":"\#(key)"},
            "products":[{"productID":"a","type":"Consumable","displayPrice":"0.99","localizations":[{"locale":"ar"}]}],
            "subscriptionGroups":[{"id":"G","subscriptions":[{"productID":"b","recurringSubscriptionPeriod":"P1M",
            "introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P1W"}}]}]}
            """#.utf8
        )
        let secret = try secret(of: original)
        for index in original.indices {
            for mask: UInt8 in [0x01, 0x20, 0x80] {
                var bytes = original
                bytes[index] ^= mask
                // Where the changed byte is in the key, the key is another one.
                #expect(!shown(bytes).contains(secret), "byte \(index) with \(mask)")
            }
        }
    }

    @Test(
        "a file with random JSON fragments is read or rejected",
        arguments: StorekitFixture.wellFormed + StorekitFixture.faulty)
    func randomPieces(_ name: String) throws {
        let original = try StorekitFixture.bytes(name)
        let pieces = [
            "[", "]", "{", "}", ",", ":", "\"", "null", "-1", "1e9", "\"P1M\"", "0", "\\", "9223372036854775807",
            "-9223372036854775808", "1e308", "\"\\ud83d\\ude00\"", "true", "\"\"", "\n", "",
        ].map { Array($0.utf8) }
        var generator = SplitMix64(seed: 0x10ca1)
        for _ in 0..<60 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let start = Int.random(in: 0..<bytes.count, using: &generator)
                let end = min(bytes.count, start + Int.random(in: 0...12, using: &generator))
                bytes.replaceSubrange(start..<end, with: pieces.randomElement(using: &generator) ?? [])
            }
            let findings = StoreConfiguration.lint(bytes)
            let places = findings.map { [$0.line, $0.column] }
            #expect(places.allSatisfy { $0.allSatisfy { $0 >= 1 } })
            #expect(zip(places, places.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) })
        }
    }

    @Test("a NUL at any position is rejected")
    func nulBytes() throws {
        let original = try StorekitFixture.bytes("Lantern-2")
        for index in stride(from: 0, to: original.count, by: 7) {
            var bytes = original
            bytes.insert(0, at: index)
            #expect(throws: StoreConfigurationError.self, "NUL at \(index)") {
                try StoreConfiguration(reading: bytes)
            }
        }
    }

    @Test("every value can have every other type")
    func otherTypes() throws {
        let original = try StorekitFixture.bytes("Lantern-4")
        let lines = String(decoding: original, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let values = [
            "null", "true", "-1", "1.5", "9223372036854775807", "1e300", "\"\"", "\"\u{e9}\u{202e}\"", "[ ]", "{ }",
            "[ [ [ ] ] ]",
        ]
        for (index, line) in lines.enumerated() {
            // Only lines with a complete value.
            guard let mark = line.firstRange(of: " : "), !line.hasSuffix("{"), !line.hasSuffix("[") else { continue }
            let comma = line.hasSuffix(",") ? "," : ""
            // Four replacements for each line, so that every value is used on many lines.
            for value in (0..<4).map({ values[(index * 4 + $0) % values.count] }) {
                var changed = lines.map(String.init)
                changed[index] = line[..<mark.upperBound] + value + comma
                let bytes = Array(changed.joined(separator: "\n").utf8)
                let reading = try StoreConfiguration.read(bytes)
                #expect(reading.findings.allSatisfy { $0.line >= 1 && $0.column >= 1 && !$0.message.isEmpty })
            }
        }
    }

    @Test("too many products are counted, and the others are ignored")
    func hugeCounts() throws {
        let product = #"{"productID":"p","type":"Consumable"}"#
        let products = Array(repeating: product, count: ConfigurationBudget.productCount + 5).joined(separator: ",")
        let text = #"{"version":{"major":4,"minor":0},"products":[\#(products)]}"#
        let reading = try StoreConfiguration.read(Array(text.utf8))
        #expect(reading.configuration.products.count == 1)
        #expect(reading.findings.contains { $0.code == .tooManyItems && $0.path == "products" })
        #expect(reading.findings.count == ConfigurationBudget.findingCount + 1)
        #expect(reading.findings.contains { $0.code == .tooManyFindings })
    }

    @Test("an object with very many unknown keys is read in bounded time")
    func manyUnknownKeys() throws {
        let members = (0..<100_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        let reading = try StoreConfiguration.read(Array("{\(members)}".utf8))
        #expect(reading.findings.count == ConfigurationBudget.findingCount + 1)
    }

    @Test("keys and identifiers that only look the same are different")
    func lookAlikes() throws {
        // U+212A, the Kelvin sign, equals K when characters are compared, and not when bytes are.
        let text = """
            {"version":{"major":4,"minor":0},"products":[
            {"productID":"caf\u{e9}","type":"Consumable","displayPrice":"1"},
            {"productID":"cafe\u{301}","type":"Consumable","displayPrice":"1"}
            ],"subscriptionOffers\u{212a}eyPair":{}}
            """
        let reading = try StoreConfiguration.read(Array(text.utf8))
        #expect(reading.configuration.products.count == 2)
        #expect(reading.findings.contains { $0.code == .unknownKey && $0.line == 4 })
    }

    @Test("findings never contain control or bidirectional characters of a file")
    func hiddenCharacters() throws {
        let text = "{\"\u{1b}[31m\\u001b[31m\u{202e}\" : 1}".replacing("\u{1b}[31m", with: "")
        let shown = StoreConfiguration.lint(Array(text.utf8)).map(\.description).joined()
        #expect(shown.contains("unknown-key"))
        #expect(!shown.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e })
    }
}
