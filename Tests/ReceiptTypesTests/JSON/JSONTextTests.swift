import Foundation
import ReceiptTypes
import Testing

/// Tests the JSON writer, partly by reading its output back with Foundation's `JSONDecoder`.
@Suite("JSON text")
struct JSONTextTests {
    func text(_ value: JSONValue) -> String { value.description }

    @Test("values are written without white space, and members in their order")
    func values() {
        #expect(text(.null) == "null")
        #expect(text(.boolean(true)) == "true")
        #expect(text(.boolean(false)) == "false")
        #expect(text(.integer(.min)) == "-9223372036854775808")
        #expect(text(.integer(.max)) == "9223372036854775807")
        #expect(text(.integer(0)) == "0")
        #expect(text(.decimal(0.5)) == "0.5")
        #expect(text(.array([])) == "[]")
        #expect(text(.object([:])) == "{}")
        #expect(
            text(.object(["b": .array([.integer(1), .null]), "a": .object(["c": .string("")])]))
                == #"{"b":[1,null],"a":{"c":""}}"#
        )
    }

    @Test("NaN and infinity are written as null")
    func notFinite() {
        for decimal in [Double.nan, .infinity, -.infinity] { #expect(text(.decimal(decimal)) == "null") }
    }

    @Test("quotation marks, backslashes and control characters are escaped")
    func required() {
        #expect(text(.string("\"\\/")) == #""\"\\/""#)
        #expect(text(.string("\u{8}\t\n\u{c}\r")) == #""\b\t\n\f\r""#)
        #expect(text(.string("\u{0}\u{1b}\u{7f}\u{85}\u{9f}")) == #""\u0000\u001b\u007f\u0085\u009f""#)
        #expect(text(.object(["\n": .null])) == #"{"\n":null}"#)
    }

    @Test(
        "bidirectional and invisible characters are escaped, neighbouring characters are not",
        arguments: [
            0x80...0x9f, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x2069, 0xfeff...0xfeff, 0x061c...0x061c,
            0xe0000...0xe007f,
        ] as [ClosedRange<UInt32>]
    )
    func hidden(range: ClosedRange<UInt32>) throws {
        for codePoint in range {
            let scalar = try #require(Unicode.Scalar(codePoint))
            let escapes = scalar.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            #expect(text(.string("a\(scalar)b")) == "\"a\(escapes.joined())b\"")
        }
        for text in ["\u{a0}", "\u{2010}", "\u{202f}", "é", "漢", "🙂", "~"] {
            #expect(self.text(.string(text)) == "\"\(text)\"")
        }
    }

    @Test("every character survives a round trip, and no control character is written unescaped")
    func allCharacters() throws {
        var text = ""
        for codePoint in UInt32(0)...0x11_0000 {
            guard let scalar = Unicode.Scalar(codePoint), codePoint < 0x3100 || codePoint % 61 == 0 else { continue }
            text.unicodeScalars.append(scalar)
        }
        var bytes: [UInt8] = []
        JSONText.append(text, to: &bytes)
        let decoded = try JSONDecoder().decode(String.self, from: Data(bytes))
        #expect(Array(decoded.utf8) == Array(text.utf8))
        let written = String(decoding: bytes, as: UTF8.self).unicodeScalars
        #expect(!written.contains { $0.properties.generalCategory == .control || $0.properties.isBidiControl })
    }

    @Test("UTF-8 bytes are written like the string with these bytes")
    func bytes() {
        for text in ["", "plain", "a\"b", "é\u{202e}🙂\u{e0001}", "\u{0}"] {
            var fromString: [UInt8] = []
            var fromBytes: [UInt8] = []
            JSONText.append(text, to: &fromString)
            let utf8 = Array(text.utf8)
            unsafe JSONText.append(utf8: utf8.span.bytes, to: &fromBytes)
            #expect(fromString == fromBytes)
        }
    }

    @Test(
        "each byte of invalid UTF-8 becomes a replacement character, and the bytes after it are kept",
        arguments: [
            [0x80], [0xc0, 0xaf], [0xc2], [0xe2, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff],
            [0xe0, 0x80, 0x80], [0xf0, 0x9f, 0x99],
        ] as [[UInt8]]
    )
    func invalid(bytes: [UInt8]) {
        for tail in ["", "z"] {
            var output: [UInt8] = []
            let input = bytes + Array(tail.utf8)
            unsafe JSONText.append(utf8: input.span.bytes, to: &output)
            let replacements = String(repeating: #"\ufffd"#, count: bytes.count)
            #expect(String(decoding: output, as: UTF8.self) == "\"\(replacements)\(tail)\"")
        }
    }

    @Test("append keeps the existing bytes of the buffer")
    func appending() {
        var output = Array("x=".utf8)
        JSONText.append(.integer(1), to: &output)
        JSONText.append(-20, to: &output)
        JSONText.append("s", to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "x=1-20\"s\"")
    }

    @Test("a value of 5,000 nested arrays is written with balanced brackets and no trap")
    func deep() {
        var value = JSONValue.null
        for _ in 0..<5000 { value = .array([value]) }
        let brackets = text(value).filter { $0 == "[" }.count
        #expect(brackets >= 64)
        #expect(text(value).filter { $0 == "]" }.count == brackets)
    }
}
