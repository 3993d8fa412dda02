import Testing

@testable import ReceiptTypes

@Suite("Names of files that are not UTF-8")
struct PathBytesTests {
    @Test("a name in UTF-8 is the text itself", arguments: ["", "a", "/tmp/käse.jws", "日本", "\u{E000}"])
    func text(name: String) {
        #expect(PathBytes.path(Array(name.utf8)) == name)
        #expect(PathBytes.bytes(of: name) == Array(name.utf8))
        #expect(name.shownPath == name)
    }

    @Test("bytes that are no part of UTF-8 are shown as such, and the bytes of the path stay the same")
    func foreignBytes() {
        let names: [([UInt8], String)] = [
            ([0x63, 0x61, 0x66, 0xE9], "caf\\xE9"), ([0xFF, 0x2F, 0x80], "\\xFF/\\x80"),
            ([0xE2, 0x82, 0x61], "\\xE2\\x82a"), ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"),
            ([0xC0, 0xAF], "\\xC0\\xAF"), ([0xF4, 0x90, 0x80, 0x80], "\\xF4\\x90\\x80\\x80"),
        ]
        for (bytes, shown) in names {
            let path = PathBytes.path(bytes)
            #expect(PathBytes.bytes(of: path) == bytes)
            #expect(path.shownPath == shown)
            #expect(path.systemPath.map(UInt8.init(bitPattern:)) == bytes + [0])
        }
    }

    @Test("different names are different paths, even if one has the code points that stand for bytes")
    func differentNames() {
        let byte: [UInt8] = [0xE9]
        let codePoint = Array("\u{10FEE9}".utf8)
        #expect(PathBytes.path(byte) != PathBytes.path(codePoint))
        #expect(PathBytes.bytes(of: PathBytes.path(codePoint)) == codePoint)
    }

    @Test("random bytes survive, up to a NUL")
    func randomBytes() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                UInt8.random(in: 1...255, using: &generator)
            }
            #expect(PathBytes.bytes(of: PathBytes.path(bytes)) == bytes)
            #expect(PathBytes.path(bytes + [0, 0x41]) == PathBytes.path(bytes))
        }
    }
}
