import Foundation
import LocalStore

/// The files beside the tests.
enum Fixture {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    /// Those that are as Xcode would write them.
    static let good = ["Lantern-2", "Lantern-3", "Lantern-4", "Lantern-5"]
    /// Those that somebody has written by hand, each beside the findings that it should have.
    static let wrong = ["Handwritten", "Products", "Offers"]

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: "\(name).storekit")))
    }

    /// The lines of the findings that a wrong file should have.
    static func findings(_ name: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: "\(name).findings"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    static func configuration(_ name: String) throws -> StoreConfiguration {
        try StoreConfiguration(reading: bytes(name))
    }
}
