import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Base64")
struct Base64Tests {
    @Test(
        "a text that is not canonical empties the buffer of an earlier one", arguments: ["-", "AAA*", "A", "AB"])
    func rejectedTextsEmptyTheBuffer(text: String) {
        var buffer = ReusableBytes()
        let isDecoded = [UInt8]("-w".utf8).withRawSpan { Base64.url.decode($0, into: &buffer) }
        let before = buffer.count
        let isRejected = [UInt8](text.utf8).withRawSpan { !Base64.url.decode($0, into: &buffer) }
        let after = buffer.count
        #expect(isDecoded && before == 1)
        #expect(isRejected && after == 0)
    }

    @Test("decoded pieces follow each other in an arena, and a text that is not canonical adds none")
    func arena() {
        var arena = ByteArena()
        let first = [UInt8]("AQID".utf8).withRawSpan { Base64.url.decode($0, appendingTo: &arena) }
        let rejected = [UInt8]("AB".utf8).withRawSpan { Base64.url.decode($0, appendingTo: &arena) }
        let second = [UInt8]("BAU".utf8).withRawSpan { Base64.url.decode($0, appendingTo: &arena) }
        #expect(first == 0..<3)
        #expect(rejected == nil)
        #expect(second == 3..<5)
        let bytes = [arena.bytes(0..<3).array, arena.bytes(3..<5).array]
        #expect(bytes == [[1, 2, 3], [4, 5]])
        arena.truncate(to: 3)
        let count = arena.byteCount
        #expect(count == 3)
    }
}
