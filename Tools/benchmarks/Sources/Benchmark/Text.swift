import Foundation

/// How values are written down.
enum Text {
    static func number(_ number: Double) -> String { String(format: number < 10 ? "%.2f" : "%.1f", number) }

    static func percent(_ part: Double) -> String { String(format: "%.0f %%", part * 100) }

    static func change(_ part: Double) -> String { String(format: "%+.0f %%", part * 100) }

    /// JSON that stays the same line by line where its values do.
    static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(value) + Data("\n".utf8)
    }
}
