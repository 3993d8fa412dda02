import Foundation
import Testing
import TranscriptSupport

@Suite("Search for the traces of a user")
struct TraceSearchTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "traces-\(UUID().uuidString)").path()
    private let account = "0e984725-c51c-4bf4-9960-e1c80e27aba0"
    private let id = "9100000000000001"

    @Test("Each spelling of an account, each id and each part of a receipt is found in every file, and nothing else is")
    func findsEach() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: "\(folder)/inner", withIntermediateDirectories: true)
        func write(_ content: Data, _ name: String) throws {
            try (Data("before ".utf8) + content + Data(" after".utf8))
                .write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        var search = TraceSearch()
        search.add(account: account)
        search.add(id: id)
        let receipt = SampleReceipt.jws(id, of: account)
        search.add(receipt: receipt)

        try write(Data("another account, 0e984725-c51c-4bf4-9960-e1c80e27aba1, and \(id.dropLast())".utf8), "other")
        try write(Data(receipt.utf8.prefix(20)), "header")
        #expect(try search.files(in: folder).isEmpty)

        try write(Data(account.utf8), "lower")
        try write(Data("0E984725-C51C-4BF4-9960-E1C80E27ABA0".utf8), "upper")
        try write(Data("0e984725c51c4bf49960e1c80e27aba0".utf8), "inner/lower")
        try write(Data("0E984725C51C4BF49960E1C80E27ABA0".utf8), "inner/upper")
        let bytes: [UInt8] = [
            0x0e, 0x98, 0x47, 0x25, 0xc5, 0x1c, 0x4b, 0xf4, 0x99, 0x60, 0xe1, 0xc8, 0x0e, 0x27, 0xab, 0xa0,
        ]
        try write(Data(bytes), "bytes")
        try write(Data("DphHJcUcS/SZYOHIDieroA==".utf8), "base64")
        try write(Data("DphHJcUcS_SZYOHIDieroA".utf8), "base64url")
        for name in ["a", "ab", "abc"] {
            for (spelling, text) in [("lower", account), ("upper", account.uppercased())] {
                let json = Data("{\"\(name)\":\"\(text)\"}".utf8).base64EncodedString()
                try write(Data(json.utf8), "json-\(name)-\(spelling)")
            }
        }
        try write(Data(), "inner/log-\(id)")
        try write(Data(receipt.utf8), "inner/receipt")
        let found = try search.files(in: folder)
        #expect(Set(found.keys) == Set(search.traces.keys))
        #expect(found["account in lower case", default: []] == ["lower"])
        #expect(found["account in upper case", default: []] == ["upper"])
        #expect(found["account in lower case without hyphens", default: []] == ["inner/lower"])
        #expect(found["account in upper case without hyphens", default: []] == ["inner/upper"])
        #expect(found["account as bytes", default: []] == ["bytes"])
        #expect(found["account as bytes, base64", default: []] == ["base64"])
        #expect(found["account as bytes, base64url", default: []] == ["base64url"])
        #expect(found[id, default: []] == ["inner/log-\(id)"])
    }
}
