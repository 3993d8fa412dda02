import ReceiptTypes
import Testing

@testable import PreviewServer

/// Checks how addresses are decoded.
@Suite("Addresses")
struct EncodingTests {
    private func target(_ text: String) -> RequestTarget? { RequestTarget([UInt8](text.utf8)) }

    @Test("a path and a query are decoded once")
    func decoded() throws {
        let decoded = try #require(target("/a%20b%2Fc%252e?x=1%2B1&y=a+b&z&x2=%E2%82%AC"))
        #expect(decoded.path == "/a b/c%2e")
        #expect(decoded.query["x"] == "1+1")
        #expect(decoded.query["y"] == "a b")
        #expect(decoded.query["z"] == "")
        #expect(decoded.query["x2"] == "€")
        #expect(decoded.query["none"] == nil)
    }

    @Test("a field that is given twice has no value")
    func twice() throws {
        #expect(try #require(target("/?a=1&a=2&b=3")).query["a"] == nil)
        #expect(try #require(target("/?a=1&a=2&b=3")).query["b"] == "3")
    }

    @Test(
        "an address is refused if it is not a path, or if its encoding is malformed",
        arguments: [
            "", "*", "a", "http://127.0.0.1/", "//%", "/%", "/%2", "/%2x", "/%zz", "/%%41", "/?a=%", "/?%4=1", "/%00",
            "/a%0Ab", "/%7f", "/%ff", "/%c0%ae", "/%ed%a0%80", "/?a=%80", "/#a",
        ])
    func malformed(_ text: String) {
        #expect(target(text) == nil)
    }

    @Test("any bytes are decoded or refused")
    func anyBytes() {
        var generator = SplitMix64(seed: 1)
        let alphabet = [UInt8]("/%?&=+.2eEfF".utf8) + [0, 10, 128, 255]
        var decoded = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<12, using: &generator)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            if RequestTarget([UInt8(ascii: "/")] + bytes) != nil { decoded += 1 }
        }
        #expect(decoded > 0 && decoded < 20_000)
    }

    @Test("a token is equal only to itself, and two tokens differ")
    func token() {
        var generator = SplitMix64(seed: 1)
        let token = AccessToken(using: &generator)
        let other = AccessToken(using: &generator)
        #expect(token.text.count == 32 && token.text.allSatisfy { $0.isHexDigit })
        #expect(token.matches(token.text))
        #expect(!token.matches(other.text))
        for wrong in ["", String(token.text.dropLast()), token.text + "0", token.text.uppercased() + " "] {
            #expect(!token.matches(wrong))
        }
        for index in token.text.indices {
            var changed = token.text
            changed.replaceSubrange(index...index, with: token.text[index] == "0" ? "1" : "0")
            #expect(!token.matches(changed))
        }
    }
}
