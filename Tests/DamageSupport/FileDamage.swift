internal import Foundation
internal import ReceiptTypes

/// A way to damage the files of a database, which a seed repeats.
package struct FileDamage: CustomStringConvertible, Sendable {
    package enum Kind: CaseIterable, Sendable {
        case cut, zeroedPages, flippedBits, changedLog, removedLog, overwrittenHeader, replacedByText, removed
    }

    package let seed: Int
    package let kind: Kind

    package init(seed: Int) {
        self.seed = seed
        kind = Kind.allCases[seed % Kind.allCases.count]
    }

    /// Returns the number of ways that a test tries: STORAGE_DAMAGE of the environment, or the test's own number.
    package static func count(otherwise number: Int) -> Int {
        ProcessInfo.processInfo.environment["STORAGE_DAMAGE"].flatMap { Int($0) } ?? number
    }

    /// Whether no reader can overlook the damage.
    package var isObvious: Bool { [.removedLog, .overwrittenHeader, .replacedByText, .removed].contains(kind) }

    package var description: String { "\(kind), seed \(seed)" }

    /// Damages the database at a path, whose files no process has open.
    package func apply(to path: String) throws {
        var random = SplitMix64(seed: UInt64(seed))
        switch kind {
        case .cut:
            try change(path) { $0.removeLast(Int.random(in: 1...$0.count, using: &random)) }
        case .zeroedPages:
            try change(path) { bytes in
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let page = Int.random(in: 0..<max(1, bytes.count / 4_096), using: &random) * 4_096
                    for index in page..<min(page + 4_096, bytes.count) { bytes[index] = 0 }
                }
            }
        case .flippedBits:
            try change(path) { Self.flip(&$0, &random) }
        case .changedLog:
            if Bool.random(using: &random) {
                try change(path + "-wal") { Self.flip(&$0, &random) }
            } else {
                try change(path + "-wal") { $0.removeLast(Int.random(in: 1...$0.count, using: &random)) }
            }
        case .removedLog:
            try FileManager.default.removeItem(atPath: path + "-wal")
        case .overwrittenHeader:
            try change(path) { bytes in
                for index in 0..<100 { bytes[index] = UInt8.random(in: .min ... .max, using: &random) }
            }
            // Otherwise the log can have another copy of the header.
            try? FileManager.default.removeItem(atPath: path + "-wal")
        case .replacedByText:
            let text = String(repeating: "a letter\n", count: Int.random(in: 1...5_000, using: &random))
            try change(path) { $0 = Array(text.utf8) }
        case .removed:
            try FileManager.default.removeItem(atPath: path)
        }
    }

    private func change(_ path: String, _ change: (inout [UInt8]) -> Void) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        change(&bytes)
        // The file keeps its mode.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    private static func flip(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        for _ in 0..<(1 << Int.random(in: 0...8, using: &random)) {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
    }
}
