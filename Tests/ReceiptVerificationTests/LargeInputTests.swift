import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Large inputs")
struct LargeInputTests {
    private func found(_ text: String) throws -> [ReceiptInput] {
        var found: [ReceiptInput] = []
        try LargeInput.forEachReceipt(in: [UInt8](text.utf8)) { input, number, isOnly in
            found.append(input)
            #expect(number == found.count)
            #expect(!isOnly || number == 1)
        }
        return found
    }

    private static let jws = "eyJhIjoxfQ.e30." + String(repeating: "A", count: 86)

    @Test(
        "a large input has the receipts that a search of the complete text finds",
        arguments: [
            ("[", "]"), (" {\"a\": [", "]}\n"), ("{\"b\":1,\"a\":{\"c\":[", "],\"d\":\"x\\\"]\"}}"),
            ("[[1,2],[", "],{\"x\":[]}]"),
        ])
    func receipts(wrapping: (String, String)) throws {
        for count in [1, 3000] {
            let text =
                wrapping.0 + Array(repeating: "\"\(Self.jws)\"", count: count).joined(separator: ", ") + wrapping.1
            let found = try found(text)
            #expect(found == ReceiptInput.detect([UInt8](text.utf8)))
            #expect(found.count == count)
        }
    }

    @Test("a large input that is not JSON at some place has an unrecognized receipt beside those that were found")
    func damage() throws {
        let list = Array(repeating: "\"\(Self.jws)\"", count: 3500).joined(separator: ",")
        for text in [
            "[\(list)", "[\(list)] rest", "[\(list),x,\(list)]", "[\(list),\"open", "[[\(list)] x,1]", "[\(list)}",
            "[\(list),,\(list)]", "[\(list),]", "[,\(list)]", "[\"x\" :\"x\": {\"a\":[\(list)]}]",
            "[\"a\" \"x\" [\(list)]]",
            "[\"x\":[\(list)]]", "[{\"a\":[\(list)],\"a\":1}]",
        ] {
            let found = try found(text)
            #expect(found.contains { if case .unrecognized = $0 { true } else { false } }, "\(text.suffix(20))")
        }
        #expect(try self.found("[" + String(repeating: "0,", count: 200_000) + "0]").count == 1)
        #expect(try self.found(String(repeating: "[", count: 400_000)).isEmpty == false)
        #expect(try self.found("[" + String(repeating: " ", count: 400_000) + "]").count == 1)
    }

    @Test("the members of a large object stay together, also in an array")
    func objects() throws {
        let pad = String(repeating: "A", count: 300_000)
        let play = ReceiptInput.play(data: [UInt8]("{}".utf8), signature: [UInt8]("AAAA".utf8))
        for text in [
            #"{"data":"{}","pad":"\#(pad)","signature":"AAAA","x":"\#(Self.jws)"}"#,
            #"["\#(Self.jws)",{"data":"{}","pad":["\#(pad)"],"signature":"AAAA"}]"#,
        ] {
            #expect(try Set(found(text)) == [play, .jws([UInt8](Self.jws.utf8))])
        }
        // With a key twice, a reader may take either value.
        let twice = #"{"a":"\#(Self.jws)","pad":"\#(pad)","a":"\#(Self.jws)"}"#
        #expect(try found(twice) == [.unrecognized([UInt8](twice.utf8))])
    }

    @Test("an object of more than 4 MiB is unrecognized, and an array of any size is searched")
    func sizes() throws {
        let element = #"{"x":"\#(Self.jws)"}"#
        let list = Array(repeating: element, count: 42_000).joined(separator: ",")
        #expect(try found(#"{"x":[\#(list)]}"#).count == 1)
        #expect(try found("[\(list)]").count == 42_000)
    }
}
