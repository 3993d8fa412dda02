import Foundation
import Testing

@testable import PurchaseCore

@Suite("Message catalog")
struct MessageCatalogTests {
    @Test(
        "a language falls back to a shorter tag, then to any text of the language, then to English",
        arguments: [
            ("zh-Hans-CN", "zh-Hans"), ("zh-Hans", "zh-Hans"), ("zh", "zh-Hans"), ("zh-SG", "zh-Hans"),
            ("zh-Hant-TW", "zh-Hans"), ("ja-JP", "ja"), ("ja_JP.UTF-8", "ja"), ("JA", "ja"), ("en-GB", "en"),
            ("fr-FR", "en"), ("", "en"), ("-", "en"), ("j", "en"), ("jav", "en"), ("sr_RS@latin", "en"),
        ])
    func fallback(requested: String, expected: String) throws {
        let texts = try #require(MessageCatalog.standard.texts["error.network"])
        #expect(MessageCatalog.standard.text(.network, languages: [requested]) == texts[expected])
    }

    @Test("the first preferred language that has the text is taken, and more exact tags win")
    func preference() {
        let catalog = MessageCatalog([
            "a": ["en": "E", "zh-Hans": "S", "zh-Hant": "T", "zh": "Z"], "b": ["fr": "F"], "c": ["en": "C"],
        ])
        #expect(catalog.text("a", languages: ["fr", "zh-Hant-HK", "en"]) == "T")
        #expect(catalog.text("a", languages: ["zh-TW"]) == "Z")
        #expect(catalog.text("a", languages: []) == "E")
        #expect(catalog.text("b", languages: ["ja"]) == "F", "any text is better than none")
        #expect(catalog.text("none", languages: ["en"]) == nil)
    }

    @Test("a placeholder gets its value once, and stays without one")
    func placeholders() {
        let catalog = MessageCatalog(["a": ["en": "{b} and {c}, {b}; {} { {d-1} }{"]])
        let text = catalog.text("a", languages: [], values: ["b": "{c}", "c": "C"])
        #expect(text == "{c} and C, {c}; {} { {d-1} }{")
        #expect(catalog.text("a", languages: [], values: ["d-1": "D"]) == "{b} and {c}, {b}; {} { D }{")
        #expect(MessageCatalog(["e": ["en": ""]]).text("e", languages: ["en"]) == "")
    }

    @Test("a missing text, an empty one and other placeholders are findings")
    func findings() {
        let catalog = MessageCatalog([
            "a": ["en": "{x} of {y}", "ja": "{y} {x}", "zh": "{x}"], "b": ["en": "B", "ja": ""],
        ])
        #expect(
            catalog.findings(languages: ["en", "ja", "zh"]) == [
                .init(problem: .placeholders, key: "a", language: "zh"),
                .init(problem: .missing, key: "b", language: "ja"), .init(problem: .missing, key: "b", language: "zh"),
            ])
    }

    @Test("a catalog is data: the same after JSON, and merged key by key and language by language")
    func data() throws {
        let encoded = try JSONEncoder().encode(MessageCatalog.standard)
        #expect(try JSONDecoder().decode(MessageCatalog.self, from: encoded) == .standard)
        let own = MessageCatalog(["a": ["en": "1", "ja": "2"]])
        let merged = own.merging(MessageCatalog(["a": ["en": "3"], "b": [:]]))
        #expect(merged.texts == ["a": ["en": "3", "ja": "2"], "b": [:]])
    }
}
