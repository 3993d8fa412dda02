package import Foundation

/// What identifies a user and the user's receipts, as byte sequences, and the search for them in the files of a folder.
package struct TraceSearch: Sendable {
    /// The byte sequences; the name of an id is the id itself.
    package private(set) var traces: [String: Data] = [:]

    package init() {}

    /// Adds the id of an account in the spellings in which a program can write it.
    package mutating func add(account: String) {
        for (name, text) in [("lower", account.lowercased()), ("upper", account.uppercased())] {
            traces["account in \(name) case"] = Data(text.utf8)
            traces["account in \(name) case without hyphens"] = Data(text.utf8.filter { $0 != UInt8(ascii: "-") })
            for offset in 0..<3 {
                traces["account in \(name) case, base64 at \(offset)"] = Self.base64(of: text, at: offset)
            }
        }
        let digits = Array(account.filter(\.isHexDigit))
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
            UInt8(String(digits[index...index + 1]), radix: 16)
        }
        // Another account than a UUID has no such form.
        guard bytes.count == 16 else { return }
        traces["account as bytes"] = Data(bytes)
        let base64 = Data(bytes).base64EncodedString().filter { $0 != "=" }
        traces["account as bytes, base64"] = Data(base64.utf8)
        let base64URL = String(base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
        traces["account as bytes, base64url"] = Data(base64URL.utf8)
    }

    /// Adds the id of a transaction.
    package mutating func add(id: String) { traces[id] = Data(id.utf8) }

    /// Adds the beginning, the middle and the end of each segment of a signed text.
    ///
    /// The header of a JWS is left out: it names neither the user nor the purchase.
    package mutating func add(receipt: String) {
        let segments = receipt.split(separator: ".")
        for segment in segments.count == 3 ? segments.dropFirst() : segments[...] {
            let bytes = Array(segment.utf8)
            let count = min(bytes.count, Self.sliceCount)
            for start in [0, (bytes.count - count) / 2, bytes.count - count] {
                let slice = bytes[start..<start + count]
                traces["receipt: \(String(decoding: slice, as: UTF8.self))"] = Data(slice)
            }
        }
    }

    private static let sliceCount = 24

    /// Returns the characters of base64 that depend on a text alone; it begins at an offset in a group of three bytes.
    private static func base64(of text: String, at offset: Int) -> Data {
        let bytes = Data(repeating: 0, count: offset) + Data(text.utf8)
        let digits = bytes.base64EncodedString().utf8.prefix(bytes.count * 4 / 3)
        return Data(digits.dropFirst((offset * 4 + 2) / 3))
    }

    // MARK: Search

    /// Returns the files below a folder that have each trace, in their content or their name; a trace that no file has
    /// is left out.
    package func files(in folder: String) throws -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            guard let content = try Self.content("\(folder)/\(name)") else { continue }
            let places = [content, Data(name.utf8)]
            for (trace, bytes) in traces where places.contains(where: { $0.range(of: bytes) != nil }) {
                found[trace, default: []].insert(name)
            }
        }
        return found
    }

    /// Returns the content of a file; nil if it is a folder, or if it was removed a moment ago.
    private static func content(_ path: String) throws -> Data? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            throw error
        }
    }
}
