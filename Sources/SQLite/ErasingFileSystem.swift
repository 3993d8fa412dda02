internal import CSQLite
internal import ReceiptTypes

/// The file system of SQLite's connections, which leaves no copy of a deleted row in a database file, and opens no file
/// that the database cannot have; see ``SQLiteFiles``.
///
/// With `secure_delete` SQLite overwrites what is deleted. But where it distributes rows among pages again, copies of
/// rows stay in the unused part of a page, and the deletion of a row does not find them. Here that part is zero in each
/// page that is written to a database file. A copy can only be in the write-ahead log, which a deletion empties.
/// `VACUUM` removes such copies too, but it writes the whole file for one deleted purchase.
package enum ErasingFileSystem {
    /// The name under which SQLite knows it; nil if it could not be registered.
    static let name: String? = {
        let name = "purchases-erasing"
        let result = unsafe purchase_sqlite_register_vfs(
            name,
            { bytes, count, offset in
                let page = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
                let unused = unsafe ErasingFileSystem.unusedPart(of: page, at: offset)
                return purchase_sqlite_gap(start: Int32(unused.lowerBound), end: Int32(unused.upperBound))
            },
            { name, flags, database in
                // Safe: SQLite passes a string that ends with a zero byte, and a file that it has open.
                guard let name = unsafe name else { return SQLITE_OK }
                return unsafe SQLiteFiles.resultCode(opening: String(systemPath: name), flags, database)
            })
        return result == SQLITE_OK ? name : nil
    }()

    /// The size of the header of a database file, which is in the first page.
    private static let fileHeaderCount = 100

    /// Returns the part of a page between the positions of its rows and the rows; none for a page without rows, such as
    /// one of a long value.
    ///
    /// - Parameter offset: The position in the file.
    package static func unusedPart(of page: UnsafeRawBufferPointer, at offset: Int64) -> Range<Int> {
        guard page.count >= 512, page.count.nonzeroBitCount == 1, offset % Int64(page.count) == 0 else { return 0..<0 }
        // Safe: every position is below the size of the page, by the guards before it.
        func number(_ position: Int) -> Int { unsafe Int(page[position]) << 8 | Int(page[position + 1]) }
        let header = offset == 0 ? fileHeaderCount : 0
        let positions: Int
        switch unsafe page[header] {
        case 2, 5: positions = header + 12
        case 10, 13: positions = header + 8
        default: return 0..<0
        }
        let (start, content) = (positions + 2 * number(header + 3), number(header + 5))
        let end = content == 0 ? 65_536 : content
        guard start <= end, end <= page.count else { return 0..<0 }
        // A page of a long value begins with any number in a file with more than 33 million pages.
        for position in stride(from: positions, to: start, by: 2) where !(end..<page.count).contains(number(position)) {
            return 0..<0
        }
        return start..<end
    }
}
