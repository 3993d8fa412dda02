import Foundation
import PurchaseCore
import SQLite
import Testing

@testable import PurchaseStorage

@Suite("The file system of a database")
struct ErasingFileSystemTests {
    private let files = TestDatabase()

    /// Random numbers of a seed (SplitMix64).
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
            return value ^ value >> 31
        }
    }

    @Test("No copy of a deleted row stays in the files after rows have moved between pages [OTP-9.5]", arguments: 1...4)
    func movedRows(seed: UInt64) throws {
        let connection = try files.newFile()
        for pragma in ["journal_mode = WAL", "secure_delete = ON", "synchronous = OFF"] {
            try connection.forEach("PRAGMA \(pragma)") { (_) throws(DatabaseError) in }
        }
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, content BLOB) STRICT")
        var random = Generator(state: seed)
        func content(_ limit: Int) -> SQLiteValue {
            .blob([UInt8](repeating: 1, count: .random(in: 20...limit, using: &random)))
        }
        var (kept, deleted): ([String], [String]) = ([], [])
        // Transactions of some size, so that rows move several times.
        for round in 0..<60 {
            try connection.write { () throws(DatabaseError) in
                for row in 0..<20 {
                    let name = "number-\(UInt64.random(in: 1_000_000...9_999_999, using: &random))-\(round)-\(row)"
                    try connection.execute("INSERT INTO t (name, content) VALUES (?, ?)", [.text(name), content(900)])
                    kept.append(name)
                    for _ in 0..<2 {
                        let changed = kept[Int.random(in: 0..<kept.count, using: &random)]
                        try connection.execute(
                            "UPDATE t SET content = ? WHERE name = ?", [content(1_500), .text(changed)])
                    }
                    guard row % 3 == 0 else { continue }
                    let gone = kept.remove(at: Int.random(in: 0..<kept.count, using: &random))
                    try connection.execute("DELETE FROM t WHERE name = ?", [.text(gone)])
                    deleted.append(gone)
                }
            }
        }
        #expect(try connection.emptyLog())
        let result = try connection.first("PRAGMA integrity_check") { (row) throws(DatabaseError) in try row.text(0) }
        #expect(result == "ok")
        func names(in file: String) throws -> Set<String> {
            let text = String(decoding: try #require(try files.files()[file]), as: UTF8.self)
            return Set(text.matches(of: /number-\d{7}-\d+-\d+/).map { String($0.output) })
        }
        #expect(try names(in: "purchases.sqlite").isSuperset(of: kept))
        #expect(try names(in: "purchases.sqlite").isDisjoint(with: deleted))
        // Every page is written again, with what the connection has of it in memory.
        try connection.execute("UPDATE t SET content = zeroblob(length(content))")
        #expect(try !names(in: "purchases.sqlite-wal").isEmpty)
        #expect(try names(in: "purchases.sqlite-wal").isDisjoint(with: deleted))
    }

    private func unusedPart(_ page: [UInt8], at offset: Int64) -> Range<Int> {
        unsafe page.withUnsafeBytes { unsafe ErasingFileSystem.unusedPart(of: $0, at: offset) }
    }

    @Test("The unused part of a page is between the positions of its rows and the rows, and no other page has one")
    func unusedParts() {
        /// A page with one row in its last 12 bytes.
        func page(_ kind: UInt8, header: Int = 0, count: Int = 512) -> [UInt8] {
            var page = [UInt8](repeating: 9, count: count)
            let end = count - 12
            page.replaceSubrange(header..<header + 8, with: [kind, 0, 0, 0, 1, UInt8(end >> 8), UInt8(end & 255), 0])
            let position = header + (kind < 8 ? 12 : 8)
            page.replaceSubrange(position..<position + 2, with: [UInt8(end >> 8), UInt8(end & 255)])
            return page
        }
        #expect(unusedPart(page(13), at: 512) == 10..<500)
        #expect(unusedPart(page(10), at: 5_120) == 10..<500)
        #expect(unusedPart(page(5, count: 4_096), at: 8_192) == 14..<4_084)
        #expect(unusedPart(page(2), at: 512) == 14..<500)
        #expect(unusedPart(page(13, header: 100), at: 0) == 110..<500)
        var full = page(13, count: 65_536)
        full.replaceSubrange(3..<8, with: [0, 0, 0, 0, 0])
        #expect(unusedPart(full, at: 65_536) == 8..<65_536)

        #expect(unusedPart(page(0), at: 512).isEmpty, "a page of a long value")
        #expect(unusedPart(page(13), at: 100).isEmpty, "no whole page")
        #expect(unusedPart([13, 0, 0], at: 0).isEmpty)
        var long = page(13)
        long[8] = 0
        #expect(unusedPart(long, at: 512).isEmpty, "a position outside of the rows")
        long = page(13)
        long[3] = 255
        #expect(unusedPart(long, at: 512).isEmpty)
        long = page(13)
        long[5] = 255
        #expect(unusedPart(long, at: 512).isEmpty)
    }
}
