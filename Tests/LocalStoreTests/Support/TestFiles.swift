import Foundation
import LocalStore

/// The `.storekit` files for tests.
enum StorekitFixture {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    /// The files that look as Xcode writes them.
    static let wellFormed = ["Lantern-2", "Lantern-3", "Lantern-4", "Lantern-5"]
    /// The hand-written files, each with a file of expected findings.
    static let faulty = ["Handwritten", "Products", "Offers"]

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: "\(name).storekit")))
    }

    /// Returns the expected findings of a hand-written file, one a line.
    static func findings(_ name: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: "\(name).findings"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    static func configuration(_ name: String) throws -> StoreConfiguration {
        try StoreConfiguration(reading: bytes(name))
    }
}

/// Calls `body` with a new folder and deletes it afterwards.
func withTemporaryFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: "local-store-\(UUID())").path()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}
